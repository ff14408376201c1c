"""Norms, and normalisation by them."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Axes, Number, integers, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import INEXACT, INTEGER, NUMERIC
from tfcompat._ops.derivative import absolute, inverse_root, larger, power, square_root
from tfcompat._ops.fold.axes import axis_exists, folded_axes

_EUCLIDEAN = "euclidean"
_MATRIX_ORDERS = ("euclidean", "fro", 1, 2, math.inf)


def _require_order(order: Any, axis: Any) -> None:
    """Raises ValueError unless `order` is an order for vectors (one axis, or all) or for matrices (two axes)."""
    if isinstance(axis, tuple):
        if len(axis) != 2 or axis[0] == axis[1]:
            raise ValueError(f"tf.norm: axis must be None, an integer, or two different integers, got {axis}.")
        if order not in _MATRIX_ORDERS:
            raise ValueError(f"tf.norm: ord must be one of {_MATRIX_ORDERS} for matrices, got {order!r}.")
    elif order != _EUCLIDEAN and (isinstance(order, str) or not order > 0):
        raise ValueError(f"tf.norm: ord must be 'euclidean' or a positive number for vectors, got {order!r}.")


def _spectral(tensor: Any, axis: tuple[int, int]) -> Any:
    """The largest singular values of the matrices along two axes, which are kept with size 1."""
    matrices = jnp.moveaxis(tensor, axis, (-2, -1))
    largest = _greatest(jnp.linalg.svd(matrices, compute_uv=False), -1)
    return jnp.expand_dims(largest, sorted(k % tensor.ndim for k in axis))


def _greatest(array: Any, axis: int | None, keepdims: bool = False) -> Any:
    """The largest elements along `axis`, or -inf without elements."""
    sizes = array.shape if axis is None else (array.shape[axis],)
    return jnp.max(array, axis, keepdims=keepdims, initial=-math.inf if 0 in sizes else None)


def _norm(tensor: Any, order: Any, axis: Any) -> Any:
    """The norm, with size 1 at the axes that it is taken over."""
    is_matrix = isinstance(axis, tuple)
    if is_matrix and order == 2:
        return _spectral(tensor, axis)
    if order in (_EUCLIDEAN, "fro", 2):
        return square_root(jnp.sum(tensor * jnp.conj(tensor), axis, keepdims=True, dtype=tensor.dtype))
    magnitude = absolute(tensor)
    first, last = axis if is_matrix else (axis, None)
    if order == 1:
        total = jnp.sum(magnitude, first, keepdims=True)
        return _greatest(total, last, keepdims=True) if is_matrix else total
    if order == math.inf:
        return _greatest(jnp.sum(magnitude, last, keepdims=True) if is_matrix else magnitude, first, keepdims=True)
    exponent = jnp.asarray(order, magnitude.dtype)
    return power(jnp.sum(power(magnitude, exponent), axis, keepdims=True), 1 / exponent)


def _operands(tensor: Any, order: Any, axis: Any) -> tuple[Tensor, str, Any]:
    """`tensor`, `order` as text (so that it is part of the program's structure) and `axis`, all validated."""
    axes = integers(axis)
    _require_order(order, axes)
    array = convert_to_tensor(tensor)
    if array.dtype not in NUMERIC:
        raise TypeError(f"tf.norm: tensor must be numeric, got {array.dtype.name}.")
    return array, order if isinstance(order, str) else repr(float(order)), axes


def _parsed(order: str) -> Any:
    return order if order in (_EUCLIDEAN, "fro") else float(order)


@op("norm", dtypes=INEXACT, validate=axis_exists("norm"))
def _norm_op(tensor: Array, order: str, axis: Axes, keepdims: bool = False) -> Array:
    """`norm` with validated arguments."""
    answer = _norm(tensor, _parsed(order), axis)
    return answer if keepdims else jnp.squeeze(answer, folded_axes("norm", axis, tensor.ndim))


@dispatched
def norm(tensor: Any, ord: Any = _EUCLIDEAN, axis: Any = None, keepdims: Any = None, name: str | None = None) -> Tensor:
    """The norm of order `ord` of the vectors of `tensor` along `axis`, of matrices along two axes, or of all if None.

    Orders: "euclidean", 1, 2, infinity and any positive number. For matrices: "euclidean" or "fro" (the root of the sum
    of squares), 1 (largest column), 2 (largest singular value), infinity (largest row).

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: floating and complex -> the same; complex -> real for the orders that take absolute values.
    Gradient: 0 where the upstream is 0, even at 0; else nan there.
    Raises: ValueError for another `ord` or form of `axis`; InvalidArgumentError if an axis is out of range.
    Source: TF 2.21 `tf.norm`.
    """
    return _norm_op(*_operands(tensor, ord, axis), bool(keepdims), name)


@op("linalg.normalize", dtypes=INEXACT, validate=axis_exists("linalg.normalize"), structure=tuple)
def _normalize(tensor: Array, order: str, axis: Axes) -> tuple[Array, Array]:
    """`normalize` with validated arguments."""
    size = _norm(tensor, _parsed(order), axis).astype(tensor.dtype)
    return tensor / size, size


@dispatched
def normalize(tensor: Any, ord: Any = _EUCLIDEAN, axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """`tensor` divided by its norm of order `ord` along `axis`, and that norm.

    Shapes: [*dims] -> the same, and dims with 1 at `axis`.
    Dtypes: floating and complex -> the same.
    Gradient: nan at 0.
    Raises: ValueError for another `ord` or form of `axis`; InvalidArgumentError if an axis is out of range.
    Source: TF 2.21 `tf.linalg.normalize`.
    """
    return _normalize(*_operands(tensor, ord, axis), name)


def _require_inexact(x: Any, axis: Any, epsilon: Any) -> None:
    del epsilon
    if x.dtype in INTEGER:
        raise TypeError(f"tf.nn.l2_normalize: x must be floating or complex, got {x.dtype.name}.")
    folded_axes("nn.l2_normalize", axis, x.ndim)


@op("nn.l2_normalize", dtypes=NUMERIC, validate=_require_inexact)
def _l2_normalize(x: Array, axis: Axes, epsilon: Number) -> Array:
    """`l2_normalize` with one name for its axis."""
    total = jnp.sum(jnp.real(x * jnp.conj(x)), axis, keepdims=True, dtype=jnp.real(x).dtype)
    return x * inverse_root(larger(total, jnp.real(epsilon).astype(total.dtype)))


@dispatched
def l2_normalize(x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """`x` divided by its euclidean norm along `axis` (all axes if None), which is at least the root of `epsilon`.

    `dim` is an old name of `axis`.

    Shapes: [*dims] -> the same.
    Dtypes: floating and complex -> the same.
    Gradient: at 0 that of a division by the root of `epsilon`.
    Raises: TypeError for integers; ValueError if both `axis` and `dim` are given; InvalidArgumentError for a bad axis.
    Source: TF 2.21 `tf.math.l2_normalize`.
    """
    if axis is not None and dim is not None:
        raise ValueError("tf.nn.l2_normalize: axis and dim are the same argument; give only one of them.")
    return _l2_normalize(x, dim if axis is None else axis, epsilon, name)
