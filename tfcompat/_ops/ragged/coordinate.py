"""Conversion between rows and the coordinates of sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.array.known import known
from tfcompat._ops.ragged.partition import Partition
from tfcompat._ops.sparse.tensor import SparseTensor

_TO = "tf.RaggedTensor.to_sparse"
_FROM = "tf.RaggedTensor.from_sparse"


def coordinates(partitions: Sequence[Partition], shape: tuple[int, ...]) -> np.ndarray:
    """The coordinates of flat values of `shape`, partitioned by `partitions`: one row for each element."""
    places = np.arange(shape[0], dtype=np.int64)
    columns: list[np.ndarray] = []
    for rows in reversed(partitions):
        splits = rows.host(_TO).astype(np.int64)
        owner = np.repeat(np.arange(rows.nrows), np.diff(splits))
        columns.insert(0, (np.arange(owner.size) - splits[owner])[places])
        places = owner[places]
    outer = np.stack([places, *columns], 1)
    if len(shape) == 1:
        return outer
    inner = np.indices(shape[1:], np.int64).reshape(len(shape) - 1, -1).T
    return np.concatenate([np.repeat(outer, len(inner), 0), np.tile(inner, (len(outer), 1))], 1)


def ragged_rows(sparse: Any) -> tuple[np.ndarray, int]:
    """The row of each value of a sparse matrix, and the number of rows.

    Raises: as `require_matrix`; InvalidArgumentError if its rows have gaps.
    """
    require_matrix(sparse)
    indices = known(sparse.indices, _FROM)
    rows, columns = indices[:, 0], indices[:, 1]
    is_new = np.append(True, (np.diff(rows) != 0)) if rows.size else np.zeros(0, bool)
    expected = np.where(is_new, 0, np.append(0, columns[:-1] + 1) if rows.size else columns)
    if (columns != expected).any():
        raise InvalidArgumentError.of(
            f"{_FROM}: SparseTensor is not right-ragged: a cell is left out before another; indices are "
            f"{indices.tolist()}."
        )
    return rows, int(known(sparse.dense_shape, _FROM)[0])


def require_matrix(sparse: Any) -> None:
    """Raises TypeError if `sparse` is not a sparse tensor; ValueError if it is not a matrix."""
    if not isinstance(sparse, SparseTensor):
        raise TypeError(f"{_FROM}: st_input must be a SparseTensor, got {type(sparse).__name__}.")
    if sparse.shape.rank != 2:
        raise ValueError(f"{_FROM}: st_input must have rank 2, got {sparse.shape.rank}.")
