"""Activation functions, and softmax along an axis."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Number, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import found_early
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.dtype import FLOATING, INEXACT, INTEGER, NUMERIC, REAL, UNSIGNED, float32
from tfcompat._jaxpr import lean
from tfcompat._jaxpr.platform import is_portable
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.elementwise.row import unary
from tfcompat._ops.elementwise.transcendental import logistic
from tfcompat._ops.fold.axes import axis_exists

_SELU_SCALE, _SELU_SCALE_ALPHA = 1.0507009873554804934193349852946, 1.7580993408473768599402175208123


def _is_positive(x: Any) -> Any:
    return lax.gt(x, np.zeros((), x.dtype))


# Below 0 the cotangent is multiplied by 0, not dropped: infinities become nan. (XLA turns a product with a converted
# comparison into a selection.)
rectified = with_derivative(
    lambda x: lean.maximum(x, 0), lambda t, _, x: lean.where(_is_positive(x), t, lean.multiply(t, 0))
)
_rectified_to_6 = with_derivative(
    lambda x: jnp.clip(x, 0, 6), lambda t, _, x: lean.where((x > 0) & (x < 6), t, lean.multiply(t, 0))
)


def _exp_less_1(x: Any) -> Any:
    """`exp(x) - 1` for negative `x`, less precise near 0 than `expm1`: each step is rounded, as in TensorFlow."""
    power, info = jnp.exp(jnp.minimum(x, 0)), jnp.finfo(x.dtype)
    # TensorFlow Lite's converter does not know `reduce_precision`.
    return (power if is_portable() else lax.reduce_precision(power, info.nexp, info.nmant)) - 1


_elu = with_derivative(lambda x: jnp.where(x < 0, _exp_less_1(x), x), lambda t, y, _: t * jnp.where(y < 0, y + 1, 1))
_selu = with_derivative(
    lambda x: jnp.where(x < 0, _SELU_SCALE_ALPHA * _exp_less_1(x), _SELU_SCALE * x),
    lambda t, y, _: t * jnp.where(y < 0, y + _SELU_SCALE_ALPHA, jnp.asarray(_SELU_SCALE, y.dtype)),
)
_softplus = with_derivative(lambda x: jnp.logaddexp(x, 0), lambda t, _, x: t * logistic(x))
_softsign = with_derivative(lambda x: x / (1 + jnp.abs(x)), lambda t, _, x: t / jnp.square(1 + jnp.abs(x)))
_leaky = with_derivative(
    lambda x, alpha: lean.where(_is_positive(x), x, lax.mul(x, alpha)),
    lambda t, _, x, alpha: lean.where(_is_positive(x), t, lax.mul(t, alpha)),
    lambda t, *_: t * 0,
)

_OF = {"of": "features"}
relu = unary("nn.relu", rectified, REAL, "`features`, but at least 0.", **_OF, gradient="0 at 0", flat=True)
relu6 = unary("nn.relu6", _rectified_to_6, REAL, "`features`, at least 0 and at most 6.", **_OF, flat=True)
elu = unary("nn.elu", _elu, FLOATING, "`features` where positive, else `exp(features) - 1`.", **_OF)
selu = unary("nn.selu", _selu, FLOATING, "The elu of `features`, scaled so that variances are preserved.", **_OF)
softplus = unary(
    "nn.softplus", _softplus, FLOATING, "`log(exp(features) + 1)`: a relu of `features` without its kink.", **_OF
)
softsign = unary(
    "nn.softsign",
    _softsign,
    FLOATING,
    "`features` divided by 1 plus their absolute value.",
    **_OF,
    gradient="LookupError, as in TensorFlow, which has no second derivative",
    no_second="SoftsignGrad",
)


@op("nn.leaky_relu", dtypes=FLOATING, flat=True)
def _leaky_relu(features: Array, alpha: Number) -> Array:
    """`leaky_relu` of floating tensors."""
    return _leaky(features, alpha.astype(jnp.float32).astype(features.dtype))


@dispatched
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """`features` where positive, else `alpha` times `features`.

    Shapes: any -> the same.
    Dtypes: floating -> the same; integers -> float32.
    Gradient: `alpha` at 0.
    Raises: InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.nn.leaky_relu`.
    """
    del name
    tensor = convert_to_tensor(features)
    return _leaky_relu(cast(tensor, float32) if tensor.dtype in INTEGER else tensor, alpha)


@op("nn.gelu", dtypes=NUMERIC)
def _gelu(features: Array, approximate: bool = False) -> Array:
    """`gelu` of floating tensors."""
    x = features
    if approximate:
        return 0.5 * x * (1 + jnp.tanh(math.sqrt(2 / math.pi) * (x + _as_float32(0.044715, x) * x**3)))
    return 0.5 * x * lax.erfc(-x * _as_float32(math.sqrt(0.5), x))


def _as_float32(number: float, beside: Any) -> Any:
    """`number` as TensorFlow converts it, rounded to float32 even for float64 features."""
    return jnp.asarray(np.float32(number)).astype(beside.dtype)


@dispatched
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """`features` times the normal distribution function at `features`; by a tanh if `approximate`.

    Shapes: any -> the same.
    Dtypes: floating -> the same.
    Raises: ValueError for other dtypes.
    Source: TF 2.21 `tf.nn.gelu`.
    """
    tensor = convert_to_tensor(features)
    if tensor.dtype not in FLOATING:
        raise ValueError(f"tf.nn.gelu: features must be floating, got {tensor.dtype.name}.")
    return _gelu(tensor, approximate, name)


def _silu_slope(x: Any, beta: Any) -> Any:
    probability = logistic(beta * x)
    return probability * (1 + beta * x * (1 - probability))


# TensorFlow's derivative for complex numbers lacks conjugations.
_silu_ruled = with_derivative(
    lambda x, beta: x * logistic(beta * x),
    lambda t, _, x, beta: t * jnp.conj(_silu_slope(x, beta)),
    lambda t, _, x, beta: t * jnp.conj(x * x * logistic(beta * x) * (1 - logistic(beta * x))),
)


@op("nn.silu", dtypes=INEXACT)
def _silu(features: Array, beta: Number) -> Array:
    """`silu` as a recorded op."""
    return _silu_ruled(features, beta)


@dispatched
def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """`features` times the sigmoid of `beta` times `features`.

    Shapes: any -> the same.
    Dtypes: floating and complex -> the same.
    Raises: InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.nn.silu`.
    """
    return _silu(features, beta)


@op("nn.crelu", dtypes=REAL - UNSIGNED, flat=True)
def crelu(features: Array, axis: int = -1) -> Array:
    """The relu of `features` and of `-features`, joined along `axis`.

    Shapes: [*dims] -> twice as long at `axis`.
    Dtypes: real numbers with a sign -> the same.
    Gradient: 0 at 0.
    Raises: InvalidArgumentError if `axis` is out of range.
    Source: TF 2.21 `tf.nn.crelu`.
    """
    return rectified(jnp.concatenate((features, -features), axis))


def shifted(logits: Any, axis: int) -> Any:
    """`logits` minus their largest along `axis`, so that no exponential overflows."""
    axis %= logits.ndim
    largest = lax.expand_dims(lax.reduce_max(logits, (axis,)), (axis,))
    return lax.sub(logits, lax.stop_gradient(largest))


def probabilities(logits: Any, axis: int) -> Any:
    """The softmax of `logits` along `axis`."""

    def softmax(logits: Any) -> Any:
        exponentials = lax.exp(shifted(logits, axis))
        return lax.div(exponentials, lean.total(exponentials, axis))

    rule = with_derivative(softmax, lambda t, y, _: lax.mul(y, lax.sub(t, lean.total(lax.mul(y, t), axis))))
    return rule(logits)


def log_probabilities(logits: Any, axis: int) -> Any:
    """The logarithm of the softmax of `logits` along `axis`."""

    def log_softmax(logits: Any) -> Any:
        moved = shifted(logits, axis)
        return lax.sub(moved, lax.log(lean.total(lax.exp(moved), axis)))

    def slope(t: Any, _: Any, logits: Any) -> Any:
        return lax.sub(t, lean.total(lax.mul(t, probabilities(logits, axis)), axis))

    return with_derivative(log_softmax, slope)(logits)


# TensorFlow checks the axis in Python, with this class also while it traces.
_refuse_axis = partial(found_early, is_static=True)


def _infer_softmax(logits: Aval, axis: int | None) -> Aval | None:
    del axis
    return logits if logits.ndim else None  # a scalar is refused


@op("nn.softmax", dtypes=FLOATING, validate=axis_exists("nn.softmax", _refuse_axis), infers=_infer_softmax)
def softmax(logits: Array, axis: int | None = None) -> Array:
    """The exponentials of `logits`, divided by their sum along `axis` (the last if None).

    Shapes: any of rank 1 or more -> the same.
    Dtypes: floating -> the same.
    Raises: InvalidArgumentError if `axis` is out of range.
    Source: TF 2.21 `tf.nn.softmax`.
    """
    return probabilities(logits, -1 if axis is None else axis)


@op("nn.log_softmax", dtypes=FLOATING, validate=axis_exists("nn.log_softmax", _refuse_axis), infers=_infer_softmax)
def log_softmax(logits: Array, axis: int | None = None) -> Array:
    """The logarithms of the softmax of `logits` along `axis` (the last if None).

    Shapes: any of rank 1 or more -> the same.
    Dtypes: floating -> the same.
    Raises: InvalidArgumentError if `axis` is out of range.
    Source: TF 2.21 `tf.nn.log_softmax`.
    """
    return log_probabilities(logits, -1 if axis is None else axis)
