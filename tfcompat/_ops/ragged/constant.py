"""Ragged tensors from nested Python lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import constant as dense_constant
from tfcompat._core.types.dtype import int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._ops.ragged.partition import index_dtype, of_lengths
from tfcompat._ops.ragged.tensor import RaggedTensor


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """The nested list `pylist` as a ragged tensor, or as a tensor if it is a scalar or a list of scalars.

    `ragged_rank` axes (default: all but the first and those of `inner_shape`) may have rows of different lengths.

    Shapes: [rows, (ragged), ..., *inner_shape].
    Dtypes: dtype, or that of the scalars; row splits of row_splits_dtype.
    Raises: ValueError if scalars have different depths, ragged_rank and inner_shape do not fit, or row_splits_dtype is
      not int32 or int64; TypeError if a scalar cannot be converted to dtype.
    Source: TF 2.21 `tf.ragged.constant`.
    """
    del name
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"tf.ragged.constant: ragged_rank must not be negative, got {ragged_rank}.")
    depth, most = _depths(pylist)
    if not _is_sequence(pylist):
        if ragged_rank or inner_shape:
            raise ValueError(f"tf.ragged.constant: a scalar has no ragged_rank or inner_shape, got {pylist!r}.")
        return dense_constant(pylist, dtype)
    if depth is not None and most > depth:
        raise ValueError(f"tf.ragged.constant: empty lists must not be nested deeper than scalars, got {pylist!r}.")
    rank = max(most, 1 if depth is None else depth)
    if ragged_rank is not None and ragged_rank >= rank and not (depth is None and ragged_rank):
        raise ValueError(
            f"tf.ragged.constant: ragged_rank must be below the depth of pylist, {rank}, got {ragged_rank}."
        )
    inner = None if inner_shape is None else _inner_shape(inner_shape)
    if ragged_rank is None:
        ragged_rank = max(0, rank - 1 - len(inner or ()))
        inner = _default_inner_shape(pylist, ragged_rank, rank) if inner is None else inner
    elif inner is None:
        inner = _default_inner_shape(pylist, ragged_rank, rank)
    if depth is not None and ragged_rank + len(inner) + 1 != rank:
        raise ValueError(
            f"tf.ragged.constant: ragged_rank {ragged_rank} and inner_shape {inner} do not fit lists of depth {rank}."
        )
    splits_dtype = index_dtype("constant", row_splits_dtype).as_numpy_dtype if ragged_rank else None
    return _nested(pylist, dtype, ragged_rank, inner, splits_dtype)


def _nested(pylist: Any, dtype: Any, ragged_rank: int, inner: tuple[int, ...], splits_dtype: Any) -> Any:
    values = pylist
    partitions: list[Any] = []
    for _ in range(ragged_rank):
        lengths = np.array([len(row) for row in values], splits_dtype)
        partitions.append(of_lengths(lengths))
        values = [item for row in values for item in row]
    wanted = (len(values), *inner)
    if not len(values) and dtype is None:
        return RaggedTensor._of(dense_constant(np.zeros(wanted, np.float32)), partitions)
    flat = dense_constant(_listed(values), dtype, wanted) if values or dtype is not None else dense_constant([], dtype)
    return RaggedTensor._of(flat, partitions)


def _listed(values: Any) -> Any:
    """Arrays in a list converted to lists, since their elements may be of several kinds."""
    return values if isinstance(values, np.ndarray) else list(values)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _depths(value: Any) -> tuple[int | None, int]:
    """The depth of the scalars (None without scalars), and the depth of the lists."""
    if not _is_sequence(value):
        return 0, 0
    if isinstance(value, np.ndarray) and value.dtype != object:
        return (value.ndim if value.size else None), value.ndim
    found = [_depths(item) for item in value]
    depths = {depth for depth, _ in found if depth is not None}
    if len(depths) > 1:
        raise ValueError("tf.ragged.constant: all scalar values must have the same nesting depth.")
    return (depths.pop() + 1 if depths else None), max((most for _, most in found), default=0) + 1


def _inner_shape(inner_shape: Any) -> tuple[int, ...]:
    sizes: Any = inner_shape.as_list() if isinstance(inner_shape, TensorShape) else inner_shape
    return tuple(map(int, sizes)) if isinstance(sizes, list | tuple) else (int(sizes),)


def _default_inner_shape(pylist: Any, ragged_rank: int, rank: int) -> tuple[int, ...]:
    """The shape of the values below `ragged_rank` axes. Raises ValueError if their shapes differ."""
    values = list(pylist)
    for _ in range(ragged_rank):
        values = [item for row in values for item in row]
    dims: list[int] = []
    while values and _is_sequence(values[0]):
        sizes = {len(item) if _is_sequence(item) else -1 for item in values}
        if len(sizes) > 1:
            raise ValueError(f"tf.ragged.constant: inner values have inconsistent shape in {pylist!r}.")
        dims.append(sizes.pop())
        values = [item for row in values for item in row]
    return tuple(dims) if dims or rank <= ragged_rank + 1 else (0,) * (rank - ragged_rank - 1)
