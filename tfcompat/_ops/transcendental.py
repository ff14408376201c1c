"""Exponentials, logarithms, trigonometry and the functions of statistics, element by element."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from tfcompat._core.dtype import INEXACT
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.row import unary

_sigmoid = with_derivative(
    lambda x: 1 / (1 + jnp.exp(-x)) if jnp.iscomplexobj(x) else jax.nn.sigmoid(x), lambda t, y, _: t * (y * (1 - y))
)

exp = unary("exp", jnp.exp, INEXACT, "e to the power of `x`.")
expm1 = unary("math.expm1", jnp.expm1, INEXACT, "e to the power of `x`, minus 1, precise near 0.")
log = unary("math.log", jnp.log, INEXACT, "The natural logarithm of `x`.")
log1p = unary("math.log1p", jnp.log1p, INEXACT, "The natural logarithm of `1 + x`, precise near 0.")
tanh = unary("tanh", jnp.tanh, INEXACT, "The hyperbolic tangent of `x`.")
sigmoid = unary("sigmoid", _sigmoid, INEXACT, "1 over 1 plus e to the power of `-x`.")
