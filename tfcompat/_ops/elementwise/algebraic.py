"""Arithmetic, element by element: sums, products, quotients, powers, absolute values, extremes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import as_tensor
from tfcompat._core.calls.declare import Array, Check, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, NotFoundError, wrong_dtype
from tfcompat._core.tracing.trace import record_one
from tfcompat._core.types import dtype as types
from tfcompat._core.types.dtype import ADDABLE, BOOL, DENSE, FLOATING, INEXACT, INTEGER, NUMERIC, REAL, UNSIGNED
from tfcompat._jaxpr import lean
from tfcompat._ops import derivative
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.elementwise.row import binary, by_first, no_bool, unary
from tfcompat._ops.inferred import broadcast

_SIGNED = NUMERIC - UNSIGNED
_WIDE = frozenset((types.int32, types.int64))
_UPSTREAM = "0 where the upstream is 0, even at a pole"
_FIRST = "all of it to `x` where they are equal"


def _is_integer(number: Any) -> bool:
    return np.dtype(getattr(number, "dtype", type(number))).kind in "iu"


# Functions of one tensor.

negative = unary("negative", lax.neg, _SIGNED, "`x` with the opposite sign.", fold=np.negative, gradient_reads=False)
abs = unary(
    "abs",
    derivative.absolute,
    _SIGNED,
    "The absolute value of `x`.",
    gives="the same, real",
    gradient="0 at 0",
    flat=True,
)
sign = unary("sign", derivative.direction, _SIGNED, "`x` over its absolute value; 0 for 0.", gradient="0", flat=True)
square = unary("square", lambda x: lax.mul(x, x), NUMERIC, "The square of `x`.")
sqrt = unary("sqrt", derivative.square_root, INEXACT, "The square root of `x`.", gradient=_UPSTREAM)
rsqrt = unary("math.rsqrt", derivative.inverse_root, INEXACT, "1 over the square root of `x`.", gradient=_UPSTREAM)
reciprocal = unary("math.reciprocal", derivative.inverse, INEXACT, "1 over `x`.", gradient=_UPSTREAM)
reciprocal_no_nan = unary(
    "math.reciprocal_no_nan",
    lambda x: derivative.quotient_or_zero(jnp.ones_like(x), x),
    INEXACT | BOOL,
    "1 over `x`, but 0 where `x` is 0.",
    validate=no_bool("math.reciprocal_no_nan"),
)

# Sums, products and extremes of two.

plus = binary(
    "add",
    lean.add,
    ADDABLE,
    "`x + y`; for strings, their concatenation.",
    fold=np.add,
    strings=np.add,
    gradient_reads=False,
)
subtract = binary("subtract", lean.subtract, NUMERIC, "`x - y`.", fold=np.subtract, gradient_reads=False)
multiply = binary("multiply", lean.multiply, NUMERIC, "`x * y`.", fold=np.multiply)
maximum = binary("maximum", derivative.larger, REAL, "The larger of `x` and `y`.", gradient=_FIRST, fold=np.maximum)
minimum = binary("minimum", derivative.smaller, REAL, "The smaller of `x` and `y`.", gradient=_FIRST, fold=np.minimum)
squared_difference = binary(
    "math.squared_difference",
    derivative.squared_difference,
    INEXACT | _WIDE,
    "`x - y` times its complex conjugate.",
)
product_no_nan = binary(
    "math.multiply_no_nan",
    derivative.product_or_zero,
    INEXACT,
    "`x * y`, but 0 where `y` is 0, even if `x` is infinite or nan.",
    gradient="to `y` 0 where the upstream is 0",
)
nextafter = binary(
    "math.nextafter",
    with_derivative(jnp.nextafter, lambda t, *_: t, lambda t, *_: t * 0),
    frozenset((types.float32, types.float64)),
    "The next representable number after `x1` towards `x2`.",
    of=("x1", "x2"),
    gradient="1 to `x1`, 0 to `x2`",
)

# Quotients.

_BY_ZERO = "Integer division by zero"
_DIVISOR = Check(("y",), lambda y, **_: y == 0 if _is_integer(y) else np.False_, _BY_ZERO)


def _widened(x: Any) -> Any:
    """`x` in the dtype of its quotients: integers up to 16 bits as float32, wider ones as float64."""
    if not _is_integer(x):
        return x
    return x.astype(jnp.float32 if x.dtype.itemsize <= 2 else jnp.float64)


def _unless_zero(divide: Callable[..., Any]) -> Callable[..., Any]:
    """`divide` of integers on the host."""

    def divide_checked(x: Any, y: Any) -> Any:
        if not np.all(y):
            raise InvalidArgumentError.of(f"tf.{divide.__name__}: {_BY_ZERO}.")
        return divide(x, y)

    return divide_checked


def _require_no_integer(x: Any, y: Any) -> None:
    if x.dtype in INTEGER:
        raise NotFoundError.of(f"tf.realdiv: {x.dtype.name} and {y.dtype.name} are not supported; use tf.divide.")


_QUOTIENT: dict[str, Any] = {"gives": "the same; for integers float32 (8 and 16 bits) or float64"}

over = binary(
    "truediv",
    lambda x, y: lean.divide(_widened(x), _widened(y)),
    DENSE,
    "`x / y`, not rounded, for integers too.",
    validate=no_bool("truediv"),
    infers=broadcast(lambda dtype: dtype if dtype in INEXACT else None),
    **_QUOTIENT,
)
quotient_no_nan = binary(
    "math.divide_no_nan",
    lambda x, y: derivative.quotient_or_zero(_widened(x), _widened(y)),
    DENSE,
    "`x / y`, but 0 where `y` is 0.",
    gradient="0 where `y` is 0",
    validate=no_bool("math.divide_no_nan"),
    **_QUOTIENT,
)
realdiv = binary("realdiv", jnp.true_divide, NUMERIC, "`x / y`.", validate=_require_no_integer)
floordiv = binary(
    "math.floordiv",
    lambda x, y: jnp.floor_divide(x, y) if _is_integer(x) else jnp.floor(x / y),
    REAL,
    "`x / y` rounded down.",
    gradient="None",
    differentiable=False,
    integer_check=_DIVISOR,
    fold=_unless_zero(np.floor_divide),
)
floormod = mod = binary(
    "math.floormod",
    with_derivative(jnp.remainder, lambda t, *_: t, lambda t, _, x, y: -t * derivative.detached(jnp.floor(x / y))),
    REAL,
    "The remainder `x - floordiv(x, y) * y`, which has the sign of `y`.",
    integer_check=_DIVISOR,
    fold=_unless_zero(np.remainder),
)
truncatediv = binary(
    "truncatediv",
    lambda x, y: _divided_towards_zero(x, y) if _is_integer(x) else jnp.trunc(x / y),
    REAL,
    "`x / y` rounded towards 0.",
    gradient="None",
    differentiable=False,
    integer_check=_DIVISOR,
)
truncatemod = binary(
    "truncatemod",
    jnp.fmod,
    FLOATING | _WIDE,
    "The remainder `x - truncatediv(x, y) * y`, which has the sign of `x`.",
    gradient="LookupError",
    no_gradient="TruncateMod",
    integer_check=_DIVISOR,
)


def _divided_towards_zero(x: Any, y: Any) -> Any:
    return (x - jnp.fmod(x, y)) // y


add = by_first(plus, wrong_dtype)
truediv, divide = by_first(over, TypeError), by_first(over, TypeError)
divide_no_nan = by_first(quotient_no_nan, TypeError)
multiply_no_nan = by_first(product_no_nan, ValueError)

# Powers.

_LARGEST_STATIC_POWER = 8

general_pow = binary(
    "pow",
    derivative.power,
    _SIGNED,
    "`x` to the power of `y`.",
    gradient="to `y` 0 where `x` is not positive",
    integer_check=Check(
        ("y",),
        lambda y, **_: y < 0 if _is_integer(y) else np.False_,
        "Integers to negative integer powers are not allowed",
    ),
)


@op("pow", dtypes=_SIGNED)
def static_pow(x: Array, exponent: int) -> Array:
    """`x` to the power of a small whole number, which is part of the program's structure.

    Shapes: any -> the same.
    Dtypes: floating, complex and signed integers -> the same.
    Source: TF 2.21 `tf.pow`.
    """
    return derivative.repeated_product(x, exponent)


_static_pow = static_pow.declaration  # pyright: ignore[reportFunctionMemberAccess]


@functools.wraps(general_pow)
def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    del name
    if type(y) in (int, float) and -_LARGEST_STATIC_POWER <= y <= _LARGEST_STATIC_POWER and y == int(y):
        base = as_tensor(x)
        if base is not None and base.dtype in INEXACT:
            return record_one(_static_pow.bind((int(y),), 1, False), base)
        if base is not None and base.dtype in _SIGNED and type(y) is int and y >= 0:
            return static_pow(base, y)
    return general_pow(x, y)
