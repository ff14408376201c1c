"""A turn that is taken a known number of times, as one op: a scan.

What is known in advance takes no part in it. Integers that count are no part of its state. What is read of a tensor
that stays the same, at places that are known, comes into the scan as rows; what is written at such places comes out of
it as rows. And nobody asks, turn by turn, about complaints of which it is known that there will be none.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.aval import aval_of
from tfcompat._core.dtype import bool_
from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import record
from tfcompat._function.control.block import Links
from tfcompat._function.control.counted import Known
from tfcompat._function.control.course import Course
from tfcompat._function.control.forecast import Forecast, Write
from tfcompat._function.control.hearing import hear, quiet_flags, stacked
from tfcompat._function.control.keeping import kept
from tfcompat._function.control.outside import Outside
from tfcompat._function.control.turn import Turn

_NONE: Links = frozenset()
# The groups of the operands, in their order.
_CARRIED, _WRITTEN, _WINDOWS, _FIXED, _ROWS, _REST = range(6)


class Sweep:
    """The turns as one op.

    Its operands are what goes from turn to turn, the arrays that are written into, the windows and the other slots that
    are read outside, the tensors that are gone through, and what else is read.
    """

    def __init__(
        self, name: str, turn: Turn, course: Course, answers: Sequence[int] = (), assigned: Collection[int] = ()
    ) -> None:
        """`answers` are slots that are stacked; `assigned` the places of the variables in the state."""
        self._name = name
        self._turn = turn
        self._count = course.count
        self._final = course.final
        self._assigned = assigned
        self._answers = list(answers)
        forecast = self._forecast = Forecast(turn, course, answers)
        self._is_heard = bool(forecast.checks or turn.block.effects)
        self._known = [Known(values) for values in forecast.known.values()]
        read = {turn.leaves[slot] for slot in forecast.leaves}
        rest = sorted(read.difference(forecast.carried, turn.rows))
        places = {_CARRIED: forecast.carried, _ROWS: list(turn.rows), _REST: rest}
        sources = {place: (group, k) for group, held in places.items() for k, place in enumerate(held)}
        self._sources = [sources.get(place) if slot in forecast.leaves else None for slot, place in turn.leaves.items()]
        self._rest = rest
        self._sizes: list[int] = []

    def record(self) -> tuple[list[Tensor], list[Tensor]]:
        """The state after the turns, and the answers."""
        turn, forecast = self._turn, self._forecast
        groups = self._groups()
        self._sizes = [len(group) for group in groups]
        operands = tuple(itertools.chain(*groups))
        avals = [tensor._aval for group in groups[:_WINDOWS] for tensor in group]
        rows = [turn.avals[slot] for slot in self._answers]
        avals += [aval_of((self._count, *aval.shape), aval.dtype) for aval in rows]
        avals += [aval_of((len(forecast.checks) + 1,), bool_)] * self._is_heard
        found: list[Tensor] = []
        if avals:
            linked = self._linked()
            given = (*forecast.windows, *forecast.fixed)
            keeps = kept(turn.block, linked, [tensor._aval for tensor in operands], given)
            op = Op(self._name, self._run, many=True, linked=linked, keeps=keeps)
            op.inferred[tuple(tensor._aval for tensor in operands)] = tuple(avals)
            found = list(record(op, operands))
        if self._is_heard:
            hear(found[-1], forecast.checks)
        changed = dict(zip((*forecast.carried, *forecast.writes), found, strict=False))
        state = [self._after(place, changed) for place in turn.parts]
        turn.forget()
        cut = len(changed)
        return state, list(found[cut : cut + len(rows)])

    def _groups(self) -> list[list[Tensor]]:
        """The operands."""
        turn, forecast, outside = self._turn, self._forecast, Outside(self._turn)
        groups: dict[int, list[Tensor]] = {
            _CARRIED: [turn.operand(place) for place in forecast.carried],
            _WRITTEN: [turn.operand(place) for place in forecast.writes],
            _WINDOWS: [outside.rows(w, is_backward=forecast.is_backward) for w in forecast.windows.values()],
            _FIXED: [outside.tensor(slot) for slot in forecast.fixed],
            _ROWS: [turn.operand(place) for place in turn.rows],
            _REST: [turn.operand(place) for place in self._rest],
        }
        return [groups[k] for k in range(len(groups))]

    def _after(self, place: int, changed: dict[int, Tensor]) -> Tensor:
        """What is in `place` after the turns."""
        if place in changed:
            return changed[place]
        return Tensor(np.array(self._final[place])) if place in self._final else self._turn.operand(place)

    def _run(self, *operands: Any) -> tuple[Any, ...]:
        given = iter(operands)
        groups = [tuple(itertools.islice(given, size)) for size in self._sizes]
        state, rows = self._scan(groups)
        written, answers = list(groups[_WRITTEN]), iter(rows)
        for k, writes in enumerate(self._forecast.writes.values()):
            for write in writes:
                written[k] = self._with_rows(written[k], write, next(answers))
        count = self._sizes[_CARRIED]
        return (*state[:count], *written, *answers, *[stacked(state[count:])] * self._is_heard)

    def _scan(self, groups: Sequence[tuple[Any, ...]]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """What is carried and the flags after the turns, and what is written and answered, stacked."""
        forecast, count = self._forecast, self._sizes[_CARRIED]
        given = (*forecast.windows, *forecast.fixed, *forecast.known)
        body = self._turn.block.procedure(forecast.outputs, given=given, checks=forecast.checks)

        def one(state: Any, xs: Any) -> Any:
            number, windows, rows, tables = xs
            pools = {_CARRIED: state, _ROWS: rows, _REST: groups[_REST]}
            values = [source and pools[source[0]][source[1]] for source in self._sources]
            known = [known.at(number, entry) for known, entry in zip(self._known, tables, strict=True)]
            found, flags = body(values, (*windows, *groups[_FIXED], *known))
            heard = [told | flag for told, flag in zip(state[count:], flags, strict=True)]
            return (*found[:count], *heard), tuple(found[count:])

        numbers = np.arange(self._count, dtype=np.int32) if any(known.is_linear for known in self._known) else None
        columns = (numbers, *(known.table for known in self._known))
        if forecast.is_backward:
            columns = [None if column is None else column[::-1] for column in columns]
        xs = (columns[0], groups[_WINDOWS], groups[_ROWS], tuple(columns[1:]))
        start = (*groups[_CARRIED], *quiet_flags(forecast.checks))
        return jax.lax.scan(one, start, xs, self._count, reverse=forecast.is_backward)

    def _with_rows(self, array: Any, write: Write, rows: Any) -> Any:
        """`array` with `rows` in their places."""
        places = write.rows[::-1] if self._forecast.is_backward else write.rows
        if len(places) > 1 and places[0] > places[-1]:
            places, rows = places[::-1], jnp.flip(rows, 0)
        if (np.diff(places) != 1).any():
            return array.at[places].set(rows, unique_indices=True, mode="promise_in_bounds")
        parts = [array[: places[0]], rows, array[places[-1] + 1 :]]
        return jnp.concatenate([part for part in parts if len(part)])

    def _linked(self) -> tuple[Links, ...]:
        """For each output the operands that its derivative depends on. Nothing leads through an assignment."""
        forecast, block = self._forecast, self._turn.block
        first = list(itertools.accumulate(self._sizes, initial=0))
        places = [None if source is None else first[source[0]] + source[1] for source in self._sources]
        places += range(first[_WINDOWS], first[_ROWS])
        found = block.links(forecast.outputs, (*forecast.windows, *forecast.fixed))
        direct = [{place for k in leaves if (place := places[k]) is not None} for leaves in found]
        count = len(forecast.carried)
        held = [k for k, place in enumerate(forecast.carried) if place in self._assigned]
        carried = [set() if k in held else {k} | links for k, links in enumerate(direct[:count])]
        while True:
            wider = [links.union(*[carried[k] for k in links if k < count]) for links in carried]
            if wider == carried:
                break
            carried = wider
        rest = iter([links.union(*[carried[k] for k in links if k < count]) for links in direct[count:]])
        written = [
            {first[_WRITTEN] + k}.union(*itertools.islice(rest, len(writes)))
            for k, writes in enumerate(forecast.writes.values())
        ]
        return tuple(map(frozenset, (*carried, *written, *rest, *[_NONE] * self._is_heard)))
