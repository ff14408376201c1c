"""Arithmetic, element by element: sums, products, quotients, powers, absolute values, extremes."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.convert import as_tensor
from tfcompat._core.declare import Array, Check, op
from tfcompat._core.dtype import (
    BOOL,
    DENSE,
    FLOATING,
    INEXACT,
    INTEGER,
    NUMERIC,
    REAL,
    UNSIGNED,
    int8,
    int16,
    uint8,
    uint16,
)
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.tensor import Tensor
from tfcompat._ops.derivative import guarded, with_derivative
from tfcompat._ops.row import binary, by_first, unary

_SIGNED = NUMERIC - UNSIGNED
_SHORT = frozenset((int8, int16, uint8, uint16))
_LARGEST_STATIC_POWER = 8


def _along(tangent: Any, direction: Any) -> Any:
    """The part of `tangent` along `direction`, a number of size 1 or 0."""
    return jnp.real(tangent * jnp.conj(direction)) if jnp.iscomplexobj(direction) else tangent * direction


_abs = with_derivative(jnp.abs, lambda t, _, x: _along(t, jnp.sign(x)))
_sqrt = with_derivative(jnp.sqrt, lambda t, root, _: guarded(t, 0.5 / root))
_rsqrt = with_derivative(lambda x: 1 / jnp.sqrt(x), lambda t, inverse, x: guarded(t, -0.5 * inverse / x))
_reciprocal = with_derivative(lambda x: 1 / x, lambda t, inverse, _: guarded(t, -inverse * inverse))

negative = unary("negative", jnp.negative, _SIGNED, "`x` with the opposite sign.", fold=np.negative)
abs = unary(
    "abs", _abs, _SIGNED, "The absolute value of `x`.", gives="the same; real of complex", gradient="0 at 0", flat=True
)
sign = unary("sign", jnp.sign, _SIGNED, "`x` over its absolute value: -1, 0 or 1.", gradient="0")
square = unary("square", lambda x: x * x, NUMERIC, "`x` times itself.")
sqrt = unary("sqrt", _sqrt, INEXACT, "The square root of `x`.", gradient="0 where the upstream is 0, even at 0")
rsqrt = unary(
    "math.rsqrt", _rsqrt, INEXACT, "1 over the square root of `x`.", gradient="0 where the upstream is 0, even at 0"
)
reciprocal = unary(
    "math.reciprocal", _reciprocal, INEXACT, "1 over `x`.", gradient="0 where the upstream is 0, even at 0"
)


_maximum = with_derivative(
    jnp.maximum, lambda t, _, x, y: jnp.where(x >= y, t, 0), lambda t, _, x, y: jnp.where(x >= y, 0, t)
)
_minimum = with_derivative(
    jnp.minimum, lambda t, _, x, y: jnp.where(x <= y, t, 0), lambda t, _, x, y: jnp.where(x <= y, 0, t)
)

plus = binary("add", jnp.add, NUMERIC, "`x + y`.", fold=np.add)
subtract = binary("subtract", jnp.subtract, NUMERIC, "`x - y`.", fold=np.subtract)
multiply = binary("multiply", jnp.multiply, NUMERIC, "`x * y`.", fold=np.multiply)
maximum = binary(
    "maximum", _maximum, REAL, "The larger of `x` and `y`.", gradient="all to `x` where they tie", fold=np.maximum
)
minimum = binary(
    "minimum", _minimum, REAL, "The smaller of `x` and `y`.", gradient="all to `x` where they tie", fold=np.minimum
)


def _is_integer(number: Any) -> bool:
    return np.dtype(getattr(number, "dtype", type(number))).kind in "iu"


def _require_quotient(x: Any, y: Any) -> None:
    if x.dtype in BOOL:
        raise TypeError(f"tf.truediv: x and y must be numbers, got {x.dtype.name}; convert with tf.cast.")
    del y


def _truediv(x: Any, y: Any) -> Any:
    if not _is_integer(x):
        return x / y
    wide = jnp.float32 if x.dtype.itemsize <= 2 else jnp.float64
    return x.astype(wide) / y.astype(wide)


_floormod = with_derivative(jnp.remainder, lambda t, _, x, y: t, lambda t, _, x, y: -t * jnp.floor(x / y))
_DIVISOR = Check(("y",), lambda x, y: y == 0 if _is_integer(y) else np.False_, "Integer division by zero")

over = binary(
    "truediv",
    _truediv,
    DENSE,
    "`x / y`, without rounding for integers too.",
    gives="the same; of 8 and 16 bit integers float32, of wider ones float64",
    validate=_require_quotient,
)
floordiv = binary(
    "math.floordiv",
    lambda x, y: jnp.floor_divide(x, y) if _is_integer(x) else jnp.floor(x / y),
    REAL,
    "`x / y` rounded down.",
    gradient="None",
    differentiable=False,
    check=_DIVISOR,
    fold=np.floor_divide,
)
floormod = binary(
    "math.floormod",
    _floormod,
    REAL,
    "`x` minus `floordiv(x, y) * y`, which has the sign of `y`.",
    check=_DIVISOR,
    fold=np.remainder,
)

add = by_first(plus, InvalidArgumentError.of)
truediv = divide = by_first(over, TypeError)


def _log_of_base(x: Any) -> Any:
    """log(x), but 0 where powers of `x` count as constant in the exponent."""
    has_log = x != 0 if jnp.iscomplexobj(x) else x > 0
    return jnp.where(has_log, jnp.log(jnp.where(has_log, x, jnp.ones_like(x))), jnp.zeros_like(x))


_power = with_derivative(
    jnp.power, lambda t, _, x, y: t * (y * _power(x, y - 1)), lambda t, power, x, _: t * (power * _log_of_base(x))
)
_POWERED = INEXACT | (INTEGER - UNSIGNED)

general_pow = binary(
    "pow",
    _power,
    _POWERED,
    "`x` to the power of `y`.",
    gradient="in `y` 0 where `x` is not positive",
    check=Check(
        ("y",),
        lambda x, y: y < 0 if _is_integer(y) else np.False_,
        "Integers to negative integer powers are not allowed",
    ),
)


def _repeated_product(x: Any, exponent: int) -> Any:
    product = with_derivative(
        lambda base: jax.lax.integer_pow(base, exponent),
        lambda t, _, base: t * (exponent * _repeated_product(base, exponent - 1)),
    )
    return product(x)


@op("pow", dtypes=_POWERED)
def static_pow(x: Array, exponent: int) -> Array:
    """`x` to the power of a small whole number, which is part of the program's structure: a few products.

    Shapes: any -> the same.
    Dtypes: floating, complex and signed integers -> the same.
    Source: TF 2.21 `tf.pow`.
    """
    return _repeated_product(x, exponent)


@functools.wraps(general_pow)
def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    if type(y) in (int, float) and -_LARGEST_STATIC_POWER <= y <= _LARGEST_STATIC_POWER and y == int(y):
        base = as_tensor(x)
        if base is not None and (base.dtype in INEXACT or (type(y) is int and y >= 0)):
            return static_pow(base, int(y))
    return general_pow(x, y)
