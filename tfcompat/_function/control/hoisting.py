"""Hoisting: the work that a loop with a known trip count can do before its first iteration.

A read at a known place of a loop-invariant tensor (`xs[i]`) becomes a row of a tensor that the scan iterates over. Its
gradient is then the stacked cotangents of the rows; read inside of the loop, each iteration would add a tensor of zeros
with one row set. A write at a known place of an array that nothing reads becomes a row of the scan's output.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.operation.op import Op
from tfcompat._core.operation.recipe import Recipe
from tfcompat._core.programs.bounded_computation import planned
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node, Number
from tfcompat._function.control.iteration import Iteration, slots_of
from tfcompat._function.control.progression import Pattern, Progression
from tfcompat._function.control.trip_count import TripCount
from tfcompat._function.tensor_array.array import WRITE
from tfcompat._jaxpr.size import has_symbols, is_at_most, is_open


class Windows:
    """The slices that a step takes of its first input, one in each iteration.

    Attributes:
      node: the step.
      position: the position of the input that holds the start index.
      whole: the op that takes the whole axis instead; None if that is the step's first input unchanged.
      is_inside: whether all slices lie within the tensor.
      is_small: whether the slices together are no larger than the tensor.
      is_backward: whether each slice begins before that of the previous iteration.
    """

    def __init__(self, node: Node, position: int, begins: np.ndarray, count: Any) -> None:
        """`begins` holds the value of the input at `position` for each of `count` iterations, or some if it is open."""
        assert node.op is not None
        self.node = node
        self.position = position
        axis, self._width, self._along, whole = node.op.windows[position]
        self.whole = whole()
        self._size = node.signature[0].shape[axis]
        self._count = count
        self.is_backward = is_falling(begins)
        if has_symbols((self._size, count)):
            self._begins = begins
            self.is_inside = are_inside(begins, count, self._size - (self._width or 1))
            self.is_small = is_at_most(count * (self._width or 1), self._size)
            return
        self._begins = np.where(begins < 0, begins + self._size, begins)
        last = self._size - (self._width or 1)
        is_placed = bool(((self._begins >= 0) & (self._begins <= last)).all())
        self.is_inside = is_placed and not would_fail(node, {position: begins})
        self.is_small = begins.size * (self._width or 1) <= self._size
        self.is_backward = is_falling(self._begins)

    def op(self, *, is_backward: bool) -> Op | None:
        """The op that stacks the slices of `whole`, in reverse if `is_backward`; None if `whole` is that stack."""
        found = Progression.of(self._begins.astype(np.int32))
        if is_backward:
            found = found.reversed(self._count)
        is_all = found.pattern.is_linear and found.sized == (0, 1) and self._count == self._size
        if self._along == 0 and self._width is None and (is_all or self._count == self._size == 1):
            return None
        assert self.node.op is not None
        return rows_like(self.node.op.name, self._along, found.pattern, self._width, found.sized, self._count)


def rows_like(name: str, axis: int, pattern: Pattern, width: Any, sized: tuple[Any, Any], count: Any) -> Op:
    """The op that stacks `count` slices of its input, `width` wide along `axis`, which begin at a progression."""
    begins = Progression(pattern, *sized)
    rows = functools.partial(_rows, begins=begins, count=count, width=width, axis=axis)
    op = Op(name, rows, label=f"{count} iterations")
    op.recipe = Recipe(rows_like, (name, axis, pattern), (width, sized, count))
    return op


def _rows(whole: Any, begins: Progression, count: Any, width: Any, axis: int) -> Any:
    """The slices of `whole` that begin at `begins` along `axis`, stacked."""
    step = _distance(begins, count, width or 1)
    if width is not None and (step is None or step not in (width, -width)):
        places = jnp.asarray(begins.values(count))
        return jax.vmap(lambda begin: jax.lax.dynamic_slice_in_dim(whole, begin, width, axis))(places)
    if step is None:
        return jnp.moveaxis(jnp.take(whole, begins.values(count), axis, mode="clip"), axis, 0)
    low, high = (begins.first, begins.last(count)) if step > 0 else (begins.last(count), begins.first)
    part = _slice(whole, axis, low, high + (width or 1), 1 if width else abs(step))
    part = part if width is None else part.reshape(*part.shape[:axis], count, width, *part.shape[axis + 1 :])
    part = jnp.moveaxis(part, axis, 0)
    return jnp.flip(part, 0) if step < 0 else part


def _slice(whole: Any, axis: int, low: Any, high: Any, step: int) -> Any:
    begin, end, steps = [0] * whole.ndim, list(whole.shape), [1] * whole.ndim
    begin[axis], end[axis], steps[axis] = low, high, step
    return jax.lax.slice(whole, begin, end, steps)


def _distance(begins: Progression, count: Any, width: Any) -> Any | None:
    """The constant distance between consecutive `begins`; None if it varies or is 0."""
    if not is_open(count) and count == 1:
        return width
    return begins.step if begins.pattern.is_linear else None


def is_falling(places: np.ndarray) -> bool:
    """Whether `places` strictly decrease."""
    return len(places) > 1 and bool((np.diff(places) < 0).all())


def are_inside(places: np.ndarray, count: Any, last: Any) -> bool:
    """Whether the values of which `places` are the first, in `count` iterations, lie in [0, `last`] for all sizes."""
    found = Progression.of(places)
    ends = (found.first, found.last(count))
    return found.table is None and all(is_at_most(0, end) and is_at_most(end, last) for end in ends)


def would_fail(node: Node, known: dict[int, Any]) -> bool:
    """Whether the check of the step `node` fails for the `known` index inputs, where sizes are open for some sizes."""
    assert node.op is not None
    if node.op.check is None:
        return False
    inputs = [
        known.get(k, np.broadcast_to(np.zeros((), aval.dtype.as_numpy_dtype), _smallest(aval.shape)))
        for k, aval in enumerate(node.signature)
    ]
    return bool(np.any(node.op.check.flag(*inputs)))


def _smallest(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """`shape` with the smallest size for each that has symbols: an index that is inside then is always inside."""
    return tuple([0 if is_open(size) else size for size in shape])


class Write(NamedTuple):
    """A write into an array: its row in each iteration, and the slot of the value written."""

    rows: np.ndarray
    slot: int


class Hoisting:
    """Decides which parts of an iteration stay in the scan, and which are computed before or after it.

    Attributes:
      windows: by slot, the reads of loop-invariant tensors at known places.
      fixed: the slots of loop-invariant reads.
      known: by slot, the known integers and booleans that the iteration reads, one value for each iteration.
      writes: by place, the writes into an array that nothing reads.
      carried: the parts of the state that the scan carries.
      outputs: the slots that an iteration computes: the carried parts, the written values, and the `stacked` slots.
      leaves: the slots of the other leaves that it reads.
      checks: the steps whose checks may fail.
      is_backward: whether the scan runs from the last row to the first.
    """

    def __init__(self, iteration: Iteration, trip_count: TripCount, stacked: Sequence[int]) -> None:
        """`stacked` are the slots that are stacked over the iterations."""
        self._iteration = iteration
        self._values: Mapping[Any, np.ndarray] = trip_count.values
        self._count = trip_count.count
        self._results = [*iteration.after, *stacked, *iteration.block.effects]
        is_taken = trip_count.count > 0
        self.writes = {place: found for place in iteration.parts if is_taken and (found := self._writes_into(place))}
        still = iteration.counters | iteration.idle | self.writes.keys()
        self.carried = [place for place in iteration.parts if place not in still]
        written = [write.slot for writes in self.writes.values() for write in writes]
        self.outputs = [*[iteration.after[place - 1] for place in self.carried], *written, *stacked]
        windows = dict(self._find_windows()) if is_taken else {}
        fixed = self._find_fixed() if is_taken else set()
        self.checks = [
            node
            for node in iteration.block.checks
            if is_taken and node.first not in windows and node.first not in fixed and not self._cannot_fail(node)
        ]
        self._choose(windows, fixed)

    def _choose(self, windows: Mapping[int, Windows], fixed: set[int]) -> None:
        """Selects the hoistable reads whose values the iteration needs."""
        block = self._iteration.block
        steps = self._values.keys() - self._iteration.leaves.keys()
        # The scan computes these from others, rather than read a table whose length would be part of its structure.
        known = self._values.keys() - {slot for slot in steps if Progression.of(self._values[slot]).table is not None}
        wanted = [*self.outputs, *block.effects, *[slot for node in self.checks for slot in slots_of(node)]]
        plan, bounds = planned(
            block.path, {*windows, *fixed, *known}, wanted, block.graph.node.bounds, checked=self.checks
        )
        wanted += [bound.slot for bound in bounds]
        # Reads that a tape inside the block differentiates stay in the block.
        reads = {*windows, *fixed}.difference(plan.linearised)
        plan = Plan(block.path, reads | known, wanted)
        read = {slot for node in plan.steps for slot in slots_of(node)}.union(wanted)
        self.windows = {slot: found for slot, found in windows.items() if slot in reads & read}
        self.fixed = sorted(fixed & reads & read)
        self.known = {slot: found for slot, found in self._values.items() if slot in read & known}
        self.leaves = [node.first for node in plan.leaves]

    @functools.cached_property
    def is_backward(self) -> bool:
        """Whether the scan runs from the last row to the first."""
        if self._iteration.rows:
            return self._iteration.is_backward
        written = [is_falling(write.rows) for writes in self.writes.values() for write in writes]
        ways = [*written, *[found.is_backward for found in self.windows.values()]]
        return 2 * sum(ways) > len(ways)

    def _find_windows(self) -> Iterator[tuple[int, Windows]]:
        for node in self._iteration.block.path:
            if self._reads_fixed(node):
                moving = [
                    k for k, slot in enumerate(node.inputs) if type(slot) is int and slot not in self._iteration.fixed
                ]
                if len(moving) == 1 and self._is_window(node, moving[0]):
                    found = Windows(node, moving[0], self._values[node.inputs[moving[0]]], self._count)
                    if found.is_inside and found.is_small:
                        yield node.first, found

    def _find_fixed(self) -> set[int]:
        return {node.first for node in self._iteration.block.path if self._reads_fixed(node)} & self._iteration.fixed

    def _reads_fixed(self, node: Node) -> bool:
        """Whether `node` reads a slice of a loop-invariant tensor."""
        return node.op is not None and bool(node.op.windows) and node.inputs[0] in self._iteration.fixed

    def _is_window(self, node: Node, position: int) -> bool:
        assert node.op is not None
        slot = node.inputs[position]
        return position in node.op.windows and node.signature[position].ndim == 0 and slot in self._values

    def _cannot_fail(self, node: Node) -> bool:
        """Whether `node` reads or writes at known places, for which its check holds."""
        assert node.op is not None
        positions = [1] if node.op is WRITE else list(node.op.windows)
        found = {k: self._value(node.inputs[k]) for k in positions}
        known = {k: np.atleast_1d(value) for k, value in found.items() if value is not None}
        if not known or len(known) < len(found):
            return False
        if has_symbols((self._count, node.signature[0].shape)):
            return all(self._is_always_inside(node, k, places) for k, places in known.items())
        return not would_fail(node, {k: value for k, value in found.items() if value is not None})

    def _is_always_inside(self, node: Node, position: int, places: np.ndarray) -> bool:
        """Whether `node` reads or writes single elements, at `places` that exist for all sizes."""
        assert node.op is not None
        window = None if node.op is WRITE else node.op.windows[position]
        size = node.signature[0].shape[0 if window is None else window.axis]
        return (window is None or window.width is None) and are_inside(places, self._count, size - 1)

    def _value(self, reference: int | Number) -> np.ndarray | None:
        return self._iteration.block.value(reference) if isinstance(reference, Number) else self._values.get(reference)

    def _writes_into(self, place: int) -> list[Write]:
        """The writes into the array in `place`; none if the array is read, or a row is written twice."""
        slot = next((slot for slot, held in self._iteration.leaves.items() if held == place), None)
        last = self._iteration.after[place - 1]
        if slot is None or slot == last or self._readers(last) or self._results.count(last) > 1:
            return []
        found: list[Write] = []
        while slot != last:
            readers = self._readers(slot)
            if slot in self._results or len(readers) != 1 or not self._is_known_write(readers[0], slot):
                return []
            _, row, value = slots_of(readers[0])
            found.append(Write(self._values[row], value))
            slot = readers[0].first
        rows = np.concatenate([write.rows for write in found])
        return found if len(np.unique(rows)) == len(rows) else []

    def _readers(self, slot: int) -> list[Node]:
        """The steps that read `slot`."""
        return [node for node in self._iteration.block.path if slot in slots_of(node)]

    def _is_known_write(self, node: Node, array: int) -> bool:
        """Whether `node` writes into `array`, at a known row that exists."""
        if node.op is not WRITE or node.inputs[0] != array or node.inputs[2] == array:
            return False
        return node.inputs[1] in self._values and self._cannot_fail(node)
