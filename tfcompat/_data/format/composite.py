"""Parsed features as tensors, and the tensors that several features make together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.format.feature import (
    Partition,
    RaggedFeature,
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    SparseFeature,
    UniformRowLength,
)
from tfcompat._data.format.rule import RaggedValue, SparseValue
from tfcompat._ops.array.layout import repeat, reshape
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.layout import reorder
from tfcompat._ops.sparse.tensor import SparseTensor


def as_tensor(value: Any) -> Any:
    """The tensor, sparse tensor or ragged tensor of a parsed value."""
    if isinstance(value, SparseValue):
        return SparseTensor._of(Tensor(value.indices), Tensor(value.values), Tensor(value.dense_shape))
    if isinstance(value, RaggedValue):
        found: Any = Tensor(value.values)
        for splits in reversed(value.splits):
            found = RaggedTensor.from_row_splits(found, Tensor(splits), validate=False)
        return found
    return Tensor(value)


def composed(given: Mapping[Any, Any], parsed: Mapping[Any, Any]) -> dict[Any, Any]:
    """The tensors of the features that were `given`, from those of all keys that were `parsed` for them."""
    made: dict[Any, Any] = {}
    for key in sorted(given):
        feature = given[key]
        if isinstance(feature, SparseFeature):
            made[key] = _positioned(feature, parsed)
        elif isinstance(feature, RaggedFeature):
            made[key] = _divided(parsed[key if feature.value_key is None else feature.value_key], feature, parsed)
    found = {**parsed, **made}
    return {key: value for key, value in found.items() if key in given}


def _positioned(feature: SparseFeature, parsed: Mapping[Any, Any]) -> SparseTensor:
    """The values of a feature at the positions in other features."""
    is_one = isinstance(feature.index_key, str)
    ids = [parsed[key] for key in ([feature.index_key] if is_one else feature.index_key)]
    sizes = np.asarray([feature.size] if is_one else feature.size, np.int64)
    values: SparseTensor = parsed[feature.value_key]
    outer = ids[0].indices.__array__()[:, :-1]
    places = [each.values.__array__()[:, None] for each in ids]
    shape = np.concatenate([ids[0].dense_shape.__array__()[:-1], sizes])
    if any(len(place) != len(outer) for place in places):
        counts = [len(place) for place in places]
        raise ValueError(f"tf.io.SparseFeature: the features {feature.index_key} have different sizes: {counts}.")
    made = SparseTensor(Tensor(np.concatenate([outer, *places], 1)), values.values, Tensor(shape))
    return made if feature.already_sorted else reorder(made)


def _divided(values: Any, feature: RaggedFeature, parsed: Mapping[Any, Any]) -> Any:
    """The values of a feature, divided by its partitions."""
    partitions: Any = feature.partitions
    is_checked = bool(feature.validate)
    if not isinstance(values, RaggedTensor):
        for partition in reversed(partitions):
            values = _rows(values, partition, parsed, feature)
        return values
    # Sequences in a batch have one more axis outside of the values.
    outer = values.row_splits if values.ragged_rank > 1 else None
    values = values if outer is None else values.values
    for partition in reversed(partitions):
        values = _rows_of_batch(values, partition, parsed, is_checked, outer)
    return values if outer is None else RaggedTensor.from_row_splits(values, outer, validate=is_checked)


def _rows(values: Any, partition: Partition, parsed: Mapping[Any, Any], feature: RaggedFeature) -> Any:
    """The values of one example in rows."""
    is_checked = bool(feature.validate)
    if isinstance(partition, UniformRowLength):
        if not isinstance(values, RaggedTensor):
            return reshape(values, [-1, partition.length, *values.shape[1:]])
        return RaggedTensor.from_uniform_row_length(values, partition.length, validate=is_checked)
    splits = cast(parsed[partition.key], feature.row_splits_dtype)
    if isinstance(partition, RowSplits):
        return RaggedTensor.from_row_splits(values, _splits(splits, partition, is_checked), validate=is_checked)
    if isinstance(partition, RowLengths):
        return RaggedTensor.from_row_lengths(values, splits, validate=is_checked)
    if isinstance(partition, RowStarts):
        return RaggedTensor.from_row_starts(values, splits, validate=is_checked)
    if isinstance(partition, RowLimits):
        return RaggedTensor.from_row_limits(values, splits, validate=is_checked)
    return RaggedTensor.from_value_rowids(values, splits, validate=is_checked)


def _splits(splits: Tensor, partition: RowSplits, is_checked: bool) -> Tensor:
    """The splits of an example; of one that lacks them, those of no rows, which are an error if they are checked."""
    if splits.shape[0]:
        return splits
    if is_checked:
        raise InvalidArgumentError.of(
            f"tf.io.RaggedFeature: the feature {partition.key} must hold row splits, got none"
        )
    return Tensor(np.zeros(1, splits.dtype.as_numpy_dtype))


def _rows_of_batch(values: Any, partition: Partition, parsed: Mapping[Any, Any], is_checked: bool, outer: Any) -> Any:
    """The values of each example in rows."""
    if isinstance(partition, UniformRowLength):
        return _uniform(values, partition.length, is_checked)
    rows = parsed[partition.key]
    if rows.row_splits.dtype is not values.row_splits.dtype or rows.values.dtype is not values.row_splits.dtype:
        rows = cast(rows, values.row_splits.dtype)
    if outer is not None:
        rows = rows.values
    starts = values.row_starts()
    if isinstance(partition, RowSplits | RowLimits):
        if isinstance(partition, RowSplits):
            rows = rows[:, 1:]
        limits = rows.values + repeat(starts, rows.row_lengths())
        return rows.with_values(RaggedTensor.from_row_limits(values.values, limits, validate=is_checked))
    if isinstance(partition, RowStarts):
        places = rows.values + repeat(starts, rows.row_lengths())
        return rows.with_values(RaggedTensor.from_row_starts(values.values, places, validate=is_checked))
    if isinstance(partition, RowLengths):
        return rows.with_values(RaggedTensor.from_row_lengths(values.values, rows.values, validate=is_checked))
    return _numbered(values, rows, is_checked)


def _uniform(values: RaggedTensor, length: Any, is_checked: bool) -> Any:
    if values.ragged_rank > 1:
        made = RaggedTensor.from_uniform_row_length(values.values, length, validate=is_checked)
    else:
        made = reshape(values.values, [-1, length, *values.values.shape[1:]])
    return RaggedTensor.from_row_splits(made, values.row_splits // length, validate=is_checked)


def _numbered(values: RaggedTensor, rows: RaggedTensor, is_checked: bool) -> Any:
    """The values of each example in the rows whose numbers are in `rows`."""
    numbers, lengths = rows.values.__array__(), rows.row_lengths().__array__()
    ends = np.cumsum(lengths)
    counts = np.array(
        [numbers[end - size : end].max(initial=-1) + 1 for end, size in zip(ends, lengths, strict=True)], numbers.dtype
    )
    adjusted = numbers + np.repeat(np.cumsum(counts, dtype=numbers.dtype) - counts, lengths)
    inner = RaggedTensor.from_value_rowids(values.values, Tensor(adjusted), validate=is_checked)
    return RaggedTensor.from_row_lengths(inner, Tensor(counts), validate=is_checked)
