"""Sums, means and concatenations over replicas."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import repeat
from operator import attrgetter, eq
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import constant, convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.dtype import NUMERIC, bfloat16, float16, float32, float64, int32, int64
from tfcompat._distribute.grouping import is_distributed
from tfcompat._distribute.reduction import ReduceOp, size_along
from tfcompat._distribute.values import DistributedValues, Mirrored, PerReplica
from tfcompat._ops.array.joining import concat
from tfcompat._ops.combination import sum_of
from tfcompat._ops.elementwise.algebraic import add, truediv
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._ops.identity import identity
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.sparse.tensor import SparseTensor
from tfcompat._state.cell import alias_of, aliases_of
from tfcompat._state.variable import Variable

_TENSOR = frozenset((Tensor,))
_aval_of, _dtype_of = attrgetter("_aval"), attrgetter("_aval.dtype")
_COLLECTIVE = frozenset((bfloat16, float16, float32, float64, int32, int64))


def total(op: ReduceOp, values: Sequence[Any]) -> Any:
    """The sum or the mean of `values`, tensors of one shape, or `IndexedSlices`, which are concatenated.

    Dtypes: a mean of integers is float64.
    Raises: InvalidArgumentError for other dtypes than numbers, or different shapes.
    """
    if _TENSOR.issuperset(map(type, values)):
        tensors = values
    elif any(isinstance(value, IndexedSlices) for value in values):
        return _joined_rows(op, values)
    else:
        tensors = [convert_to_tensor(value) for value in values]
    aval = tensors[0]._aval
    kind, are_alike = aval.dtype, all(map(eq, map(_aval_of, tensors), repeat(aval)))
    if kind not in NUMERIC:
        raise InvalidArgumentError.of(
            f"Value for attr 'T' of {kind.name} is not in the list of allowed values: replicas reduce numbers only."
        )
    if are_alike:
        result = sum_of(tensors) if len(tensors) > 1 else identity(tensors[0])
    else:
        _require_compatible(tensors)
        result = functools.reduce(add, tensors)
    return result if op is ReduceOp.SUM else truediv(result, cast(len(values), result.dtype))


def _require_compatible(tensors: Sequence[Tensor]) -> None:
    """Raises InvalidArgumentError if the `tensors` have different shapes."""
    dims = tensors[0].shape
    for place, tensor in enumerate(tensors):
        if not dims.is_compatible_with(tensor.shape):
            raise InvalidArgumentError.of(
                f"Inputs to operation AddN must have the same size and shape. Input 0: {dims} != input {place}: "
                f"{tensor.shape}"
            )


def _joined_rows(op: ReduceOp, values: Sequence[Any]) -> IndexedSlices:
    """The rows of all `values` one after another, divided by their number for a mean."""
    parts = concat([value.values for value in values], axis=0)
    if op is ReduceOp.MEAN:
        parts = truediv(parts, cast(len(values), parts.dtype))
    return IndexedSlices(parts, concat([value.indices for value in values], axis=0), values[0].dense_shape)


def copies(value: Any, count: int) -> Mirrored:
    """`value` for each of `count` replicas; each has a tensor of its own."""
    if type(value) is Tensor:
        return Mirrored((value, *aliases_of(value, count - 1)))
    return Mirrored((value, *[nest.map_structure(_copy, value, expand_composites=True) for _ in range(count - 1)]))


def _copy(part: Any) -> Any:
    return alias_of(part) if isinstance(part, Tensor) else part


def in_functions(values: Sequence[Any]) -> Sequence[Any]:
    """`values`, of which numbers become tensors in a function that is being traced, as in TensorFlow."""
    return values if here.graph is None else [constant(x) if isinstance(x, (int, float)) else x for x in values]


def require_all_collective(values: Sequence[Any]) -> None:
    """Raises the errors of `require_collective` for each of `values`."""
    if _TENSOR.issuperset(map(type, values)) and _COLLECTIVE.issuperset(map(_dtype_of, values)):
        return  # the same as below, in less time
    for value in values:
        require_collective(value)


def require_collective(value: Any) -> None:
    """Raises InvalidArgumentError unless the replicas can reduce the dtype of `value`; AttributeError for no tensor."""
    kind = value.dtype if not isinstance(value, (np.ndarray, np.generic)) else convert_to_tensor(value).dtype
    if kind not in _COLLECTIVE:
        raise InvalidArgumentError.of(
            f"Value for attr 'T' of {kind.name} is not in the list of allowed values: bfloat16, float, half, double, "
            "int32, int64"
        )


def reduced(op: ReduceOp, value: Any, count: int) -> Any:
    """One leaf `value` of `tf.distribute.Strategy.reduce`, reduced over `count` replicas."""
    if type(value) is PerReplica:  # the same as below, in less time
        return total(op, _tensors(value._values))
    if is_distributed(value):
        assert not isinstance(value, Mirrored) or op is ReduceOp.MEAN
        return value.values[0] if isinstance(value, Mirrored) else total(op, _tensors(value.values))
    if isinstance(value, DistributedValues):
        return value._reduced(op)  # pyright: ignore[reportAttributeAccessIssue]  # a variable
    return reduced_alike(op, value, count)


def _tensors(values: Sequence[Any]) -> Sequence[Any]:
    for value in () if _TENSOR.issuperset(map(type, values)) else values:
        if not hasattr(value, "dtype"):
            raise AttributeError(f"'{type(value).__name__}' object has no attribute 'dtype'")
    return values


def reduced_alike(op: ReduceOp, value: Any, count: int) -> Any:
    """The reduction of a `value` that is the same object in all of `count` replicas.

    Raises: ValueError for a sum, unless `value` is 0.
    """
    if not isinstance(value, (Tensor, Variable)) and isinstance(value, (np.ndarray, np.generic)) and not value.any():
        return np.zeros_like(value)
    if op is ReduceOp.MEAN or count == 1:
        return value
    raise ValueError(f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {op}.")


def reduced_along(op: ReduceOp, value: Any, axis: Any, count: int) -> Any:
    """One leaf `value`, each component reduced along `axis` first; a mean is that of all elements along the axis."""
    parts = value.values if isinstance(value, DistributedValues) else (value,) * count
    tensors = [convert_to_tensor(part) for part in parts]
    for tensor in tensors:
        if tensor.shape.rank == 0:
            raise ValueError("Invalid reduction dimension 0 for input with 0 dimensions")
    sums = total(ReduceOp.SUM, [reduce_sum(tensor, axis) for tensor in tensors])
    if op is ReduceOp.SUM:
        return sums
    size = total(ReduceOp.SUM, [size_along(tensor, axis) for tensor in tensors])
    return truediv(sums, cast(size, sums.dtype))


def gathered(value: Any, axis: Any) -> Any:
    """The components of one leaf `value`, joined along `axis`; a value that is not distributed is returned.

    Raises: NotImplementedError for `tf.IndexedSlices`; TypeError for sparse tensors; AttributeError for other values
      than tensors; ValueError for scalars, and for an `axis` that the tensors do not have.
    """
    if not isinstance(value, DistributedValues):
        return value
    parts = _tensors(value.values)
    if any(isinstance(part, IndexedSlices) for part in parts):
        raise NotImplementedError("gather/all_gather does not support IndexedSlices")
    if any(isinstance(part, SparseTensor) for part in parts):
        raise TypeError("gather/all_gather does not support sparse tensors")
    tensors = [part if isinstance(part, RaggedTensor) else convert_to_tensor(part) for part in parts]
    ranks = [tensor.shape.rank for tensor in tensors]
    if 0 in ranks:
        raise ValueError("Cannot concatenate scalars along an axis; replicas gather tensors of at least rank 1.")
    if axis is None or any(rank is not None and axis not in range(-rank, rank) for rank in ranks):
        raise ValueError(f"Cannot concatenate tensors of rank {ranks[0]} along axis {axis}.")
    return concat(tensors, axis=axis)
