"""Joining ragged tensors along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.dispatch import register
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import int32, int64
from tfcompat._ops.array import joining
from tfcompat._ops.array.known import known
from tfcompat._ops.fold import segment
from tfcompat._ops.ragged.broadcasting import require_one_dtype
from tfcompat._ops.ragged.construction import count
from tfcompat._ops.ragged.layout import axis_of, expand_dims
from tfcompat._ops.ragged.partition import Partition, of_lengths
from tfcompat._ops.ragged.subscript import taken
from tfcompat._ops.ragged.tensor import RaggedTensor


def held(value: Any) -> Any:
    """`value` as a tensor, unless it is a ragged tensor."""
    return value if isinstance(value, RaggedTensor) else convert_to_tensor(value)


def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Concatenates the tensors and ragged tensors of the list `values` along `axis`."""
    del name
    if isinstance(values, RaggedTensor):
        values = [values]
    parts = [held(value) for value in values]
    if len(parts) == 1:
        return parts[0]
    rank = len(parts[0].shape)
    along = axis_of("tf.concat", axis, rank)
    for part in parts:
        part.shape.with_rank(rank)
    ragged = [part for part in parts if isinstance(part, RaggedTensor)]
    require_one_dtype(ragged)
    dtype = ragged[0].row_splits.dtype
    depth = max(part.ragged_rank for part in ragged)
    return _joined([_ragged(part, depth, dtype) for part in parts], along)


def _ragged(value: Any, depth: int, dtype: Any) -> Any:
    """A tensor or ragged tensor with `depth` partitioned axes, or as many as it has axes for."""
    flat = value.flat_values if isinstance(value, RaggedTensor) else value
    own = value._partitions() if isinstance(value, RaggedTensor) else []
    missing = min(depth - len(own), flat.ndim - 1)
    if missing <= 0:
        return value
    return RaggedTensor._of(RaggedTensor.from_tensor(flat, ragged_rank=missing, row_splits_dtype=dtype), own)


def _joined(parts: Sequence[Any], axis: int) -> Any:
    if not all(isinstance(part, RaggedTensor) for part in parts):
        return joining.concat(parts, axis)
    if axis == 0:
        return _below(parts)
    if axis == 1:
        return _beside(parts)
    _require_same_rows(parts)
    return parts[0].with_values(_joined([part.values for part in parts], axis - 1))


def _require_same_rows(parts: Sequence[RaggedTensor]) -> None:
    first = parts[0]._row_partition
    for part in parts[1:]:
        rows = part._row_partition
        if rows is not first and not np.array_equal(rows.host("tf.concat"), first.host("tf.concat")):
            raise InvalidArgumentError.of(
                "tf.concat: Inputs must have identical ragged splits in the axes before the one along which they join."
            )


def _below(parts: Sequence[RaggedTensor]) -> RaggedTensor:
    """Concatenates along the axis of rows."""
    splits = [part._row_partition.host("tf.concat") for part in parts]
    ends = np.cumsum([0, *(part[-1] for part in splits)], dtype=splits[0].dtype)
    shifted = [splits[0], *(part[1:] + end for part, end in zip(splits[1:], ends[1:], strict=False))]
    values = _joined([part.values for part in parts], 0)
    return RaggedTensor(values, Partition(Tensor(np.concatenate(shifted))), internal=True)


def _beside(parts: Sequence[RaggedTensor]) -> RaggedTensor:
    """Concatenates the rows of the same index of all parts."""
    nrows = parts[0]._row_partition.nrows
    if any(part._row_partition.nrows != nrows for part in parts):
        counts = ", ".join(str(part._row_partition.nrows) for part in parts)
        raise InvalidArgumentError.of(f"tf.concat: the number of rows must be the same, got {counts}.")
    order = np.arange(nrows * len(parts)).reshape(len(parts), nrows).T.reshape(-1)
    mixed = taken(_below(parts), order)
    rows = mixed._row_partition.host("tf.concat")[:: len(parts)]
    return RaggedTensor(mixed.values, Partition(Tensor(rows.copy())), internal=True)


def stack(values: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Stacks the tensors and ragged tensors of the list `values` along a new axis at `axis`.

    Their sizes may differ: the result is ragged, unless they are scalars or the new axis is the last one.

    Shapes: n times [*dims] -> dims with n at position axis.
    Dtypes: any, all the same -> same.
    Raises: ValueError if values is empty, ranks differ or axis is out of range.
    Source: TF 2.21 `tf.ragged.stack`.
    """
    del name
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError("tf.ragged.stack: values must not be empty.")
    parts = [held(value) for value in values]
    rank = len(parts[0].shape)
    for part in parts:
        part.shape.with_rank(rank)
    along = axis_of("tf.ragged.stack", axis, rank + 1)
    ragged = [part for part in parts if isinstance(part, RaggedTensor)]
    if not ragged and (rank == 0 or along >= max(rank - 1, 1)):
        return joining.stack(parts, along)
    require_one_dtype(ragged)
    # TensorFlow's splits of stacked vectors are int32.
    dtype = ragged[0].row_splits.dtype if ragged else int32 if rank == 1 else int64
    depth = max([part.ragged_rank for part in ragged], default=min(rank - 1, 1))
    parts = [_ragged(part, depth, dtype) for part in parts]
    if along == 0:
        return stacked(parts, dtype)
    return _joined([expand_dims(part, along) for part in parts], along)


def stacked(parts: Sequence[Any], dtype: Any) -> RaggedTensor:
    """Tensors, or ragged tensors of one ragged rank, as the rows of a ragged tensor with splits of `dtype`."""
    lengths = np.array([count(part) for part in parts], dtype.as_numpy_dtype)
    return RaggedTensor(_joined(parts, 0), of_lengths(lengths), internal=True)


def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> Any:
    """The slices of `data` in `num_partitions` rows; `partitions` gives the row of each slice.

    Shapes: [*places, *dims], [*places] -> [num_partitions, (ragged), *dims].
    Dtypes: data any -> same; partitions int32 or int64.
    Raises: InvalidArgumentError if a number is not in [0, num_partitions); ValueError if the shapes do not fit.
    Source: TF 2.21 `tf.ragged.stack_dynamic_partitions`.
    """
    del name
    data, partitions = held(data), held(partitions)
    ragged = next((one for one in (data, partitions) if isinstance(one, RaggedTensor)), None)
    total = int(known(convert_to_tensor(num_partitions), "tf.ragged.stack_dynamic_partitions"))
    if not data.shape[: len(partitions.shape)].is_compatible_with(partitions.shape):
        raise ValueError(
            f"tf.ragged.stack_dynamic_partitions: the shape of data must begin with that of partitions, "
            f"got {data.shape} and {partitions.shape}."
        )
    if len(partitions.shape) == 0:
        data, partitions = expand_dims(data, 0), expand_dims(partitions, 0)
    while len(partitions.shape) != 1:
        data, partitions = _merged_outer(data), _merged_outer(partitions)
    numbers = known(partitions, "tf.ragged.stack_dynamic_partitions")
    if (numbers < 0).any() or (numbers >= total).any():
        raise InvalidArgumentError.of(
            f"tf.ragged.stack_dynamic_partitions: partitions must be in [0, {total}), got {numbers.tolist()}."
        )
    order = np.argsort(numbers, kind="stable")
    dtype: Any = (partitions if ragged is None else ragged.row_splits).dtype.as_numpy_dtype
    lengths = np.bincount(numbers, minlength=total).astype(dtype)
    return RaggedTensor(taken(data, order), of_lengths(lengths), internal=True)


def _merged_outer(value: Any) -> Any:
    if isinstance(value, RaggedTensor):
        return value.values
    return RaggedTensor.from_tensor(value).values


def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Any]:
    """The slices of the ragged tensor `data` in `num_partitions` ragged tensors; `partitions` gives the one of each."""
    del name
    found = stack_dynamic_partitions(data, partitions, num_partitions)
    return [found[k] for k in range(num_partitions)]


def _stack(values: Any, axis: Any = 0, name: str = "stack") -> Any:
    return stack(values, axis, name)


register(joining.concat, RaggedTensor, concat)
register(joining.stack, RaggedTensor, _stack)
register(segment.dynamic_partition, RaggedTensor, dynamic_partition)
