"""The types of parsed features, for functions that are traced before a message is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.dtype import as_dtype, int64
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.format.feature import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    UniformRowLength,
    VarLenFeature,
)
from tfcompat._data.format.schema import Schema
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec


def example_specs(schema: Schema, batch: Sequence[Any]) -> dict[Any, Any]:
    """The types of the features of examples, or of the context of sequences; `batch` are the sizes before theirs."""
    return _specs(schema, batch, [])


def sequence_specs(schema: Schema, batch: Sequence[Any]) -> dict[Any, Any]:
    """The types of the lists of sequences."""
    return _specs(schema, batch, [None])


def length_specs(schema: Schema, batch: Sequence[Any]) -> dict[Any, Any]:
    """The types of the lengths of dense lists."""
    return {key: TensorSpec(batch, int64) for key in schema.dense_keys}


def _specs(schema: Schema, batch: Sequence[Any], lists: Sequence[Any]) -> dict[Any, Any]:
    given: Mapping[Any, Any] = schema.given
    found = {key: _spec(feature, batch, lists) for key, feature in given.items()}
    kinds = (VarLenFeature, SparseFeature), (FixedLenFeature, FixedLenSequenceFeature)
    first = [key for key in sorted(found) if isinstance(given[key], kinds[0])]
    second = [key for key in sorted(found) if isinstance(given[key], kinds[1])]
    rest = [key for key in sorted(found) if key not in (*first, *second)]
    return {key: found[key] for key in (*first, *second, *rest)}


def _spec(feature: Any, batch: Sequence[Any], lists: Sequence[Any]) -> Any:
    dtype = as_dtype(feature.dtype)
    if isinstance(feature, VarLenFeature):
        return SparseTensorSpec([*batch, *lists, None], dtype)
    if isinstance(feature, SparseFeature):
        return SparseTensorSpec([*batch, *np.ravel(feature.size).tolist()], dtype)
    if isinstance(feature, FixedLenFeature):
        return TensorSpec([*batch, *TensorShape(feature.shape)], dtype)
    if isinstance(feature, FixedLenSequenceFeature):
        return TensorSpec([*batch, None, *TensorShape(feature.shape)], dtype)
    outer = len(batch) + len(lists)
    inner: list[Any] = []
    # Rows of one length at the end are an axis of the values.
    partitions = list(feature.partitions)
    while partitions and isinstance(partitions[-1], UniformRowLength):
        inner.insert(0, partitions.pop().length)
    lengths = [each.length if isinstance(each, UniformRowLength) else None for each in partitions]
    rank = outer + len(partitions)
    if not rank:
        return TensorSpec([None, *inner], dtype)
    shape = [*batch, *lists, None, *lengths, *inner]
    return RaggedTensorSpec(shape, dtype, rank, feature.row_splits_dtype)
