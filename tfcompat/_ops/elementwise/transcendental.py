"""Exponentials, logarithms and trigonometry, element by element."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfcompat._core.types.dtype import FLOATING, INEXACT
from tfcompat._jaxpr import lean
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.elementwise.row import binary, unary


def _logistic(x: Any) -> Any:
    return 1 / (1 + jnp.exp(-x)) if jnp.iscomplexobj(x) else lax.logistic(x)


_atanh = with_derivative(jnp.arctanh, lambda t, _, x: t * (1 / (1 - x * x)))
_acosh = with_derivative(jnp.arccosh, lambda t, y, _: t / jnp.sinh(y))
logistic = with_derivative(_logistic, lambda t, y, _: lax.mul(t, lax.mul(y, lean.subtract(1, y))))


def _unless_zero(function: Any, x: Any, y: Any) -> Any:
    """`function(x, y)`, but 0 where x is 0."""
    return jnp.where(x == 0, 0, function(x, jnp.where(x == 0, jnp.ones_like(y), y)))


def _or_zero(function: Any, of_x: Any, of_y: Any) -> Any:
    """The function of `x` and `y`, but 0 where `x` is 0; `of_x` and `of_y` are its derivatives elsewhere."""
    return with_derivative(
        lambda x, y: _unless_zero(function, x, y),
        # TensorFlow omits conjugations.
        lambda t, _, x, y: t * jnp.conj(_unless_zero(of_x, x, y)),
        lambda t, _, x, y: t * jnp.conj(_unless_zero(of_y, x, y)),
    )


_xlogy = _or_zero(lambda x, y: x * jnp.log(y), lambda _, y: jnp.log(y), lambda x, y: x / y)
_xlog1py = _or_zero(lambda x, y: x * jnp.log1p(y), lambda _, y: jnp.log1p(y), lambda x, y: x / (1 + y))
_xdivy = _or_zero(lambda x, y: x / y, lambda _, y: 1 / y, lambda x, y: -x / (y * y))


exp = unary("exp", jnp.exp, INEXACT, "e to the power of `x`.")
_expm1 = with_derivative(jnp.expm1, lambda t, _, x: t * jnp.exp(x))
expm1 = unary("math.expm1", _expm1, INEXACT, "e to the power of `x`, minus 1; precise near 0.")
log = unary("math.log", jnp.log, INEXACT, "The natural logarithm of `x`.")
log1p = unary("math.log1p", jnp.log1p, INEXACT, "The natural logarithm of `1 + x`; precise near 0.")

sin = unary("sin", jnp.sin, INEXACT, "The sine of `x`.")
cos = unary("cos", jnp.cos, INEXACT, "The cosine of `x`.")
tan = unary("tan", jnp.tan, INEXACT, "The tangent of `x`.")
asin = unary("asin", jnp.arcsin, INEXACT, "The angle whose sine is `x`, from -pi/2 to pi/2.")
acos = unary("acos", jnp.arccos, INEXACT, "The angle whose cosine is `x`, from 0 to pi.")
atan = unary("atan", jnp.arctan, INEXACT, "The angle whose tangent is `x`, from -pi/2 to pi/2.")
atan2 = binary("atan2", jnp.arctan2, FLOATING, "The angle of the point with ordinate `y`, abscissa `x`.", of=("y", "x"))

sinh = unary("sinh", jnp.sinh, INEXACT, "The hyperbolic sine of `x`.")
cosh = unary("cosh", jnp.cosh, INEXACT, "The hyperbolic cosine of `x`.")
tanh = unary("tanh", jnp.tanh, INEXACT, "The hyperbolic tangent of `x`.")
asinh = unary("asinh", jnp.arcsinh, INEXACT, "The number whose hyperbolic sine is `x`.")
acosh = unary("acosh", _acosh, INEXACT, "The non-negative number whose hyperbolic cosine is `x`.")
atanh = unary("atanh", _atanh, INEXACT, "The number whose hyperbolic tangent is `x`.")

sigmoid = unary("sigmoid", logistic, INEXACT, "The logistic function 1 / (1 + exp(-`x`)).")
log_sigmoid = unary("math.log_sigmoid", jax.nn.log_sigmoid, FLOATING, "The natural logarithm of the sigmoid of `x`.")

_ZERO = "0 where `x` is 0"
xlogy = binary("math.xlogy", _xlogy, INEXACT, "`x * log(y)`, but 0 where `x` is 0.", gradient=_ZERO)
xlog1py = binary("math.xlog1py", _xlog1py, INEXACT, "`x * log(1 + y)`, but 0 where `x` is 0.", gradient=_ZERO)
xdivy = binary("math.xdivy", _xdivy, INEXACT, "`x / y`, but 0 where `x` is 0.", gradient=_ZERO)
