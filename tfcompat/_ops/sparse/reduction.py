"""Sums and maxima of sparse tensors, and softmax along their rows."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Shape, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import INDEX, NUMERIC, REAL, float16, float32, float64, int32
from tfcompat._ops.array.known import known
from tfcompat._ops.fold import segment
from tfcompat._ops.sparse.coordinate import at_numbers, columns, dims_of, numbers, require_sparse, shaped, structural
from tfcompat._ops.sparse.tensor import SparseTensor

_SOFT = frozenset((float16, float32, float64))


def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Sums `sp_input` over `axis`, or over every axis when it is None; sparse again if `output_is_sparse`.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: numbers -> same.
    Gradient: LookupError if output_is_sparse.
    Raises: InvalidArgumentError if an axis is out of range; TypeError if sp_input is not a sparse tensor.
    Source: TF 2.21 `tf.sparse.reduce_sum`.
    """
    del name
    return _reduced("sparse.reduce_sum", _sum, _sum_of_stored, sp_input, axis, keepdims, output_is_sparse)


def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The largest of the stored elements of `sp_input` over `axis`, or over every axis when it is None; 0 for none.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: real numbers -> same.
    Gradient: LookupError.
    Raises: InvalidArgumentError if an axis is out of range; TypeError if sp_input is not a sparse tensor.
    Source: TF 2.21 `tf.sparse.reduce_max`.
    """
    del name
    return _reduced("sparse.reduce_max", _max, _max_of_stored, sp_input, axis, keepdims, output_is_sparse)


def _reduced(
    name: str, dense: Any, of_stored: Any, sp_input: Any, axis: Any, keepdims: bool | None, output_is_sparse: bool
) -> Any:
    sparse = require_sparse(name, sp_input)
    dims = dims_of(sparse, f"tf.{name}")
    gone = _axes(name, axis, len(dims))
    kept = tuple(k for k in range(len(dims)) if k not in gone)
    shape = tuple(dims[k] for k in kept)
    outer = tuple(1 if k in gone else dims[k] for k in range(len(dims))) if keepdims else shape
    places = columns(sparse.indices, kept)
    if not output_is_sparse:
        return dense(places, sparse.values, shape, outer)
    stored, inverse = np.unique(known(numbers(places, shape), f"tf.{name}"), return_inverse=True)
    values = of_stored(sparse.values, Tensor(inverse.reshape(-1)), stored.size)
    return shaped(at_numbers(Tensor(stored), outer), values, outer)


def _axes(name: str, axis: Any, rank: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(rank))
    axes = convert_to_tensor(axis, dtype_hint=int32)
    if not axes.dtype.is_integer and axes._aval.size:
        raise TypeError(f"tf.{name}: axis must be an integer, got {axis}.")
    listed = known(axes, f"tf.{name}").reshape(-1).tolist()
    if any(not -rank <= one < rank for one in listed):
        raise found_early(f"tf.{name}: Invalid reduction dimension in {listed}, for {rank} dimensions.")
    return tuple(one % rank for one in listed)


def _lowest(dtype: Any) -> Any:
    """The lower bound of the numbers of `dtype`."""
    return -np.inf if jnp.issubdtype(dtype, jnp.floating) else segment.worst(dtype, "max")


def _key(places: Array, shape: Shape) -> tuple[Array, ...]:
    return tuple(places[:, k] for k in range(len(shape)))


@op(
    "sparse.reduce_sum",
    dtypes={"values": NUMERIC, "segments": INDEX},
    same=("values",),
    no_gradient="SparseReduceSumSparse",
)
def _sum_of_stored(values: Array, segments: Array, count: int) -> Array:
    return jnp.zeros(count, values.dtype).at[segments].add(values)


@op(
    "sparse.reduce_max",
    dtypes={"values": REAL, "segments": INDEX},
    same=("values",),
    no_gradient="SparseReduceMaxSparse",
)
def _max_of_stored(values: Array, segments: Array, count: int) -> Array:
    return jnp.full(count, _lowest(values.dtype), values.dtype).at[segments].max(values)


@op("sparse.reduce_sum", dtypes={"places": INDEX, "values": NUMERIC}, same=("values",))
def _sum(places: Array, values: Array, shape: Shape, outer: Shape) -> Array:
    if not shape:
        return jnp.sum(values, dtype=values.dtype).reshape(outer)
    return jnp.zeros(shape, values.dtype).at[_key(places, shape)].add(values).reshape(outer)


@op(
    "sparse.reduce_max",
    dtypes={"places": INDEX, "values": REAL},
    same=("values",),
    no_gradient="SparseReduceMax",
)
def _max(places: Array, values: Array, shape: Shape, outer: Shape) -> Array:
    lowest = _lowest(values.dtype)
    key = _key(places, shape)
    if not shape:
        largest = jnp.max(values, initial=lowest)
        return jnp.where(values.size > 0, largest, 0).astype(values.dtype).reshape(outer)
    largest = jnp.full(shape, lowest, values.dtype).at[key].max(values)
    is_stored = jnp.zeros(shape, bool).at[key].set(True)
    return jnp.where(is_stored, largest, 0).reshape(outer)


def _runs(xp: Any, numbered: Any) -> Any:
    """For each of sorted numbers, the number of distinct ones before it."""
    if not numbered.shape[0]:
        return numbered
    return xp.concatenate([xp.zeros(1, numbered.dtype), xp.cumsum(numbered[1:] != numbered[:-1], dtype=numbered.dtype)])


def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The exponentials of the stored elements of `sp_input` divided by their sum in each row along the last axis.

    Shapes: [*dims, n] -> same.
    Dtypes: float16, float32, float64 -> same.
    Raises: InvalidArgumentError if the rank is below 2; TypeError if sp_input is not a sparse tensor.
    Source: TF 2.21 `tf.sparse.softmax`.
    """
    del name
    sparse = require_sparse("sparse.softmax", sp_input)
    dims = dims_of(sparse, "tf.sparse.softmax")
    if len(dims) < 2:
        raise InvalidArgumentError.of(f"tf.sparse.softmax: Input should have rank >= 2, but received shape {dims}.")
    outer = tuple(range(len(dims) - 1))
    rows = structural(_runs, numbers(columns(sparse.indices, outer), dims[:-1]))
    return SparseTensor._of(sparse.indices, _softmax(sparse.values, rows), sparse.dense_shape)


@op("sparse.softmax", dtypes={"values": _SOFT, "rows": INDEX}, same=("values",))
def _softmax(values: Array, rows: Array) -> Array:
    count = values.shape[0]
    largest = jnp.full(count, segment.worst(values.dtype, "max"), values.dtype).at[rows].max(values)
    exponentials = jnp.exp(values - lax.stop_gradient(largest[rows]))
    return exponentials / jnp.zeros(count, values.dtype).at[rows].add(exponentials)[rows]
