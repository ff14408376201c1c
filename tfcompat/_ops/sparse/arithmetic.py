"""Sums, products and comparisons of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INDEX, NUMERIC, REAL
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.known import known
from tfcompat._ops.elementwise import algebraic
from tfcompat._ops.sparse.coordinate import (
    at_numbers,
    columns,
    dims_of,
    numbers,
    require_sparse,
    shaped,
)
from tfcompat._ops.sparse.tensor import SparseTensor


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum of `a` and `b`, at least one of them sparse: sparse if both are, without absolute sums below `threshold`.

    Shapes: [*dims] twice -> same; dense operands are not broadcast.
    Dtypes: numbers, both the same -> same.
    Raises: TypeError if neither is sparse, or they are not numeric; InvalidArgumentError if shapes or dtypes differ.
    Source: TF 2.21 `tf.sparse.add`.
    """
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("tf.sparse.add: At least one input should be SparseTensor; do you mean to use tf.add()?")
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        return _sum(a, b, threshold)
    sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
    dense = convert_to_tensor(dense, dtype_hint=sparse.dtype)
    dims = dims_of(sparse, "tf.sparse.add")
    if dense._aval.shape != dims:
        raise InvalidArgumentError.of(f"tf.sparse.add: shapes must agree, got {dims} and {dense.shape}.")
    return _added(sparse.indices, sparse.values, dense)


@op("sparse.add", dtypes={"indices": INDEX, "values": NUMERIC, "dense": NUMERIC}, same=("values", "dense"))
def _added(indices: Array, values: Array, dense: Array) -> Array:
    return dense.at[tuple(indices[:, k] for k in range(dense.ndim))].add(values)


def _sum(a: SparseTensor, b: SparseTensor, threshold: Any) -> SparseTensor:
    """The sum of two sparse tensors, without shared elements whose absolute sum is below `threshold`."""
    if a.dtype not in NUMERIC:
        raise TypeError(f"tf.sparse.add: expected numbers, got {a.dtype.name}.")
    limit = np.asarray(convert_to_tensor(threshold))
    if limit.ndim:
        raise InvalidArgumentError.of(f"tf.sparse.add: threshold must be a scalar, got shape {limit.shape}.")
    total = _merged("sparse.add", a, b, _summed)
    if limit == 0:
        return total
    stored = [known(numbers(part.indices, dims_of(a, "tf.sparse.add")), "tf.sparse.add") for part in (total, a, b)]
    is_sum = np.isin(stored[0], stored[1]) & np.isin(stored[0], stored[2])
    kept = np.flatnonzero(~is_sum | (np.abs(known(total.values, "tf.sparse.add")) >= limit))
    indices = known(total.indices, "tf.sparse.add")[kept]
    return SparseTensor._of(Tensor(indices), gather(total.values, Tensor(kept)), total.dense_shape)


def _merged(name: str, a: SparseTensor, b: SparseTensor, combine: Callable[..., Tensor]) -> SparseTensor:
    """Two sparse tensors as one that stores an element wherever either stores one."""
    dims, others = dims_of(a, f"tf.{name}"), dims_of(b, f"tf.{name}")
    if dims != others:
        raise InvalidArgumentError.of(f"tf.{name}: Operands' shapes do not match: {dims} and {others}.")
    first = known(numbers(a.indices, dims), f"tf.{name}")
    second = known(numbers(b.indices, dims), f"tf.{name}")
    places, inverse = np.unique(np.concatenate([first, second]), return_inverse=True)
    into = [Tensor(part) for part in np.split(inverse.reshape(-1), [first.size])]
    return shaped(at_numbers(Tensor(places), dims), combine(a.values, b.values, *into, places.size), dims)


def _placed(values: Array, places: Array, count: int) -> Array:
    return jnp.zeros(count, values.dtype).at[places].set(values)


_PAIR: dict[str, Any] = {"same": ("a", "b")}


@op("sparse.add", dtypes={"a": NUMERIC, "b": NUMERIC, "into_a": INDEX, "into_b": INDEX}, **_PAIR)
def _summed(a: Array, b: Array, into_a: Array, into_b: Array, count: int) -> Array:
    return jnp.zeros(count, a.dtype).at[into_a].add(a).at[into_b].add(b)


_COMPARED: dict[str, Any] = {
    "dtypes": {"a": REAL, "b": REAL, "into_a": INDEX, "into_b": INDEX},
    "differentiable": False,
    **_PAIR,
}


@op("sparse.maximum", **_COMPARED)
def _larger(a: Array, b: Array, into_a: Array, into_b: Array, count: int) -> Array:
    return jnp.maximum(_placed(a, into_a, count), _placed(b, into_b, count))


@op("sparse.minimum", **_COMPARED)
def _smaller(a: Array, b: Array, into_a: Array, into_b: Array, count: int) -> Array:
    return jnp.minimum(_placed(a, into_a, count), _placed(b, into_b, count))


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger of the elements of `sp_a` and `sp_b`, where either stores one; missing elements count as 0.

    Shapes: [*dims] twice -> same.
    Dtypes: real numbers, both the same -> same.
    Gradient: None.
    Raises: TypeError if one is not a sparse tensor; InvalidArgumentError if shapes differ.
    Source: TF 2.21 `tf.sparse.maximum`.
    """
    del name
    pair = require_sparse("sparse.maximum", sp_a, "sp_a"), require_sparse("sparse.maximum", sp_b, "sp_b")
    return _merged("sparse.maximum", *pair, _larger)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of the elements of `sp_a` and `sp_b`, where either stores one; missing elements count as 0.

    Shapes: [*dims] twice -> same.
    Dtypes: real numbers, both the same -> same.
    Gradient: None.
    Raises: TypeError if one is not a sparse tensor; InvalidArgumentError if shapes differ.
    Source: TF 2.21 `tf.sparse.minimum`.
    """
    del name
    pair = require_sparse("sparse.minimum", sp_a, "sp_a"), require_sparse("sparse.minimum", sp_b, "sp_b")
    return _merged("sparse.minimum", *pair, _smaller)


def beside_dense(name: str, function: Callable[..., Any], sparse: SparseTensor, other: Any) -> SparseTensor:
    """`function` of the values of a sparse tensor and of the elements of a dense one at the same coordinates.

    Raises: InvalidArgumentError if the dense one does not broadcast to the sparse one; ValueError if dtypes differ.
    """
    dense = convert_to_tensor(other, sparse.dtype if not hasattr(other, "dtype") else None)
    if dense.dtype is not sparse.dtype:
        raise ValueError(
            f"tf.SparseTensor.{name}: operands must have one dtype, got {sparse.dtype.name} and {dense.dtype.name}."
        )
    dims = dims_of(sparse, f"tf.SparseTensor.{name}")
    new = len(dims) - dense.ndim
    if new < 0 or any(size not in (1, dim) for size, dim in zip(dense._aval.shape, dims[new:], strict=True)):
        raise InvalidArgumentError.of(
            f"tf.SparseTensor.{name}: cannot broadcast shape {dense.shape} to that of the sparse operand, {dims}."
        )
    found = dense if dense.ndim == 0 else _in_places(columns(sparse.indices, tuple(range(new, len(dims)))), dense)
    return SparseTensor._of(sparse.indices, function(sparse.values, found), sparse.dense_shape)


@op("gather_nd", dtypes={"indices": INDEX, "dense": NUMERIC}, same=("dense",), gradient_reads=False)
def _in_places(indices: Array, dense: Array) -> Array:
    key = tuple(jnp.zeros_like(indices[:, k]) if size == 1 else indices[:, k] for k, size in enumerate(dense.shape))
    return dense[key]


def _multiplied(self: SparseTensor, other: Any) -> SparseTensor:
    return beside_dense("__mul__", algebraic.multiply, self, other)


def _divided(self: SparseTensor, other: Any) -> SparseTensor:
    return beside_dense("__truediv__", algebraic.truediv, self, other)


SparseTensor.__mul__ = SparseTensor.__rmul__ = _multiplied  # pyright: ignore[reportAttributeAccessIssue]
SparseTensor.__truediv__ = SparseTensor.__div__ = _divided  # pyright: ignore[reportAttributeAccessIssue]
