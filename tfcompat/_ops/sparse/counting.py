"""Counts of numbers, as sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integer
from tfcompat._core.calls.dispatch import register
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import int32
from tfcompat._ops.array.known import known
from tfcompat._ops.fold import counting
from tfcompat._ops.ragged import counting as ragged_counting
from tfcompat._ops.ragged.partition import of_lengths
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.coordinate import dims_of, shaped
from tfcompat._ops.sparse.tensor import SparseTensor

_NAME = "tf.sparse.bincount"


def bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """The count of each number in `values`, or the sum of its `weights`; with `axis` -1, for each row separately.

    The number of counts is set by the greatest number, between `minlength` and `maxlength`. With `binary_output` each
    count is 1. All arguments are read on the host.

    Shapes: [*dims] -> [max(values) + 1]; [rows, n] -> [rows, max(values) + 1] for axis -1 (None is as 0).
    Dtypes: values int32 or int64; weights real numbers -> same; without weights that of values.
    Gradient: None.
    Raises: InvalidArgumentError if a number is negative or not an integer; ValueError for another axis, for weights of
      another kind than values, or for both binary_output and weights.
    Source: TF 2.21 `tf.sparse.bincount`.
    """
    del name
    if axis not in (None, 0, -1):
        raise ValueError(f"{_NAME}: axis must be 0, -1 or None, got {axis}.")
    if binary_output and weights is not None:
        raise ValueError(f"{_NAME}: binary_output and weights are mutually exclusive.")
    rows, numbers, count = _numbered(values)
    if axis != -1:
        rows, count = np.zeros_like(rows), None
    if numbers.dtype.kind not in "iu":
        raise InvalidArgumentError.of(f"{_NAME}: values must be int32 or int64, got {numbers.dtype}.")
    if (numbers < 0).any():
        raise InvalidArgumentError.of(f"{_NAME}: Input values must all be non-negative, got {numbers.tolist()}.")
    size = counting.length(numbers if numbers.size else np.zeros(1, int), integer(minlength), integer(maxlength))
    weight, is_counted = _weights(values, weights, numbers), numbers < size
    places, inverse = np.unique((rows * size + numbers)[is_counted], return_inverse=True)
    found = np.zeros(places.size, weight.dtype)
    np.add.at(found, inverse.reshape(-1), weight[is_counted])
    found = np.minimum(found, 1) if binary_output else found
    indices = np.stack(np.divmod(places, max(size, 1)), 1).astype(np.int64)
    if count is None:
        return shaped(Tensor(indices[:, 1:].copy()), Tensor(found), (size,))
    return shaped(Tensor(indices), Tensor(found), (count, size))


def _numbered(values: Any) -> tuple[np.ndarray, np.ndarray, int | None]:
    """The row of each number, the numbers, and the number of rows; for a vector, None instead of rows."""
    if isinstance(values, RaggedTensor):
        rows, count = np.asarray(values.value_rowids()), values._row_partition.nrows
        numbers = known(values.values, _NAME)
    elif isinstance(values, SparseTensor):
        numbers = known(values.values, _NAME)
        dims = dims_of(values, _NAME)
        rows, count = known(values.indices, _NAME)[:, 0], dims[0] if len(dims) > 1 else None
    else:
        host = known(convert_to_tensor(values), _NAME)
        if host.ndim > 2:
            raise InvalidArgumentError.of(f"{_NAME}: values must be a vector or a matrix, got shape {host.shape}.")
        count = host.shape[0] if host.ndim > 1 else None
        rows = np.repeat(np.arange(count or 1), host.size // (count or 1))
        numbers = host.reshape(-1)
    return (rows if count is not None else np.zeros_like(rows)), numbers, count


def _weights(values: Any, weights: Any, numbers: np.ndarray) -> np.ndarray:
    if weights is None:
        return np.ones(numbers.shape, numbers.dtype)
    is_composite = isinstance(values, (SparseTensor, RaggedTensor))
    if is_composite and type(weights) is not type(values):
        raise ValueError(f"{_NAME}: weights must be a {type(values).__name__} as values, got {type(weights).__name__}.")
    held = known(weights.values if is_composite else convert_to_tensor(weights), _NAME).reshape(-1)
    if held.shape != numbers.shape:
        raise InvalidArgumentError.of(f"{_NAME}: weights must be as many as values, {numbers.size}, got {held.size}.")
    return held


def _sparse_bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """The count of each number in the sparse tensor `arr`, or, with `axis` -1, in each of its rows."""
    del name
    held = weights.values if isinstance(weights, SparseTensor) else weights
    if axis not in (-1, 1):
        return counting.bincount(arr.values, held, minlength, maxlength, dtype, binary_output=binary_output)
    lengths = np.bincount(known(arr.indices, "tf.math.bincount")[:, 0], minlength=dims_of(arr, "tf.math.bincount")[0])
    rows = RaggedTensor(arr.values, of_lengths(lengths), internal=True)
    return ragged_counting.bincount(rows, held, minlength, maxlength, dtype, axis=-1, binary_output=binary_output)


register(counting.bincount, SparseTensor, _sparse_bincount)
