"""The nonlinearities of networks, and normalisations along an axis."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.declare import Array, Number, op
from tfcompat._core.dtype import FLOATING, REAL
from tfcompat._ops.fold import axis_exists
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.row import unary

_relu = with_derivative(lambda x: jnp.maximum(x, 0), lambda t, _, x: jnp.where(x > 0, t, 0))
_leaky_relu = with_derivative(
    lambda x, alpha: jnp.where(x > 0, x, x * alpha),
    lambda t, _, x, alpha: jnp.where(x > 0, t, t * alpha),
    lambda t, *_: t * 0,
)

relu = unary(
    "nn.relu", _relu, REAL, "`features`, or 0 where that is larger.", of="features", gradient="0 at 0", flat=True
)


@op("nn.leaky_relu", dtypes=REAL, flat=True)
def leaky_relu(features: Array, alpha: Number = 0.2) -> Array:
    """`features` where positive, else `alpha * features`.

    Shapes: any -> the same.
    Dtypes: real numbers -> the same; of integers float32.
    Gradient: `alpha` at 0.
    Source: TF 2.21 `tf.nn.leaky_relu`.
    """
    x = features.astype(jnp.float32) if jnp.issubdtype(features.dtype, jnp.integer) else features
    return _leaky_relu(x, alpha.astype(x.dtype))


def _exponentials(logits: Any, axis: int) -> tuple[Any, Any]:
    """`logits` less their maximum along `axis`, and e to the power of that."""
    shifted = logits - lax.stop_gradient(jnp.max(logits, axis, keepdims=True, initial=-jnp.inf))
    return shifted, jnp.exp(shifted)


def _softmax_along(axis: int) -> Any:
    def softmax(logits: Any) -> Any:
        exponentials = _exponentials(logits, axis)[1]
        return exponentials / jnp.sum(exponentials, axis, keepdims=True)

    return with_derivative(softmax, lambda t, y, _: (t - jnp.sum(t * y, axis, keepdims=True)) * y)


@op("nn.softmax", dtypes=FLOATING, validate=axis_exists("nn.softmax"))
def softmax(logits: Array, axis: int | None = None) -> Array:
    """The exponentials of `logits`, divided by their sum along `axis` (the last if None).

    Shapes: any of rank 1 or more -> the same.
    Dtypes: floating -> the same.
    Raises: InvalidArgumentError if `axis` is out of range.
    Source: TF 2.21 `tf.nn.softmax`.
    """
    return _softmax_along(-1 if axis is None else axis)(logits)
