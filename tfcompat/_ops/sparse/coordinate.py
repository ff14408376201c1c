"""Coordinates of sparse tensors: numbering in row-major order, sorting, and conversion back.

They are computed on the host where they are known, because they mostly determine a shape; otherwise by the program.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import size_value
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.tracing.trace import record
from tfcompat._core.types.dtype import INDEX, MOVABLE, int64
from tfcompat._ops.array.known import known
from tfcompat._ops.sparse.tensor import SparseTensor

Shape = tuple[int, ...]


@functools.lru_cache(maxsize=4096)
def _op(function: Callable[..., Any], attributes: tuple[Any, ...]) -> Op:
    def body(*arrays: Any) -> Any:
        return function(jnp, *arrays, *attributes)

    return Op(
        f"sparse.{function.__name__.strip('_')}", body, label=repr(attributes), gradient=GradientRule(blocked=True)
    )


def structural(function: Callable[..., Any], *tensors: Tensor, attributes: tuple[Any, ...] = ()) -> Tensor:
    """`function` of NumPy (or its twin in JAX), arrays and attributes, on the host if the arrays are known."""
    if any(tensor._is_symbolic() for tensor in tensors):
        return record(_op(function, attributes), tensors)
    return Tensor(np.asarray(function(np, *map(np.asarray, tensors), *attributes)))


def dims_of(sparse: SparseTensor, subject: str) -> Shape:
    """The shape of a sparse tensor, which must be known for `subject`; sizes may have symbols."""
    dims = sparse.dense_shape
    sizes = size_value(dims) if dims._is_symbolic() else None
    return tuple((known(dims, subject) if sizes is None else sizes).tolist())


def _numbers(xp: Any, indices: Any, dims: Shape) -> Any:
    strides = [math.prod(dims[k + 1 :]) for k in range(len(dims))]
    return (indices * xp.asarray(strides, dtype=indices.dtype)).sum(axis=1)


def numbers(indices: Tensor, dims: Shape) -> Tensor:
    """For each row of coordinates, its number in row-major order."""
    return structural(_numbers, indices, attributes=(dims,))


def _at_numbers(xp: Any, numbers: Any, dims: Shape) -> Any:
    if not dims:
        return xp.zeros((numbers.shape[0], 0), numbers.dtype)
    columns: list[Any] = []
    for size in reversed(dims[1:]):
        columns.insert(0, numbers % max(size, 1))
        numbers = numbers // max(size, 1)
    # TensorFlow does not check the first coordinate either.
    return xp.stack([numbers, *columns], 1)


def at_numbers(numbered: Tensor, dims: Shape) -> Tensor:
    """The coordinates with these numbers."""
    return structural(_at_numbers, numbered, attributes=(dims,))


def _order(xp: Any, numbered: Any) -> Any:
    return xp.argsort(numbered, stable=True)


def _rows(xp: Any, indices: Any, order: Any) -> Any:
    del xp
    return indices[order]


def sorted_by(indices: Tensor, values: Tensor, dims: Shape) -> tuple[Tensor, Tensor]:
    """Coordinates and their values in row-major order."""
    numbered = numbers(indices, dims)
    if not numbered._is_symbolic():
        host = np.asarray(numbered)
        if (host[1:] >= host[:-1]).all():
            return indices, values
    order = structural(_order, numbered)
    return structural(_rows, indices, order), moved(values, order)


@op("sparse.reorder", dtypes={"values": MOVABLE, "places": INDEX}, same=("values",))
def moved(values: Array, places: Array) -> Array:
    """The values at `places`; their gradient is always dense."""
    return values[places]


def _columns(xp: Any, indices: Any, axes: Shape) -> Any:
    return indices[:, xp.asarray(axes, dtype=int)] if axes else indices[:, :0]


def columns(indices: Tensor, axes: Shape) -> Tensor:
    """The coordinates along `axes`."""
    return structural(_columns, indices, attributes=(axes,))


def is_bad(indices: Any, dims: Shape) -> Any:
    """Whether coordinates are out of bounds; for NumPy and JAX arrays."""
    bad = indices[:, 0] < 0 if dims else (indices != indices).sum(axis=1) > 0
    for axis, size in enumerate(dims):
        bad = bad | (indices[:, axis] < 0) | (indices[:, axis] >= size)
    return bad


def is_misplaced(indices: Any, dims: Shape) -> Any:
    """Whether coordinates are out of bounds, or out of order; for NumPy and JAX arrays."""
    bad = is_bad(indices, dims)
    if not dims or indices.shape[0] < 2:
        return bad
    before, after = indices[:-1], indices[1:]
    follows = before[:, -1] < after[:, -1]
    for axis in reversed(range(len(dims) - 1)):
        follows = (before[:, axis] < after[:, axis]) | ((before[:, axis] == after[:, axis]) & follows)
    return bad.any() | ~follows


def require_sparse(name: str, value: Any, parameter: str = "sp_input") -> SparseTensor:
    """`value`, a sparse tensor. Raises TypeError for anything else."""
    if isinstance(value, SparseTensor):
        return value
    if getattr(value, "_fields", None) == ("indices", "values", "dense_shape"):
        return SparseTensor.from_value(value)
    raise TypeError(f"tf.{name}: {parameter} must be a SparseTensor, got {type(value).__name__}.")


def shaped(indices: Tensor, values: Tensor, dims: Shape) -> SparseTensor:
    """The sparse tensor of parts that are known to fit."""
    return SparseTensor._of(indices, values, sizes_tensor(dims, int64))
