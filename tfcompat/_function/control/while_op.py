"""A `tf.while_loop` in a traced function as one op: a scan if its trip count is known, else a while loop."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tfcompat._autodiff.connection import Links, after_iterations
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.operation.recipe import Hashed, Recipe
from tfcompat._core.structure.node import Reference
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import constant_at, size_value
from tfcompat._core.tracing.trace import record
from tfcompat._function.block.block import Block, Operands, clear_flags, record_checks, stacked
from tfcompat._function.block.procedure import Procedure, Sized
from tfcompat._function.control.checkpointed_while import Arrays, repeat_while
from tfcompat._function.control.iteration import Counted, Iteration, constant
from tfcompat._function.control.scan_lowering import ScanLowering
from tfcompat._function.control.traced_loop import TracedLoop, require_fixed
from tfcompat._function.control.trip_count import MOST_ITERATIONS, TripCount, open_trip_count, trip_count_of
from tfcompat._function.graphs.graph import is_symbolic
from tfcompat._jaxpr.jit import jitted
from tfcompat._jaxpr.size import is_at_most, is_open

_NONE: Links = frozenset()
Values = Sequence[Any]


@dataclass(frozen=True)
class LoopBlocks:
    """The blocks of a loop, and the places of their leaves: 0 for the iteration's number, then the operands.

    The first operands are the state: the loop variables, then the `tf.Variable`s that the body assigns.

    Attributes:
      test, step: the condition and the body; `places_of_test` and `places_of_step`: the places of their leaves.
      condition: the slot in `test` of its result; `after`: the slots in `step` of the next state.
      variables: the number of loop variables in the state.
      limit: the place of `maximum_iterations` if it is a symbolic tensor; `most`: its value if that is known.
    """

    test: Block
    step: Block
    places_of_test: Sequence[int]
    places_of_step: Sequence[int]
    condition: int
    after: Sequence[int]
    variables: int
    limit: int | None
    most: Any

    @property
    def size(self) -> int:
        """The number of parts of the state."""
        return len(self.after)

    def reads(self, part: int | None) -> set[int]:
        """The places that a part of the next state is computed from; for None, those that the condition reads."""
        if part is None:
            return {self.places_of_test[leaf] for leaf in self.test.read([self.condition])}
        return {self.places_of_step[leaf] for leaf in self.step.read([self.after[part]])}

    def goes_on(self) -> Callable[[Values], Any]:
        """The condition as a function of the values of the places."""
        return _on_places(self.test.function([self.condition]), self.places_of_test, 0)

    def next(self, parts: Sequence[int]) -> Callable[[Values], Values]:
        """Some parts of the next state as a function of the values of the places."""
        return _on_places(self.step.function([self.after[part] for part in parts]), self.places_of_step)

    def links(self) -> tuple[Links, ...]:
        """For each part of the state, the operands that its gradient reaches after any number of iterations.

        No gradient goes through an assigned variable.
        """
        count = self.variables
        links = [{self.places_of_step[k] for k in leaves} for leaves in self.step.links(self.after[:count])]
        found = after_iterations(links, first=1)
        linked = [frozenset({place - 1 for place in places if place} | {k}) for k, places in enumerate(found)]
        return (*linked, *[_NONE] * (self.size - count))


def compiled_trip_count(blocks: LoopBlocks, operands: Sequence[Tensor]) -> int | None:
    """The trip count of a loop whose condition is computed from constants, but not only by integer arithmetic.

    XLA runs the part of the loop that the condition depends on. Returns None if that part uses values that are not
    constant, or if the trip count exceeds `MOST_ITERATIONS`.
    """
    parts = range(1, 1 + blocks.size)
    needed = blocks.reads(None)
    while True:
        more = needed.union(*[blocks.reads(place - 1) for place in needed if place in parts])
        if more == needed:
            break
        needed = more
    known = {place: constant(operands[place - 1]) for place in needed if place}
    if any(value is None for value in known.values()):
        return None
    moving = sorted(place for place in known if place in parts)
    limit = MOST_ITERATIONS + 1 if blocks.most is None else min(blocks.most, MOST_ITERATIONS + 1)
    condition, after = blocks.goes_on(), blocks.next([place - 1 for place in moving])

    def merged(k: Any, state: Sequence[Any]) -> list[Any]:
        values: list[Any] = [None] * (len(operands) + 1)
        values[0] = k
        for place, value in {**known, **dict(zip(moving, state, strict=True))}.items():
            values[place] = value
        return values

    def goes_on(carried: Any) -> Any:
        k, state = carried
        return (k < limit) & condition(merged(k, state))

    def advanced(carried: Any) -> Any:
        k, state = carried
        return k + 1, tuple(after(merged(k, state)))

    with jax.enable_x64(True):
        first = (jnp.int32(0), tuple(jnp.asarray(known[place]) for place in moving))
        count, _ = jitted(lambda carried: jax.lax.while_loop(goes_on, advanced, carried))(first)
    return None if count > MOST_ITERATIONS else int(count)


class LoopOp:
    """A traced loop as an op on its loop variables, the `tf.Variable`s that it assigns, and its other operands."""

    def __init__(self, loop: TracedLoop, limit: Tensor | None) -> None:
        test, step = loop.test, loop.step
        self._cells = [cell for cell, _ in step.updates.values()]
        self._lengths = loop.lengths
        held, after = [cell._read() for cell in self._cells], [tensor for _, tensor in step.updates.values()]
        require_fixed(held, after, False)
        operands = Operands([*loop.state, *held], first=1)
        for place, cell in enumerate(self._cells, 1 + len(loop.state)):
            operands.hold(cell, place)
        most: Any = None if limit is None or is_symbolic(limit) else int(limit)
        if most is None and limit is not None and (size := size_value(limit)) is not None and size.dtype == object:
            most = size.item()
        self._blocks = LoopBlocks(
            *(test, step, operands.places(test, loop.arguments), operands.places(step, loop.arguments)),
            condition=test.slots(test.outputs)[0],
            after=step.slots([*loop.after, *after]),
            variables=len(loop.state),
            limit=None if limit is None or most is not None else operands.place(limit),
            most=most,
        )
        self._operands = operands.tensors
        self._iteration = Iteration(step, self._blocks.places_of_step, self._operands, self._blocks.after)

    def record(self) -> Sequence[Tensor]:
        """Records the loop and assigns its variables; returns the final loop variables."""
        count, size = self._blocks.variables, self._blocks.size
        if not size:
            return ()
        if self._trip_count is None:
            outputs = self._record_repeated()
        else:
            lowering = ScanLowering(
                "while_loop", self._iteration, self._trip_count, assigned=range(1 + count, 1 + size)
            )
            outputs, _ = lowering.record()
        for cell, tensor in zip(self._cells, outputs[count:], strict=False):
            cell._rebind(tensor)
        return outputs[:count]

    @property
    def is_limited(self) -> bool:
        """Whether it ends after some number of iterations whatever its condition is."""
        return self._blocks.limit is not None or self._blocks.most is not None or self._trip_count is not None

    def sizes(self) -> list[int] | None:
        """The final sizes of the growing arrays, if they are known."""
        final = {} if self._trip_count is None else self._trip_count.final
        if not final.keys() >= set(self._lengths) or any(is_open(final[place]) for place in self._lengths):
            return None
        return [int(final[place]) for place in self._lengths]

    @functools.cached_property
    def _trip_count(self) -> TripCount | None:
        """The trip count, if constants and sizes determine it."""
        blocks, iteration = self._blocks, self._iteration
        if blocks.limit is not None:
            return None
        if (found := self._counted_up) is not None:
            return found
        leaves = dict(zip(blocks.test.starts, blocks.places_of_test, strict=True))
        known = {slot: place for slot, place in leaves.items() if iteration.is_known(place)}
        counted = Counted(blocks.test, known)
        if is_open(blocks.most):
            constants = Counted(blocks.test, ())
            is_endless = blocks.condition in constants.slots and constants.values({})[blocks.condition]
            return open_trip_count(iteration, blocks.most) if is_endless else None
        if blocks.condition not in counted.slots:
            count = compiled_trip_count(blocks, self._operands)
            return None if count is None else trip_count_of(iteration, None, count)

        def goes_on(ahead: Mapping[int, Any]) -> Any:
            values = {slot: ahead[place] if place in ahead else iteration.known(place) for slot, place in known.items()}
            return counted.values(values)[blocks.condition]

        return trip_count_of(iteration, goes_on, blocks.most)

    @property
    def _counted_up(self) -> TripCount | None:
        """The trip count of a loop that counts up to a size with symbols: as long as a counter is less than that."""
        blocks, iteration = self._blocks, self._iteration
        steps = {slot: node for node in blocks.test.path for slot in range(node.first, node.slot)}
        asked = steps[blocks.condition]
        if asked.op is None or asked.op.name != "less":
            return None
        leaves: dict[Any, int] = dict(zip(blocks.test.starts, blocks.places_of_test, strict=True))
        counter: Any = leaves.get(asked.inputs[0])
        first = iteration.known(counter) if counter in iteration.counters else None
        limit = self._size_in_test(asked.inputs[1], leaves)
        if first is None or not is_open(limit):
            return None
        count = limit - int(first)
        if not is_at_most(1, count) or (blocks.most is not None and str(blocks.most) != str(count)):
            return None
        found = open_trip_count(iteration, count)
        return found if str(found.final.get(counter)) == str(limit) else None

    def _size_in_test(self, reference: Reference, leaves: Mapping[Any, int]) -> Any:
        """The size that `reference` is in the condition of each iteration; None if it may be another value."""
        place = leaves.get(reference)
        if place is None:
            value = constant_at(self._blocks.test.graph, reference)
        elif place in self._iteration.parts and place not in self._iteration.idle:
            return None
        else:
            value = size_value(self._iteration.operand(place)) if place else None
        if value is None:
            return None
        size = value.item()
        return None if self._blocks.test.graph.finds_part_of(size) else size

    def _record_repeated(self) -> Sequence[Tensor]:
        """Records a loop whose trip count is computed by the program; returns the final state."""
        step = self._blocks.step
        linked = (*self._blocks.links(), *[_NONE] * step.has_effects)
        rule = step.loop_rule(linked, self._operands)
        op = while_like(*_recipe(self._blocks, rule))
        outputs = record(op, tuple(self._operands))
        if step.has_effects:
            record_checks(outputs[-1], step.checks)
        return outputs


class _Frame(NamedTuple):
    """The structure of a loop without its procedures; for the attributes see `LoopBlocks`."""

    places_of_test: tuple[int, ...]
    places_of_step: tuple[int, ...]
    size: int
    limit: int | None
    has_effects: bool


def _recipe(blocks: LoopBlocks, rule: GradientRule) -> tuple[Any, ...]:
    """The arguments of `while_like` for a loop."""
    test, step = blocks.test, blocks.step
    frame = _Frame(
        tuple(blocks.places_of_test), tuple(blocks.places_of_step), blocks.size, blocks.limit, step.has_effects
    )
    runs = (test.function([blocks.condition]), step.procedure(blocks.after), step.function(blocks.after))
    structures = Hashed(tuple([run.structure for run in runs]))
    return (rule, frame, structures, blocks.most, *[run.sized for run in runs])


def while_like(rule: GradientRule, frame: _Frame, structures: Hashed, most: Any, *sized: Sized) -> Op:
    """The loop of a condition, a body with side effects and checks, and the same body without these.

    Its outputs are the final state, and the flags of the body's checks, if it has effects.
    """
    test, step, pure = map(Procedure, structures.value, sized)
    size, limit = frame.size, frame.limit
    condition = _on_places(test, frame.places_of_test, 0)

    def goes_on(k: Any, state: Arrays, rest: Arrays) -> Any:
        values = (k, *state[:size], *rest)
        found = condition(values)
        if limit is not None:
            found &= k < values[limit]
        return found if most is None else found & (k < most)

    def advanced(k: Any, state: Arrays, rest: Arrays) -> Arrays:
        values = (k, *state[:size], *rest)
        found, flags = step([values[place] for place in frame.places_of_step])
        return (*found, *[before | flag for before, flag in zip(state[size:], flags, strict=True)])

    def without_effects(k: Any, state: Arrays, rest: Arrays) -> Arrays:
        values = (k, *state[:size], *rest)
        return (*pure([values[place] for place in frame.places_of_step])[0], *state[size:])

    def run(*operands: Any) -> tuple[Any, ...]:
        state = (*operands[:size], *clear_flags(step.checks))
        found = repeat_while(goes_on, advanced, without_effects, state, operands[size:])
        return (*found[:size], *[stacked(found[size:])] * frame.has_effects)

    op = Op("while_loop", run, many=True, gradient=rule)
    op.recipe = Recipe(while_like, (rule, frame, structures), (most, *sized))
    return op


def _on_places(run: Procedure, places: Sequence[int], output: int | None = None) -> Callable[[Values], Any]:
    """The function of the values of all places that computes the outputs of `run`, or one of them."""

    def found(values: Values) -> Any:
        outputs, _ = run([values[place] for place in places])
        return outputs if output is None else outputs[output]

    return found
