"""Products of vectors and matrices, promoted to one dtype."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import NUMERIC, bool_
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.array.layout import broadcast_to, reshape
from tfcompat._ops.array.padding import pad
from tfcompat._ops.elementwise import algebraic, comparison, complex_number
from tfcompat._ops.linalg import contraction
from tfcompat._ops.numpy_like.layout import moveaxis
from tfcompat._ops.numpy_like.promotion import asarray, promoted
from tfcompat._ops.numpy_like.reduction import sum
from tfcompat._ops.numpy_like.selection import diagonal


def matmul(x1: Any, x2: Any) -> Tensor:
    """The matrix products of `x1` and `x2`; a vector is a row on the left and a column on the right.

    Shapes: [*batch, m, n], [*batch, n, k] (the batches broadcast) -> [*batch, m, k].
    Dtypes: numbers -> their promoted dtype.
    Raises: ValueError if the shapes don't fit.
    Source: TF 2.21 `tf.experimental.numpy.matmul`.
    """
    x, y = promoted(x1, x2)
    try:
        if y.ndim == 1:
            return contraction.tensordot(x, y, 1)
        return contraction.tensordot(x, y, [[0], [-2]]) if x.ndim == 1 else contraction.matmul(x, y)
    except InvalidArgumentError as refused:
        raise ValueError(f"tf.experimental.numpy.{refused}") from refused


def dot(a: Any, b: Any) -> Tensor:
    """The products of `a` and `b` summed over the last axis of `a` and the last but one (or only) axis of `b`.

    Shapes: [*before, n], [*batch, n, k] -> [*before, *batch, k]; a scalar multiplies the other.
    Dtypes: numbers -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.dot`.
    """
    x, y = promoted(a, b)
    if x.ndim == 0 or y.ndim == 0:
        return algebraic.multiply(x, y)
    return contraction.tensordot(x, y, [[-1], [-1 if y.ndim == 1 else -2]])


def inner(a: Any, b: Any) -> Tensor:
    """The products of `a` and `b` summed over the last axis of both.

    Shapes: [*before, n], [*after, n] -> [*before, *after]; a scalar multiplies the other.
    Dtypes: numbers -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.inner`.
    """
    x, y = promoted(a, b)
    if x.ndim == 0 or y.ndim == 0:
        return algebraic.multiply(x, y)
    return contraction.tensordot(x, y, [[-1], [-1]])


def outer(a: Any, b: Any) -> Tensor:
    """The products of each element of `a` with each of `b`.

    Shapes: any two -> [size of a, size of b].
    Dtypes: numbers, bool -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.outer`.
    """
    x, y = promoted(a, b)
    compute = comparison.logical_and if x.dtype.is_bool else algebraic.multiply
    return compute(reshape(x, [-1, 1]), reshape(y, [-1]))


def vdot(a: Any, b: Any) -> Tensor:
    """The products of the elements of `a`, conjugated, with those of `b`, summed.

    Shapes: two of one size -> [].
    Dtypes: numbers -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.vdot`.
    """
    x, y = (reshape(each, [-1]) for each in promoted(a, b))
    return dot(complex_number.conj(x) if x.dtype.is_complex else x, y)


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Tensor:
    """The cross products of the vectors along `axisa` of `a` and `axisb` of `b`, along `axisc`; `axis` is all three.

    A vector of two components has 0 as its third; for two such vectors, only the third component is returned.

    Shapes: [*dims, 2 or 3] twice, dims broadcast -> [*dims, 3]; dims for vectors of two components.
    Dtypes: numbers -> their promoted dtype.
    Raises: IndexError for a scalar; FailedPreconditionError for vectors of other lengths.
    Source: TF 2.21 `tf.experimental.numpy.cross`.
    """
    places = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    arrays = promoted(a, b)
    if any(array.ndim == 0 for array in arrays):
        raise IndexError("tf.experimental.numpy.cross: a and b must be vectors, got a scalar.")
    x, y = (moveaxis(array, place, -1) for array, place in zip(arrays, places, strict=False))
    is_flat = x._aval.shape[-1] == y._aval.shape[-1] == 2
    x, y = (_in_space(vector) for vector in (x, y))
    dims = broadcast_shapes(x._aval.shape[:-1], y._aval.shape[:-1])
    product = contraction.cross(*(broadcast_to(vector, (*dims, vector._aval.shape[-1])) for vector in (x, y)))
    return getitem(product, (..., 2)) if is_flat else moveaxis(product, -1, places[2])


def _in_space(vectors: Tensor) -> Tensor:
    """Vectors of two components with 0 as their third; others unchanged."""
    if vectors._aval.shape[-1] != 2:
        return vectors
    return pad(vectors, [*[(0, 0)] * (vectors.ndim - 1), (0, 1)])


def kron(a: Any, b: Any) -> Tensor:
    """The Kronecker product of `a` and `b`; the one of smaller rank gets leading axes of size 1.

    Shapes: [*dims], [*sizes] -> dims * sizes.
    Dtypes: numbers, bool -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.kron`.
    """
    return _kron(*promoted(a, b))


@op("experimental.numpy.kron", dtypes=NUMERIC | {bool_})
def _kron(a: Array, b: Array) -> Array:
    if a.dtype == bool:
        return jnp.kron(a.astype(jnp.int8), b.astype(jnp.int8)) != 0
    return jnp.kron(a, b)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The products of `a` and `b` summed over `axes`: two lists of axes, or n for the last n of `a` and first n of `b`.

    Shapes: the remaining axes of `a`, then those of `b`.
    Dtypes: numbers -> their promoted dtype.
    Source: TF 2.21 `tf.experimental.numpy.tensordot`.
    """
    return contraction.tensordot(*promoted(a, b), axes)


_ORDERS = {False: "greedy", True: "greedy", "greedy": "greedy", "optimal": "optimal"}


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Tensor:
    """The products of elements of `operands` summed over the labels that are missing after the arrow of `subscripts`.

    Args:
      subscripts: as in `tf.einsum`.
      operands: tensors, which are promoted unless `casting` is "no".
      kwargs: `casting`, "safe" or "no"; `optimize`, False, True, "greedy" or "optimal".

    Shapes: as the labels describe.
    Dtypes: numbers -> their promoted dtype.
    Raises: ValueError for another `casting` or `optimize`; TypeError for other arguments.
    Source: TF 2.21 `tf.experimental.numpy.einsum`.
    """
    unknown = kwargs.keys() - {"casting", "optimize"}
    if unknown:
        raise TypeError(f"tf.experimental.numpy.einsum: got unexpected arguments {sorted(unknown)}.")
    casting, optimize = kwargs.get("casting", "safe"), kwargs.get("optimize", False)
    if casting not in ("safe", "no") or optimize not in _ORDERS:
        raise ValueError(f"tf.experimental.numpy.einsum: got casting {casting!r} and optimize {optimize!r}.")
    tensors = promoted(*operands) if casting == "safe" else map(asarray, operands)
    return contraction.einsum(subscripts, *tensors, optimize=_ORDERS[optimize])


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    """The sums of the diagonals of the matrices along `axis1` and `axis2` of `a`, `offset` above the main one.

    Shapes: [*dims] -> dims without the two.
    Dtypes: any -> `dtype`, else the same for the main diagonal of the last two axes, else that of a sum.
    Source: TF 2.21 `tf.experimental.numpy.trace`.
    """
    array = asarray(a, dtype)
    if offset == 0 and axis1 in (-2, array.ndim - 2) and axis2 in (-1, array.ndim - 1):
        return contraction.trace(array)
    return sum(diagonal(array, offset, axis1, axis2), -1, dtype)
