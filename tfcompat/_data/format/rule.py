"""Rules for the features to be parsed, and the NumPy arrays that they make of columns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tfcompat._data.format.value_list import Kind


class Column(NamedTuple):
    """The values of a feature in several examples.

    Attributes:
      values: the values of all examples.
      lengths: how many of them each example has.
      present: which examples have the feature.
    """

    values: np.ndarray
    lengths: np.ndarray
    present: np.ndarray


class SparseValue(NamedTuple):
    """The parts of a sparse tensor."""

    indices: np.ndarray
    values: np.ndarray
    dense_shape: np.ndarray


class RaggedValue(NamedTuple):
    """The parts of a ragged tensor; no splits for a vector, several for several ragged axes, the outermost first."""

    values: np.ndarray
    splits: tuple[np.ndarray, ...]


class Dense(NamedTuple):
    """A feature of a fixed shape. Without a default, each example must have it."""

    key: str
    kind: Kind
    shape: tuple[int, ...]
    default: np.ndarray | None

    @property
    def total(self) -> int:
        """The number of values in an example."""
        return math.prod(self.shape)

    def accepts(self, column: Column) -> bool:
        """Whether the column has the number of values that each example must have."""
        if self.default is None and not column.present.all():
            return False
        return bool((column.lengths[column.present] == self.total).all())

    def batch(self, column: Column) -> Any:
        """The values of several examples."""
        if column.present.all():
            return column.values.reshape(-1, *self.shape)
        found = np.empty((len(column.lengths), self.total), column.values.dtype)
        found[column.present] = column.values.reshape(-1, self.total)
        found[~column.present] = self.default
        return found.reshape(-1, *self.shape)

    def single(self, column: Column) -> Any:
        """The values of one example."""
        return self.batch(column).reshape(self.shape)


class Padded(NamedTuple):
    """A feature of any number of blocks of `shape`, which `padding` extends to the largest number in a batch."""

    key: str
    kind: Kind
    shape: tuple[int, ...]
    padding: Any
    may_be_missing: bool

    @property
    def total(self) -> int:
        """The number of values in a block."""
        return math.prod(self.shape)

    def accepts(self, column: Column) -> bool:
        """Whether each example has whole blocks."""
        return not column.lengths.any() or bool(self.total and not (column.lengths % self.total).any())

    def batch(self, column: Column) -> Any:
        """The values of several examples."""
        most = int(column.lengths.max(initial=0))
        found = np.full((len(column.lengths), most), self.padding, column.values.dtype)
        found[np.arange(most) < column.lengths[:, None]] = column.values
        return found.reshape(len(column.lengths), self._blocks(most), *self.shape)

    def single(self, column: Column) -> Any:
        """The values of one example."""
        return column.values.reshape(self._blocks(len(column.values)), *self.shape)

    def _blocks(self, size: int) -> int:
        return size // self.total if self.total else 0


class Sparse(NamedTuple):
    """A feature of any number of values, in a sparse tensor."""

    key: str
    kind: Kind

    def accepts(self, column: Column) -> bool:
        """True: any number of values is possible."""
        del column
        return True

    def batch(self, column: Column) -> Any:
        """The values of several examples."""
        lengths = column.lengths
        rows = np.repeat(np.arange(len(lengths)), lengths)
        starts = np.cumsum(lengths) - lengths
        places = np.arange(len(column.values)) - np.repeat(starts, lengths)
        shape = np.array([len(lengths), lengths.max(initial=0)], np.int64)
        return SparseValue(np.stack([rows, places], 1), column.values, shape)

    def single(self, column: Column) -> Any:
        """The values of one example."""
        places = np.arange(len(column.values))[:, None]
        return SparseValue(places, column.values, np.array([len(column.values)], np.int64))


class Ragged(NamedTuple):
    """A feature of any number of values, in a ragged tensor whose splits have the dtype `splits`."""

    key: str
    kind: Kind
    splits: Any

    def accepts(self, column: Column) -> bool:
        """True: any number of values is possible."""
        del column
        return True

    def batch(self, column: Column) -> Any:
        """The values of several examples."""
        return RaggedValue(column.values, (splits_of(column.lengths, self.splits),))

    def single(self, column: Column) -> Any:
        """The values of one example."""
        return RaggedValue(column.values, ())


Rule = Dense | Padded | Sparse | Ragged


def splits_of(lengths: np.ndarray, dtype: Any) -> np.ndarray:
    """The limits of rows of `lengths`."""
    found = np.zeros(len(lengths) + 1, dtype)
    np.cumsum(lengths, out=found[1:])
    return found
