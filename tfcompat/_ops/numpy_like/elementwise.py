"""Elementwise functions of one tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import FLOATING
from tfcompat._ops.array.creation import ones_like
from tfcompat._ops.array.gathering import where as choose
from tfcompat._ops.elementwise import algebraic, bitwise, complex_number, rounding, transcendental
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.numpy_like.promotion import asarray, floating
from tfcompat._ops.numpy_like.row import fractional, unary

abs = unary("abs", algebraic.abs, "The absolute value of `x`.", gives="the same; real for complex")
absolute = unary("absolute", algebraic.abs, "The absolute value of `x`.", gives="the same; real for complex")
fabs = unary("fabs", algebraic.abs, "The absolute value of `x`.", gives="the same; real for complex")
negative = unary("negative", algebraic.negative, "`x` with the opposite sign.")
positive = unary("positive", lambda x: x, "`x` unchanged.")
reciprocal = unary("reciprocal", algebraic.reciprocal, "1 over `x`.")
square = unary("square", algebraic.square, "The square of `x`.")
conj = unary("conj", complex_number.conj, "The complex conjugate of `x`.")
conjugate = unary("conjugate", complex_number.conj, "The complex conjugate of `x`.")
bitwise_not = unary("bitwise_not", bitwise.not_, "The bits that are not set in `x`; for bool, the negation.")

ceil = fractional("ceil", rounding.ceil, "The smallest whole number not less than `x`.")
floor = fractional("floor", rounding.floor, "The largest whole number not greater than `x`.")
fix = fractional("fix", lambda x: choose(x < 0, rounding.ceil(x), rounding.floor(x)), "`x` rounded towards 0.")
sqrt = fractional("sqrt", algebraic.sqrt, "The square root of `x`.")
cbrt = fractional("cbrt", lambda x: _signed(algebraic.abs(x) ** (1.0 / 3), x), "The cube root of `x`.")
exp = fractional("exp", transcendental.exp, "e to the power of `x`.")
exp2 = fractional("exp2", lambda x: 2**x, "2 to the power of `x`.")
expm1 = fractional("expm1", transcendental.expm1, "e to the power of `x`, minus 1; precise near 0.")
log = fractional("log", transcendental.log, "The natural logarithm of `x`.")
log1p = fractional("log1p", transcendental.log1p, "The natural logarithm of `1 + x`; precise near 0.")
log2 = fractional("log2", lambda x: transcendental.log(x) / np.log(2), "The logarithm of `x` to base 2.")
log10 = fractional("log10", lambda x: transcendental.log(x) / np.log(10), "The logarithm of `x` to base 10.")
sin = fractional("sin", transcendental.sin, "The sine of `x`.")
cos = fractional("cos", transcendental.cos, "The cosine of `x`.")
tan = fractional("tan", transcendental.tan, "The tangent of `x`.")
sinh = fractional("sinh", transcendental.sinh, "The hyperbolic sine of `x`.")
cosh = fractional("cosh", transcendental.cosh, "The hyperbolic cosine of `x`.")
tanh = fractional("tanh", transcendental.tanh, "The hyperbolic tangent of `x`.")
arcsin = fractional("arcsin", transcendental.asin, "The angle whose sine is `x`, from -pi/2 to pi/2.")
arccos = fractional("arccos", transcendental.acos, "The angle whose cosine is `x`, from 0 to pi.")
arctan = fractional("arctan", transcendental.atan, "The angle whose tangent is `x`, from -pi/2 to pi/2.")
arcsinh = fractional("arcsinh", transcendental.asinh, "The number whose hyperbolic sine is `x`.")
arccosh = fractional("arccosh", transcendental.acosh, "The non-negative number whose hyperbolic cosine is `x`.")
arctanh = fractional("arctanh", transcendental.atanh, "The number whose hyperbolic tangent is `x`.")
deg2rad = fractional("deg2rad", lambda x: x * (np.pi / 180.0), "The angle `x` converted from degrees to radians.")
rad2deg = fractional("rad2deg", lambda x: x * (180.0 / np.pi), "The angle `x` converted from radians to degrees.")
sinc = fractional("sinc", lambda x: _sinc(x), "The sine of pi times `x` over pi times `x`; 1 at 0.")


def angle(z: Any, deg: bool = False) -> Tensor:
    """The angle of `z` from the real axis, in degrees if `deg`; for a real number 0 or pi.

    Shapes: any -> the same.
    Dtypes: numbers -> floating; float32 for real numbers.
    Source: TF 2.21 `tf.experimental.numpy.angle`.
    """
    number = floating(z)
    turned = choose(number < 0, np.pi, 0.0) if number.dtype in FLOATING else complex_number.angle(number)
    return rad2deg(turned) if deg else turned


def real(val: Any) -> Tensor:
    """The real part of `val`.

    Shapes: any -> the same.
    Dtypes: numbers -> their real dtype.
    Source: TF 2.21 `tf.experimental.numpy.real`.
    """
    return complex_number.real(asarray(val))


def imag(val: Any) -> Tensor:
    """The imaginary part of `val`.

    Shapes: any -> the same.
    Dtypes: numbers -> their real dtype.
    Source: TF 2.21 `tf.experimental.numpy.imag`.
    """
    return complex_number.imag(asarray(val))


def around(a: Any, decimals: int = 0) -> Tensor:
    """`a` rounded to `decimals` digits after the point, which may be negative; ties go to the even digit.

    Shapes: any -> the same.
    Dtypes: numbers -> the same.
    Source: TF 2.21 `tf.experimental.numpy.around`.
    """
    array = asarray(a)
    number = floating(array)
    # TensorFlow also computes the factor in float32 first.
    factor = cast(10.0**decimals, number.dtype)
    return cast(rounding.round(number * factor) / factor, array.dtype)


def round(a: Any, decimals: int = 0) -> Tensor:
    """`a` rounded to `decimals` digits after the point, which may be negative; ties go to the even digit.

    Shapes: any -> the same.
    Dtypes: numbers -> the same.
    Source: TF 2.21 `tf.experimental.numpy.round`.
    """
    return around(a, decimals)


def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Tensor:
    """`x` over its absolute value; 0 for 0.

    Shapes: any -> the same.
    Dtypes: numbers -> the same.
    Raises: ValueError for `out`, `where` and NumPy's other arguments.
    Source: TF 2.21 `tf.experimental.numpy.sign`.
    """
    if out is not None or where is not None or kwargs:
        raise ValueError("tf.experimental.numpy.sign: only x is supported; other arguments were given.")
    return algebraic.sign(asarray(x))


def _sinc(x: Any) -> Tensor:
    angle = x * np.pi
    return choose(x == 0, ones_like(x), transcendental.sin(angle) / angle)


def _signed(size: Any, x: Any) -> Tensor:
    return choose(x < 0, -size, size)
