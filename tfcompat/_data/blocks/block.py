"""Blocks: some consecutive elements of a dataset, as one column for each component.

A column is an array whose first axis counts the elements, if they have one shape; otherwise, and for components that
are not dense tensors, a list with one entry for each element. Blocks are never changed: their parts are views.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Column = np.ndarray[Any, Any] | list[Any]


class Block:
    """`count` elements.

    Attributes:
      columns: a column for each component.
      count: the number of elements, at least 1.
    """

    __slots__ = ("columns", "count")

    def __init__(self, columns: tuple[Column, ...], count: int) -> None:
        self.columns = columns
        self.count = count

    def part(self, start: int, stop: int) -> Block:
        """The elements from `start` up to `stop`."""
        if start == 0 and stop >= self.count:
            return self
        stop = min(stop, self.count)
        return Block(tuple([column[start:stop] for column in self.columns]), stop - start)

    def every(self, step: int, start: int) -> Block:
        """Each `step`-th element, beginning with the one at `start`, which exists."""
        return Block(tuple([column[start::step] for column in self.columns]), len(range(start, self.count, step)))

    def gathered(self, places: np.ndarray[Any, Any]) -> Block:
        """The elements at `places`, of which there is at least one."""
        return Block(tuple([gathered(column, places) for column in self.columns]), len(places))

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes."""
        return sum(_nbytes(column) for column in self.columns)


def gathered(column: Column, places: np.ndarray[Any, Any]) -> Column:
    """The entries of `column` at `places`."""
    if isinstance(column, np.ndarray):
        return column.take(places, axis=0)
    return [column[place] for place in places.tolist()]


def entries(column: Column) -> list[Any]:
    """The elements of a column, one by one; arrays of rank 0 for numbers."""
    if isinstance(column, np.ndarray):
        return [column[place, ...] for place in range(len(column))]
    return column


def joined(blocks: Sequence[Block]) -> Block:
    """The elements of all `blocks`, of which there is at least one."""
    if len(blocks) == 1:
        return blocks[0]
    columns = zip(*[block.columns for block in blocks], strict=True)
    return Block(tuple([_joined(parts) for parts in columns]), sum(block.count for block in blocks))


def _joined(parts: tuple[Column, ...]) -> Column:
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    if len(arrays) == len(parts) and all(part.shape[1:] == arrays[0].shape[1:] for part in arrays):
        return np.concatenate(arrays)
    return [entry for part in parts for entry in entries(part)]


def column_of(rows: Sequence[Any]) -> Column:
    """The column with the entries `rows`: an array if they are arrays of one shape."""
    first = rows[0]
    if isinstance(first, np.ndarray) and all(type(row) is np.ndarray and row.shape == first.shape for row in rows):
        return np.stack(rows) if len(rows) > 1 else first[np.newaxis]
    return list(rows)


def _nbytes(column: Column) -> int:
    if isinstance(column, np.ndarray):
        return column.nbytes
    return sum(getattr(entry, "nbytes", 64) for entry in column)
