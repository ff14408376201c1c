"""Conversion between rows of different lengths and a padded dense tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Shape, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INDEX, MOVABLE, DType, bool_, int64, string
from tfcompat._core.types.shape import TensorShape
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.known import known
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.ragged.partition import Partition, from_row_lengths, of_uniform, spans

_TO = "tf.RaggedTensor.to_tensor"
_FROM = "tf.RaggedTensor.from_tensor"
_FILLED = ("values", "default_value")


def padded(flat: Tensor, partitions: Sequence[Partition], default_value: Any, shape: Any) -> Tensor:
    """The rows as a dense tensor, truncated or padded to `shape`; sizes not given there are as large as needed.

    Raises: InvalidArgumentError if the shape or the default value does not fit.
    """
    default = convert_to_tensor(_zero(flat.dtype) if default_value is None else default_value, flat.dtype)
    dims = _dimensions(flat, partitions, shape)
    inner = flat._aval.shape[1:]
    try:
        is_fitting = broadcast_shapes(default._aval.shape, inner) == inner
    except ValueError:
        is_fitting = False
    if not is_fitting:
        raise InvalidArgumentError.of(
            f"{_TO}: default_value must broadcast to a value of shape {inner}, got shape {default._aval.shape}."
        )
    return _padded(flat, default, [partition.splits for partition in partitions], dims)


def partly_known(shape: Any) -> TensorShape:
    """The shape that the argument `shape` of `to_tensor` gives, which is not a tensor."""
    sizes = TensorShape(shape)
    return sizes if sizes.rank is None else TensorShape([None if size == -1 else size for size in sizes])


def _zero(dtype: DType) -> Any:
    return b"" if dtype is string else False if dtype is bool_ else 0


def _dimensions(flat: Tensor, partitions: Sequence[Partition], shape: Any) -> tuple[int, ...]:
    """The shape of the dense tensor, which `shape` may give partly."""
    inner = flat._aval.shape[1:]
    rank = 1 + len(partitions) + len(inner)
    if isinstance(shape, Tensor):
        shape = [None if size < 0 else size for size in known(shape, _TO).reshape(-1).tolist()]
        shape = shape if shape != [None] or rank == 1 else None
    wanted = partly_known(shape)
    dims: list[int | None] = [None] * rank if wanted.rank is None else wanted.as_list()
    is_fitting = len(dims) == rank and TensorShape(dims[rank - len(inner) :]).is_compatible_with(inner)
    if not is_fitting:
        raise InvalidArgumentError.of(
            f"{_TO}: shape must have rank {rank} and end in {inner}, as that of the ragged tensor does, got {wanted}."
        )
    if dims[0] is None:
        dims[0] = partitions[0].nrows
    for k, partition in enumerate(partitions, 1):
        if dims[k] is None:
            dims[k] = partition.longest(_TO)
    return tuple(size for size in (*dims[: rank - len(inner)], *inner) if size is not None)


@op("RaggedTensor.to_tensor", dtypes={"values": MOVABLE, "default_value": MOVABLE, "splits": INDEX}, same=_FILLED)
def _padded(values: Array, default_value: Array, splits: Arrays, shape: Shape) -> Array:
    """Each cell of the dense tensor looks up its own value, or takes the default."""
    outer, inner = shape[: len(splits) + 1], shape[len(splits) + 1 :]
    place = jnp.arange(outer[0])
    is_held = place < splits[0].shape[0] - 1
    for size, cut in zip(outer[1:], splits, strict=True):
        row = jnp.clip(place, 0, max(cut.shape[0] - 2, 0))[..., None]
        begin, end = (cut[row], cut[row + 1]) if cut.shape[0] > 1 else (cut[0], cut[0])
        column = jnp.arange(size)
        is_held = is_held[..., None] & (begin + column < end)
        place = begin + column
    if values.shape[0] == 0:
        return jnp.broadcast_to(default_value, shape)
    found = values[jnp.clip(place, 0, values.shape[0] - 1)]
    return jnp.where(is_held.reshape(*outer, *(1,) * len(inner)), found, default_value)


def unpadded(
    tensor: Tensor, lengths: Any, padding: Any, ragged_rank: int, dtype: DType
) -> tuple[Tensor, list[Partition]]:
    """The values of `tensor` and their rows: whole, of `lengths`, or without the `padding` at their ends.

    Raises: ValueError as `tf.RaggedTensor.from_tensor`.
    """
    if lengths is not None and padding is not None:
        raise ValueError(f"{_FROM}: lengths and padding must not both be given.")
    if ragged_rank <= 0:
        raise ValueError(f"{_FROM}: ragged_rank must be greater than 0, got {ragged_rank}.")
    if tensor.ndim < 2:
        raise ValueError(f"{_FROM}: the rank of tensor must be greater than 1, got shape {tensor.shape}.")
    tensor.shape.with_rank_at_least(ragged_rank + 1)
    if isinstance(lengths, (list, tuple)) and lengths and not all(isinstance(one, int) for one in lengths):
        return _nested(tensor, list(lengths), dtype)
    outer = tensor._aval.shape[: ragged_rank + 1]
    partitions = [of_uniform(outer[k + 1], int(np.prod(outer[: k + 1])), dtype) for k in range(ragged_rank)]
    flat = _merged(tensor, ragged_rank + 1)
    if lengths is None and padding is None:
        return flat, partitions
    rows = _row_lengths(lengths, dtype) if padding is None else _lengths_without(tensor, padding, ragged_rank, dtype)
    if rows.shape != (partitions[-1].nrows,):
        raise ValueError(f"{_FROM}: lengths must be one for each of {partitions[-1].nrows} rows, got {rows.shape}.")
    return _cut(flat, np.clip(rows, 0, outer[-1]), outer[-1], partitions)


def _merged(tensor: Tensor, count: int) -> Tensor:
    """`tensor` with the first `count` axes merged into one."""
    outer, inner = tensor._aval.shape[:count], tensor._aval.shape[count:]
    wanted = (int(np.prod(outer)), *inner)
    return reshape(tensor, wanted)


def _cut(flat: Tensor, rows: np.ndarray, width: int, partitions: list[Partition]) -> tuple[Tensor, list[Partition]]:
    """The first `rows[k]` values of each row of `width`."""
    places = spans(np.arange(rows.size, dtype=rows.dtype) * width, rows)
    return gather(flat, Tensor(places)), [*partitions[:-1], from_row_lengths(rows, False)]


def _row_lengths(lengths: Any, dtype: DType) -> np.ndarray:
    return known(convert_to_tensor(lengths, dtype_hint=int64), _FROM).astype(dtype.as_numpy_dtype)


def _nested(tensor: Tensor, lengths: list[Any], dtype: DType) -> tuple[Tensor, list[Partition]]:
    """The rows of a tensor with lengths for each of several axes."""
    partitions: list[Partition] = []
    flat = tensor
    for one in lengths:
        width = flat._aval.shape[1]
        rows = _row_lengths(one, dtype)
        merged = _merged(flat, 2)
        flat, cut = _cut(merged, np.clip(rows, 0, width), width, [of_uniform(width, rows.size, dtype)])
        partitions += cut
    return flat, partitions


def _lengths_without(tensor: Tensor, padding: Any, ragged_rank: int, dtype: DType) -> np.ndarray:
    """The length of each row without the padding at its end."""
    value = convert_to_tensor(padding, tensor.dtype)
    inner = tensor._aval.shape[ragged_rank + 1 :]
    if value._aval.shape != inner:
        raise ValueError(f"{_FROM}: Shapes {value._aval.shape} and {inner} are incompatible: padding is one value.")
    outer = tensor._aval.shape[: ragged_rank + 1]
    is_kept = known(tensor, _FROM) != np.asarray(value)
    is_kept = is_kept.reshape(math.prod(outer[:-1]), outer[-1], math.prod(inner)).any(-1)
    last = outer[-1] - np.argmax(is_kept[:, ::-1], 1) if outer[-1] else np.zeros(is_kept.shape[0], int)
    return np.where(is_kept.any(1), last, 0).astype(dtype.as_numpy_dtype)
