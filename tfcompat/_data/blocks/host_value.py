"""Composite tensors as NumPy arrays: the form in which rows of them pass through a pipeline.

Threads of a pipeline compute on these; a ragged or sparse tensor is made where a user receives the element.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class HostRagged(NamedTuple):
    """A ragged tensor: its flat values, and the row splits of each ragged axis, the outermost first."""

    values: Array
    splits: tuple[Array, ...]

    @property
    def length(self) -> int:
        """The number of rows."""
        return len(self.splits[0]) - 1 if self.splits else len(self.values)

    def row(self, index: int) -> Any:
        """One row: an array where its axes are uniform, else a `HostRagged`."""
        start, stop = self.splits[0][index : index + 2]
        inner: list[Array] = []
        for splits in self.splits[1:]:
            part = splits[start : stop + 1]
            start, stop = part[0], part[-1]
            inner.append(part - start)
        values = self.values[start:stop]
        return HostRagged(values, tuple(inner)) if inner else values


def ragged(value: Any) -> HostRagged:
    """`value`, an array or a `HostRagged`, as the latter."""
    return value if isinstance(value, HostRagged) else HostRagged(value, ())


def ragged_of(array: Array, ragged_rank: int, splits_dtype: Any) -> Any:
    """An array with its first axes after the outermost written as `ragged_rank` ragged ones; itself for rank 0."""
    splits: list[Array] = []
    for axis in range(ragged_rank):
        rows = int(np.prod(array.shape[: axis + 1]))
        splits.append(np.arange(rows + 1, dtype=splits_dtype) * np.asarray(array.shape[axis + 1], splits_dtype))
    if not splits:
        return array
    flat = (
        array.reshape(-1, *array.shape[ragged_rank + 1 :])
        if array.size
        else array.reshape(int(np.prod(array.shape[: ragged_rank + 1])), *array.shape[ragged_rank + 1 :])
    )
    return HostRagged(flat, tuple(splits))


def stacked_ragged(rows: Sequence[Any], splits_dtype: Any) -> HostRagged:
    """The ragged tensor with `rows`, arrays or ragged tensors of one ragged rank."""
    parts = [ragged(row) for row in rows]
    splits = [_cumulated([part.length for part in parts], splits_dtype)]
    for axis in range(len(parts[0].splits)):
        lengths = [np.diff(part.splits[axis]) for part in parts]
        splits.append(_cumulated(np.concatenate(lengths), splits_dtype))
    return HostRagged(np.concatenate([part.values for part in parts]), tuple(splits))


def _cumulated(lengths: Any, dtype: Any) -> Array:
    splits = np.zeros(len(lengths) + 1, dtype)
    np.cumsum(lengths, out=splits[1:])
    return splits


class HostSparse(NamedTuple):
    """A sparse tensor: coordinates in row-major order, the values there, and the shape."""

    indices: Array
    values: Array
    shape: Array

    def rows(self) -> list[HostSparse]:
        """The slices along the first axis."""
        bounds = np.searchsorted(self.indices[:, 0], np.arange(int(self.shape[0]) + 1))
        return [
            HostSparse(self.indices[start:stop, 1:], self.values[start:stop], self.shape[1:])
            for start, stop in itertools.pairwise(bounds)
        ]

    def dense(self, default: Any) -> Array:
        """The dense array, with `default` where no value is stored."""
        array = np.full(tuple(self.shape), default, self.values.dtype)
        array[tuple(self.indices.T)] = self.values
        return array


class HostParts(NamedTuple):
    """A composite tensor of another class: the host values of its components."""

    parts: tuple[Any, ...]


def arrays_of(value: Any) -> list[Array]:
    """The arrays of the tensors of a component, in the order of the tensors of its type."""
    if isinstance(value, HostParts):
        return [array for part in value.parts for array in arrays_of(part)]
    if isinstance(value, HostRagged):
        return [value.values, *value.splits]
    if isinstance(value, HostSparse):
        return list(value)
    return [] if value is None else [value]


def stacked_sparse(rows: Sequence[HostSparse], shape: Sequence[int] | None = None) -> HostSparse:
    """The sparse tensor with `rows`, of the shape `shape` each, or else as large as the largest."""
    sizes = np.max([row.shape for row in rows], axis=0) if shape is None else np.asarray(shape)
    indices = [
        np.concatenate((np.full((len(row.values), 1), number, np.int64), row.indices), axis=1)
        for number, row in enumerate(rows)
    ]
    return HostSparse(
        np.concatenate(indices),
        np.concatenate([row.values for row in rows]),
        np.array([len(rows), *sizes], np.int64),
    )
