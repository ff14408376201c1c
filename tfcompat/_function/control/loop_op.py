"""A traced loop as an op: a scan where the number of iterations is known, else one whose length the program finds."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import record
from tfcompat._function.control.block import Links, Operands
from tfcompat._function.control.count import count_of
from tfcompat._function.control.counted import Counted
from tfcompat._function.control.course import Course, course_of
from tfcompat._function.control.hearing import hear, quiet_flags, stacked
from tfcompat._function.control.keeping import kept
from tfcompat._function.control.repetition import Arrays, Step, repeat_while
from tfcompat._function.control.sweep import Sweep
from tfcompat._function.control.traced_loop import TracedLoop, require_fixed
from tfcompat._function.control.turn import Turn
from tfcompat._function.control.wiring import Wiring
from tfcompat._function.graph import is_symbolic

_NONE: Links = frozenset()


class LoopOp:
    """A loop as an op on the loop variables, the variables that it assigns, and what it reads besides."""

    def __init__(self, loop: TracedLoop, limit: Tensor | None) -> None:
        test, step = loop.test, loop.step
        self._cells = [cell for cell, _ in step.updates.values()]
        self._lengths = loop.lengths
        held, after = [cell._read() for cell in self._cells], [tensor for _, tensor in step.updates.values()]
        require_fixed(held, after, False)
        operands = Operands([*loop.state, *held], first=1)
        for place, cell in enumerate(self._cells, 1 + len(loop.state)):
            operands.hold(cell, place)
        most = None if limit is None or is_symbolic(limit) else int(limit)
        self._wiring = Wiring(
            *(test, step, operands.places(test, loop.arguments), operands.places(step, loop.arguments)),
            verdict=test.slots(test.outputs)[0],
            after=step.slots([*loop.after, *after]),
            variables=len(loop.state),
            limit=None if limit is None or most is not None else operands.place(limit),
            most=most,
        )
        self._operands = operands.tensors
        self._turn = Turn(step, self._wiring.places_of_step, self._operands, self._wiring.after)

    def record(self) -> Sequence[Tensor]:
        """Records it; answers the loop variables after the loop, and lets variables hold what they hold then."""
        count, size = self._wiring.variables, self._wiring.size
        if not size:
            return ()
        if self._course is None:
            answers = self._record_repeated()
        else:
            sweep = Sweep("while_loop", self._turn, self._course, assigned=range(1 + count, 1 + size))
            answers, _ = sweep.record()
        for cell, tensor in zip(self._cells, answers[count:], strict=False):
            cell._rebind(tensor)
        return answers[:count]

    def sizes(self) -> list[int] | None:
        """How many elements the growing arrays have after the loop, if that is known."""
        final = {} if self._course is None else self._course.final
        return [int(final[place]) for place in self._lengths] if final.keys() >= set(self._lengths) else None

    @functools.cached_property
    def _course(self) -> Course | None:
        """How the loop goes, if constants alone decide about that."""
        wiring, turn = self._wiring, self._turn
        if wiring.limit is not None:
            return None
        leaves = dict(zip(wiring.test.starts, wiring.places_of_test, strict=True))
        known = {slot: place for slot, place in leaves.items() if turn.is_known(place)}
        counted = Counted(wiring.test, known)
        if wiring.verdict not in counted.slots:
            count = count_of(wiring, self._operands)
            return None if count is None else course_of(turn, None, count)

        def goes_on(ahead: Mapping[int, Any]) -> Any:
            values = {slot: ahead[place] if place in ahead else turn.known(place) for slot, place in known.items()}
            return counted.values(values)[wiring.verdict]

        return course_of(turn, goes_on, wiring.most)

    def _record_repeated(self) -> Sequence[Tensor]:
        """The state after a loop whose length only the program knows."""
        step = self._wiring.step
        linked = (*self._wiring.links(), *[_NONE] * step.is_heard)
        keeps = kept(step, linked, [tensor._aval for tensor in self._operands])
        op = Op("while_loop", functools.partial(_repeated, self._wiring), many=True, linked=linked, keeps=keeps)
        answers = record(op, tuple(self._operands))
        if step.is_heard:
            hear(answers[-1], step.checks)
        return answers


def _repeated(wiring: Wiring, *operands: Any) -> tuple[Any, ...]:
    """The state after the loop, and flags if it can complain."""
    size = len(wiring.after)
    verdict = wiring.goes_on()

    def test(k: Any, state: Sequence[Any], rest: Sequence[Any]) -> Any:
        values = (k, *state[:size], *rest)
        found = verdict(values)
        if wiring.limit is not None:
            found &= k < values[wiring.limit]
        return found if wiring.most is None else found & (k < wiring.most)

    state = (*operands[:size], *quiet_flags(wiring.step.checks))
    found = repeat_while(test, _loud(wiring), _quiet(wiring), state, operands[size:])
    return (*found[:size], *[stacked(found[size:])] * wiring.step.is_heard)


def _quiet(wiring: Wiring) -> Step:
    """One iteration, without what it does besides."""
    size = len(wiring.after)
    run = wiring.next(range(size))

    def step(k: Any, state: Arrays, rest: Arrays) -> Arrays:
        return (*run((k, *state[:size], *rest)), *state[size:])

    return step


def _loud(wiring: Wiring) -> Step:
    """One iteration, with what it does besides, and flags."""
    size = len(wiring.after)
    run = wiring.step.procedure(wiring.after)

    def step(k: Any, state: Arrays, rest: Arrays) -> Arrays:
        values = (k, *state[:size], *rest)
        found, flags = run([values[place] for place in wiring.places_of_step])
        return (*found, *[told | flag for told, flag in zip(state[size:], flags, strict=True)])

    return step
