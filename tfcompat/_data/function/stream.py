"""The places of one iterator in the random streams of a function of elements, and its assignments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import finished
from tfcompat._core.system.device import to_device
from tfcompat._data.function.block_program import Draw, RowPlan
from tfcompat._random.seed import global_seed
from tfcompat._state.position import Position

Array = np.ndarray[Any, Any]


class Streams:
    """The places in random streams.

    Attributes:
      drawn: how many blocks of random numbers each stream has given.
      positions: the positions of draws in branches and loops, by number.
    """

    def __init__(self, plan: RowPlan) -> None:
        """The starts of the streams of `plan`."""
        self.drawn = [0] * len(plan.draws)
        self._inner: dict[Any, Streams] = {}
        self._saved: dict[Any, Any] = {}
        self.positions = {
            cell._number: np.asarray(cell._first()._array) for cell in plan.updates if isinstance(cell, Position)
        }

    def save(self) -> Any:
        """The places."""
        inner = self._saved | {key: one.save() for key, one in self._inner.items()}
        return list(self.drawn), dict(self.positions), inner

    def restore(self, state: Any) -> None:
        """Returns to the places that `save` returned."""
        drawn, positions, inner = state
        if len(drawn) != len(self.drawn) or not all(type(number) is int and number >= 0 for number in drawn):
            raise ValueError("the function has other random streams")
        for number, position in self.positions.items():
            if positions[number].dtype != position.dtype or positions[number].shape != position.shape:
                raise ValueError("a position in a random stream has another form")
        self.drawn, self.positions = list(drawn), dict(positions)
        self._inner, self._saved = {}, dict(inner)

    def inner(self, key: Any, plan: RowPlan) -> Streams:
        """The places in the streams of a part of the function, which `key` identifies."""
        found = self._inner.get(key)
        if found is None:
            found = self._inner[key] = Streams(plan)
            if key in self._saved:
                found.restore(self._saved.pop(key))
        return found

    def draws(self, draw: Draw, count: int, values: Mapping[str, int]) -> Array:
        """The positions in a stream for `count` calls."""
        blocks = draw.blocks(values)
        if draw.stream.is_seeded:
            key, _, number = draw.stream.first()
            start = self.drawn[draw.place]
            self.drawn[draw.place] = start + blocks * count
        elif global_seed() is None:
            key, start, number = draw.stream.reserved(blocks * count)
        else:
            return np.array([draw.stream.reserved(blocks) for _ in range(count)], np.int64)
        found = np.empty((count, 3), np.int64)
        found[:, 0], found[:, 1], found[:, 2] = key, start + blocks * np.arange(count), number
        return found

    def assign(self, cell: Any, value: Array) -> None:
        """Assigns `value` to a variable, or to a position in a random stream."""
        if isinstance(cell, Position):
            self.positions[cell._number] = value
        else:
            cell._rebind(finished(to_device(value), cell._held._aval))
