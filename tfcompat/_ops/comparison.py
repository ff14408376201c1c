"""Comparisons and logic, element by element."""

from __future__ import annotations

import jax.numpy as jnp

from tfcompat._core.dtype import BOOL, DENSE, FLOATING, REAL
from tfcompat._ops.row import binary, unary

_TRUTH = {"gives": "bool", "gradient": "None", "differentiable": False}

equal = binary("equal", jnp.equal, DENSE, "Whether `x` and `y` are equal.", **_TRUTH)
not_equal = binary("not_equal", jnp.not_equal, DENSE, "Whether `x` and `y` differ.", **_TRUTH)
less = binary("less", jnp.less, REAL, "Whether `x < y`.", **_TRUTH)
less_equal = binary("less_equal", jnp.less_equal, REAL, "Whether `x <= y`.", **_TRUTH)
greater = binary("greater", jnp.greater, REAL, "Whether `x > y`.", **_TRUTH)
greater_equal = binary("greater_equal", jnp.greater_equal, REAL, "Whether `x >= y`.", **_TRUTH)

logical_and = binary("logical_and", jnp.logical_and, BOOL, "Whether `x` and `y` are both True.")
logical_or = binary("logical_or", jnp.logical_or, BOOL, "Whether `x` or `y` or both are True.")
logical_xor = binary(
    "math.logical_xor", jnp.logical_xor, BOOL, "Whether one of `x` and `y` is True and the other is not."
)
logical_not = unary("logical_not", jnp.logical_not, BOOL, "Whether `x` is False.")

_TEST = {"gives": "bool", "gradient": "LookupError"}

is_nan = unary("math.is_nan", jnp.isnan, FLOATING, "Whether `x` is nan.", **_TEST, no_gradient="IsNan")
is_inf = unary("math.is_inf", jnp.isinf, FLOATING, "Whether `x` is infinite.", **_TEST, no_gradient="IsInf")
is_finite = unary(
    "math.is_finite",
    jnp.isfinite,
    FLOATING,
    "Whether `x` is neither infinite nor nan.",
    **_TEST,
    no_gradient="IsFinite",
)
