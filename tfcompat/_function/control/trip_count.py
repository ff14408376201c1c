"""The trip count of a loop: how many iterations there are, and the values that are known in each of them.

NumPy evaluates many iterations at once, as if the counters of the loop continued with the same steps, and keeps those
for which that was right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfcompat._core.types.dtype import INDEX
from tfcompat._function.control.iteration import Iteration, slots_of
from tfcompat._function.control.progression import Progression

# A loop with a condition that runs longer becomes a while loop: a scan keeps values of each iteration for the gradient.
MOST_ITERATIONS = 1 << 16
# The number of iterations of a loop of open length that are evaluated, beyond the number of parts of its state.
_MORE = 6
# Ops whose result is linear in their inputs.
_SUMS = frozenset(("add", "subtract", "negative", "identity", "read"))
_WIDER = 4

# From the values of the places in several iterations at once: whether the condition holds in each.
GoesOn = Callable[[Mapping[int, Any]], Any]


@dataclass
class TripCount:
    """A known number of iterations.

    Attributes:
      count: the number; it may have symbols.
      values: the values of the slots of `Iteration.counted`, each with an element for each iteration.
      final: the values of `Iteration.counters` after the last iteration, by place.
    """

    count: Any
    values: dict[int, np.ndarray]
    final: dict[int, Any]


def trip_count_of(iteration: Iteration, goes_on: GoesOn | None, most: int | None) -> TripCount | None:
    """The trip count of a loop of at most `most` iterations; None if its condition allows over `MOST_ITERATIONS`."""
    walk = _Walk(iteration, goes_on)
    length = 1
    while not walk.is_over and (most is None or walk.count < most):
        if goes_on is not None and walk.count > MOST_ITERATIONS:
            return None
        length = min(length, MOST_ITERATIONS if most is None else most - walk.count)
        length = _WIDER * length if walk.evaluate(length) == length else 1
    is_long = goes_on is not None and walk.count > MOST_ITERATIONS
    return None if is_long else TripCount(walk.count, walk.values(), walk.state)


def open_trip_count(iteration: Iteration, count: Any) -> TripCount:
    """The trip count `count`, which has symbols. The known values are those of the first few iterations.

    Only values that are equal in all iterations, or linear in their number, are known. They are computed by sums and
    constant factors alone. A sequence that the parts of the state compute in this way, and that is linear in more
    iterations than there are parts, is linear in all of them.
    """
    length = len(iteration.parts) + _MORE
    while True:
        sample = trip_count_of(iteration, None, length)
        assert sample is not None
        affine = _affine_slots(iteration)
        values = {
            slot: found
            for slot, found in sample.values.items()
            if slot in affine and Progression.of(found).table is None
        }
        carried = {place for place in iteration.counters if not _stays_known(iteration, place, values)}
        if not carried:
            break
        iteration.carry(carried)
    final = {place: _after(iteration.known(place), last, length, count) for place, last in sample.final.items()}
    return TripCount(count, values, final)


def _affine_slots(iteration: Iteration) -> set[int]:
    """The slots that are sums, with constant factors, of the iteration's number, the counters and constants."""
    varying = {slot for slot, place in iteration.leaves.items() if place == 0 or place in iteration.counters}
    parts = {*iteration.parts, *iteration.rows}
    constant = {slot for slot, place in iteration.leaves.items() if place not in parts and place != 0}
    for node in iteration.block.path:
        slots = slots_of(node)
        if node.op is None or not (varying | constant).issuperset(slots):
            if node.op is None and node.inputs:
                constant.add(node.first)
            continue
        count = sum(slot in varying for slot in slots)
        if not count:
            constant.update(range(node.first, node.slot))
        elif node.op.name == "cast":
            if node.aval.dtype in INDEX:
                varying.add(node.first)
        elif node.op.name in _SUMS or (node.op.name == "multiply" and count == 1):
            varying.add(node.first)
    return varying | constant


def _stays_known(iteration: Iteration, place: int, values: Mapping[int, np.ndarray]) -> bool:
    """Whether the part of the state in `place` is known before and after each iteration."""
    slots = [slot for slot, held in iteration.leaves.items() if held == place]
    return iteration.after[place - 1] in values and all(slot in values for slot in slots)


def _after(first: Any, last: Any, length: int, count: Any) -> Any:
    """The value of a counter after `count` iterations, from its initial value and that after `length` iterations."""
    if last.dtype == bool:
        return last
    return int(first) + (int(last) - int(first)) // length * count


class _Walk:
    """Evaluates iterations in NumPy, several at once. It predicts that the counters continue with the same steps.

    Attributes:
      count: the number of iterations evaluated so far.
      state: the values of the counters then, by place.
      is_over: whether the condition has failed.
    """

    def __init__(self, iteration: Iteration, goes_on: GoesOn | None) -> None:
        self.count = 0
        self.state: dict[int, Any] = {place: iteration.known(place) for place in iteration.counters}
        self.is_over = False
        self._iteration = iteration
        self._goes_on = goes_on
        self._drift: dict[int, Any] = dict.fromkeys(self.state, 0)
        self._found: list[dict[int, np.ndarray]] = []

    def evaluate(self, length: int) -> int:
        """Evaluates the next `length` iterations; returns how many of them take place as predicted."""
        ahead = self._ahead(length)
        with np.errstate(all="ignore"):
            found = self._iteration.counted.values(
                {slot: ahead[place] for slot, place in self._iteration.leaves.items() if place in ahead}
            )
            going = length if self._goes_on is None else _prefix(np.broadcast_to(self._goes_on(ahead), length))
        values = {slot: np.broadcast_to(found[slot], length) for slot in self._iteration.counted.slots}
        after = {place: values[self._iteration.after[place - 1]] for place in self.state}
        right = 1 + min([_prefix(after[place][:-1] == ahead[place][1:]) for place in after], default=length - 1)
        self.is_over = going < right
        taken = min(going, right)
        if taken:
            self._found.append({slot: value[:taken] for slot, value in values.items()})
            self._go_on({place: (ahead[place][taken - 1], value[taken - 1]) for place, value in after.items()})
        self.count += taken
        return taken

    def _go_on(self, last: dict[int, tuple[Any, Any]]) -> None:
        """Updates the counters from their values before and after the last iteration."""
        with np.errstate(all="ignore"):
            for place, (before, after) in last.items():
                self.state[place] = after
                self._drift[place] = 0 if after.dtype == bool else after - before

    def values(self) -> dict[int, np.ndarray]:
        """The values of the known slots in all iterations."""
        none = {
            slot: np.zeros(0, self._iteration.avals[slot].dtype.as_numpy_dtype)
            for slot in self._iteration.counted.slots
        }
        return {slot: np.concatenate([part[slot] for part in (none, *self._found)]) for slot in none}

    def _ahead(self, length: int) -> dict[int, Any]:
        """The predicted values of the places in the next iterations."""
        iterations = np.arange(length)
        ahead: dict[int, Any] = {0: (iterations + self.count).astype(np.int32)}
        for place in set(self._iteration.leaves.values()).difference(ahead, self.state, self._iteration.parts):
            value = self._iteration.known(place)
            if value is not None:
                ahead[place] = value[self.count : self.count + length] if place in self._iteration.rows else value
        for place, value in self.state.items():
            drift = self._drift[place]
            ahead[place] = value + drift * iterations.astype(value.dtype) if drift else np.full(length, value)
        return ahead


def _prefix(holds: np.ndarray) -> int:
    """The number of leading true elements."""
    return len(holds) if holds.all() else int(holds.argmin())
