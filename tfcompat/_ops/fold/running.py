"""Cumulative ops along an axis: sums, products and sums of exponentials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import FLOATING, NUMERIC
from tfcompat._ops.axis import require_axis
from tfcompat._ops.derivative import quotient_or_zero, with_derivative


def _runs_along(name: str) -> Callable[..., None]:
    def validate(x: Any, axis: Any, **_: Any) -> None:
        if isinstance(axis, tuple):
            raise InvalidArgumentError.of(f"tf.{name}: axis must be a number, got {list(axis)}.")
        require_axis(name, axis, x.ndim, found_early)

    return validate


def _folded(fold: Callable[..., Any], identity: float, x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    """`fold` along `axis`; if `exclusive`, each element itself is left out, and the first result is `identity`."""
    axis %= x.ndim
    if exclusive and x.shape[axis]:
        first = jnp.full_like(lax.slice_in_dim(x, 0, 1, axis=axis), identity)
        last = x.shape[axis] - 1
        parts = (
            (lax.slice_in_dim(x, 1, None, axis=axis), first)
            if reverse
            else (lax.slice_in_dim(x, 0, last, axis=axis), first)
        )
        x = lax.concatenate(parts if reverse else parts[::-1], axis)
    return fold(x, axis=axis, reverse=reverse)


def running_product(x: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    """The products of the elements of `x` along `axis`, with TensorFlow's derivative."""

    def tangent(t: Any, product: Any, x: Any) -> Any:
        return product * _folded(lax.cumsum, 0, quotient_or_zero(t, x), axis, exclusive, reverse)

    return with_derivative(lambda x: _folded(lax.cumprod, 1, x, axis, exclusive, reverse), tangent)(x)


@op(dtypes=NUMERIC, validate=_runs_along("cumsum"), gradient_reads=False)
def cumsum(x: Array, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Array:
    """The cumulative sums of `x` along `axis`; each includes the element itself unless `exclusive`.

    With `reverse` they accumulate from the end.

    Shapes: [*dims] -> the same.
    Dtypes: numbers -> the same.
    Raises: InvalidArgumentError if `axis` is out of range.
    Source: TF 2.21 `tf.math.cumsum`.
    """
    return _folded(lax.cumsum, 0, x, axis, exclusive, reverse)


@op("math.cumprod", dtypes=NUMERIC, validate=_runs_along("math.cumprod"))
def cumprod(x: Array, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Array:
    """The cumulative products of `x` along `axis`; each includes the element itself unless `exclusive`.

    With `reverse` they accumulate from the end.

    Shapes: [*dims] -> the same.
    Dtypes: numbers -> the same.
    Gradient: 0 where `x` is 0, as in TensorFlow; the exact derivative differs.
    Raises: InvalidArgumentError if `axis` is out of range.
    Source: TF 2.21 `tf.math.cumprod`.
    """
    return running_product(x, axis, exclusive, reverse)


def _share(part: Any, value: Any) -> Any:
    """The exponential of `part - value`; 0 where `value` is -inf."""
    return jnp.exp(part - jnp.where(value == -jnp.inf, 0, value))


# Unlike JAX's, the derivative is 0, not nan, where both are -inf, as masked elements are.
_joined = with_derivative(
    jnp.logaddexp,
    lambda t, value, x, _: t * _share(x, value),
    lambda t, value, _, y: t * _share(y, value),
)

# TensorFlow's derivative of the logarithm of an empty sum is nan.
_nan_where_empty = with_derivative(lambda x: x, lambda t, value, _: t * jnp.where(value == -jnp.inf, jnp.nan, 1))


def _running_logsumexp(x: Any, axis: int, reverse: bool) -> Any:
    return lax.associative_scan(_joined, x, axis=axis, reverse=reverse)


@op("math.cumulative_logsumexp", dtypes=FLOATING, validate=_runs_along("math.cumulative_logsumexp"))
def cumulative_logsumexp(x: Array, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Array:
    """The logarithms of the cumulative sums of e to the power of `x` along `axis`.

    Each includes the element itself unless `exclusive`; with `reverse` the sums accumulate from the end.

    Shapes: [*dims] -> the same.
    Dtypes: floating -> the same.
    Raises: InvalidArgumentError if `axis` is out of range.
    Source: TF 2.21 `tf.math.cumulative_logsumexp`.
    """
    return _nan_where_empty(_folded(_running_logsumexp, -jnp.inf, x, axis, exclusive, reverse))
