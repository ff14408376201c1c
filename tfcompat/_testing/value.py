"""The values of tensors of all kinds, in the form that TensorFlow's sessions return."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfcompat._core.structure.tensor import Tensor
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.tensor import SparseTensor
from tfcompat._state.variable import Variable


class SparseTensorValue(NamedTuple):
    """The value of a sparse tensor. Source: TF 2.21 `tf.compat.v1.SparseTensorValue`."""

    indices: Any
    values: Any
    dense_shape: Any


class IndexedSlicesValue(NamedTuple):
    """The value of a `tf.IndexedSlices`."""

    values: Any
    indices: Any
    dense_shape: Any


def evaluated(tensor: Any) -> Any:
    """The value of `tensor`. A ragged tensor and None are returned unchanged.

    Raises: ValueError if it is not a tensor.
    """
    if callable(tensor):
        return evaluated(tensor())
    if isinstance(tensor, (Tensor, Variable)):
        return tensor.numpy()
    if isinstance(tensor, SparseTensor):
        return SparseTensorValue(*map(evaluated, (tensor.indices, tensor.values, tensor.dense_shape)))
    if isinstance(tensor, IndexedSlices):
        return IndexedSlicesValue(*map(evaluated, (tensor.values, tensor.indices, tensor.dense_shape)))
    if tensor is None or isinstance(tensor, RaggedTensor):
        return tensor
    raise ValueError(f"tf.test: Unsupported type {type(tensor).__name__!r}.")
