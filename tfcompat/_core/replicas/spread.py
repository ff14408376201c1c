"""Computes the replicas of a recording on several devices, as one program that each device runs for its replica.

A value is shared or own: the same in all replicas, or one for each. This follows from the leaves: an array that
all replicas have is shared, and so are the results of steps that read only shared values, and sums over the replicas.
There is a program for each combination of shared and own leaves.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.config import settings
from tfcompat._core.counter import counts
from tfcompat._core.replicas.body import Body, Layout, Source, slot_of
from tfcompat._core.replicas.folding import Part
from tfcompat._core.replicas.placement import placement_on, use

# Held while a program with sums over devices starts: on a CPU, two of them must not run at the same time.
_starting = threading.Lock()
# The buffers of smaller variables are not donated, in accordance with `Recording.smallest`.
_SMALL_BUFFER = 4096
NO_POSITIONS: frozenset[int] = frozenset()


class Spread:
    """The function that a program runs if replicas are computed on several devices."""

    def __init__(self, body: Body, *, has_floats: bool, has_ints: bool) -> None:
        self._body = body
        self._place = placement_on(body.devices)
        self._has_numbers = {"has_floats": has_floats, "has_ints": has_ints}
        self._is_serial = body.devices[0].platform == "cpu"
        self._differing = frozenset(slot for slot, source in body.sources.items() if source == Source())
        self._layouts: dict[frozenset[int], Layout] = {}
        self._functions: dict[tuple[frozenset[int], tuple[int, ...]], Callable[..., Any]] = {}
        self._vectors: dict[int, tuple[bytes, Any]] = {}

    def __call__(self, *args: Any, taken: frozenset[int] = NO_POSITIONS) -> list[Any]:
        """The arrays of the outputs, and the flags if there are checks, for the numbers and arrays of the program.

        It may take the buffers of the arrays at the positions `taken`.
        """
        use.has_begun = True
        counts.spread += 1
        count = sum(self._has_numbers.values())
        numbers, arrays = [np.asarray(vector) for vector in args[:count]], args[count:]
        layout, place = self._layout(numbers, arrays), self._place
        given = [self._vector(k, vector) for k, vector in enumerate(numbers)]
        old, donated = self._body.old_values(layout), []
        for number, leaf in enumerate(self._body.leaves):
            positions = self._body.arguments[leaf]
            own = [arrays[position] for position in positions]
            if leaf in layout.differing:
                given.append(place.own(own))
            elif (
                number in old
                and own[0].nbytes >= _SMALL_BUFFER
                and (not place.is_common(own[0]) or taken.issuperset(positions))
            ):
                given.append(place.fresh(own[0]))
                donated.append(number)
            else:
                given.append(place.common(own[0]))
        function = self._function(layout, _used_once(donated, given, len(numbers)))
        with _starting:
            if self._is_serial:
                jax.block_until_ready(place.latest)
            results, flags, place.latest = function(*given)
        if settings.is_checking:
            self._require_shared(layout, results)
        return self._unpacked(layout, results, flags)

    def _require_shared(self, layout: Layout, results: Sequence[Any]) -> None:
        """Raises AssertionError if the devices have computed different values for one that all replicas share."""
        for slot, result in zip(self._body.outputs, results, strict=True):
            if slot not in layout.own and not self._place.is_equal_everywhere(result):
                raise AssertionError(f"replicas differ in a value that they share: {self._body.described(slot)}")

    def _unpacked(self, layout: Layout, results: Sequence[Any], flags: Any) -> list[Any]:
        """The arrays for the tensors of the program."""
        found: dict[int, Any] = {}
        for slot, result in zip(self._body.outputs, results, strict=True):
            is_whole = slot in layout.own and not isinstance(result, list)
            found[slot] = self._place.parts(result) if is_whole else result
        answers: list[Any] = []
        for result in self._body.results:
            value = found[slot_of(result)]
            answers.append(value[result.replica] if isinstance(result, Part) and isinstance(value, list) else value)
        return answers if flags is None else [*answers, flags]

    def _layout(self, numbers: Sequence[Any], arrays: Sequence[Any]) -> Layout:
        """The layout of the values. What differed once is never regarded as shared again."""
        new = [
            slot
            for slot, source in self._body.sources.items()
            if slot not in self._differing and not self._are_equal(source, numbers, arrays)
        ]
        if new:
            self._differing |= frozenset(new)
        found = self._layouts.get(self._differing)
        if found is None:
            found = self._layouts[self._differing] = self._body.layout(self._differing)
            self._differing = found.differing
            self._layouts[self._differing] = found
        return found

    def _function(self, layout: Layout, donated: tuple[int, ...]) -> Callable[..., Any]:
        """The compiled function that takes the buffers of the leaves `donated`."""
        key = layout.differing, donated
        found = self._functions.get(key)
        if found is None:
            made = self._body.compiled(layout, self._place, donated, **self._has_numbers)
            found = self._functions[key] = made
        return found

    def _are_equal(self, source: Source, numbers: Sequence[Any], arrays: Sequence[Any]) -> bool:
        """Whether all replicas read the same values from `source`."""
        if source.numbers:
            floats, ints = numbers[0], numbers[-1]
            own = {number.of(floats, ints).tobytes() for number in source.numbers}
            return len(own) == 1
        first, *others = [arrays[position] for position in source.positions]
        if all(array is first for array in others):
            return True
        return self._place.are_equal([first, *others])

    def _vector(self, k: int, vector: Any) -> Any:
        """The vector of numbers with index `k` on all devices."""
        key = vector.tobytes()
        known = self._vectors.get(k)
        if known is None or known[0] != key:
            known = self._vectors[k] = key, self._place.common(vector)
        return known[1]


def _used_once(donated: Sequence[int], given: Sequence[Any], first: int) -> tuple[int, ...]:
    """Those of the leaves `donated` whose array no other argument is; the leaves are the arguments from `first` on.

    A variable that replicas change may be read for all of them, too.
    """
    uses = Counter(map(id, given)) if donated else {}
    return tuple([number for number in donated if uses[id(given[first + number])] == 1])
