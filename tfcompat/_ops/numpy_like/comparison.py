"""Predicates and comparisons, which return bool."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import bool_, int32
from tfcompat._ops.array.creation import zeros_like
from tfcompat._ops.elementwise import algebraic, comparison, complex_number
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold import reduction
from tfcompat._ops.numpy_like.promotion import asarray, is_inexact, promoted
from tfcompat._ops.numpy_like.row import binary, fractional, unary

isnan = fractional("isnan", comparison.is_nan, "Whether `x` is nan.", gives="bool")
isfinite = fractional("isfinite", comparison.is_finite, "Whether `x` is neither infinite nor nan.", gives="bool")
iscomplex = unary(
    "iscomplex", lambda x: complex_number.imag(x) != 0, "Whether `x` has a non-zero imaginary part.", gives="bool"
)
isreal = unary("isreal", lambda x: complex_number.imag(x) == 0, "Whether `x` is real.", gives="bool")
signbit = unary("signbit", lambda x: zeros_like(x) if x.dtype.is_bool else x < 0, "Whether `x < 0`.", gives="bool")


def _ordered(x1: Any, x2: Any) -> list[Tensor]:
    """Two tensors of an ordered dtype: False becomes 0, True 1."""
    return [cast(x, int32) if x.dtype.is_bool else x for x in promoted(x1, x2)]


def _truths(x1: Any, x2: Any) -> list[Tensor]:
    """Whether the elements are not 0."""
    return [asarray(x1, bool), asarray(x2, bool)]


_ORDER: dict[str, Any] = {"prepare": _ordered, "gives": "bool"}
_EQUALITY: dict[str, Any] = {"prepare": promoted, "gives": "bool"}
_TRUTH: dict[str, Any] = {"prepare": _truths, "gives": "bool"}

equal = binary("equal", comparison.equal, "Whether `x1` and `x2` are equal.", **_EQUALITY)
not_equal = binary("not_equal", comparison.not_equal, "Whether `x1` and `x2` differ.", **_EQUALITY)
less = binary("less", comparison.less, "Whether `x1 < x2`.", **_ORDER)
less_equal = binary("less_equal", comparison.less_equal, "Whether `x1 <= x2`.", **_ORDER)
greater = binary("greater", comparison.greater, "Whether `x1 > x2`.", **_ORDER)
greater_equal = binary("greater_equal", comparison.greater_equal, "Whether `x1 >= x2`.", **_ORDER)
logical_not = unary("logical_not", lambda x: comparison.logical_not(cast(x, bool_)), "Whether `x` is 0.", gives="bool")
logical_and = binary("logical_and", comparison.logical_and, "Whether neither of `x1`, `x2` is 0.", **_TRUTH)
logical_or = binary("logical_or", comparison.logical_or, "Whether `x1` or `x2` is not 0.", **_TRUTH)
logical_xor = binary("logical_xor", comparison.logical_xor, "Whether exactly one of `x1`, `x2` is 0.", **_TRUTH)


def isinf(x: Any) -> Tensor | bool:
    """Whether `x` is infinite; False for dtypes that are not floating.

    Shapes: any -> the same.
    Dtypes: any -> bool.
    Source: TF 2.21 `tf.experimental.numpy.isinf`.
    """
    array = asarray(x)
    return comparison.is_inf(array) if array.dtype.is_floating else False


def isneginf(x: Any) -> Tensor | bool:
    """Whether `x` is minus infinity; False for dtypes that are not floating.

    Shapes: any -> the same.
    Dtypes: any -> bool.
    Source: TF 2.21 `tf.experimental.numpy.isneginf`.
    """
    array = asarray(x)
    return array == -np.inf if array.dtype.is_floating else False


def isposinf(x: Any) -> Tensor | bool:
    """Whether `x` is infinity; False for dtypes that are not floating.

    Shapes: any -> the same.
    Dtypes: any -> bool.
    Source: TF 2.21 `tf.experimental.numpy.isposinf`.
    """
    array = asarray(x)
    return array == np.inf if array.dtype.is_floating else False


def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether `a` and `b` differ by at most `atol` plus `rtol` times the absolute value of `b`; integers must be equal.

    Shapes: two shapes that broadcast -> their broadcast shape.
    Dtypes: any two -> bool.
    Source: TF 2.21 `tf.experimental.numpy.isclose`.
    """
    x, y = promoted(a, b)
    if not is_inexact(x.dtype):
        return comparison.equal(x, y)
    near = algebraic.abs(x - y) <= atol + rtol * algebraic.abs(y)
    return near | (comparison.is_nan(x) & comparison.is_nan(y)) if equal_nan else near


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether all elements of `a` and `b` differ by at most `atol` plus `rtol` times the absolute value of `b`.

    Shapes: two shapes that broadcast -> [].
    Dtypes: any two -> bool.
    Source: TF 2.21 `tf.experimental.numpy.allclose`.
    """
    return reduction.reduce_all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any) -> Tensor:
    """Whether `a1` and `a2` have one shape and the same elements.

    Shapes: any two -> [].
    Dtypes: any two -> bool.
    Source: TF 2.21 `tf.experimental.numpy.array_equal`.
    """
    x, y = promoted(a1, a2)
    return reduction.reduce_all(x == y) if x._aval.shape == y._aval.shape else asarray(False)


def iscomplexobj(x: Any) -> bool:
    """Whether `x` has a complex dtype.

    Shapes: any.
    Dtypes: any.
    Source: TF 2.21 `tf.experimental.numpy.iscomplexobj`.
    """
    return asarray(x).dtype.is_complex


def isrealobj(x: Any) -> bool:
    """Whether `x` has a dtype that is not complex.

    Shapes: any.
    Dtypes: any.
    Source: TF 2.21 `tf.experimental.numpy.isrealobj`.
    """
    return not iscomplexobj(x)


def isscalar(num: Any) -> bool:
    """Whether `num` has rank 0.

    Shapes: any.
    Dtypes: any.
    Source: TF 2.21 `tf.experimental.numpy.isscalar`.
    """
    return asarray(num).ndim == 0


def all(a: Any, axis: Any = None, keepdims: bool | None = None) -> Tensor:
    """Whether all elements of `a` along `axis`, or along every axis when `axis` is None, are non-zero.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> bool.
    Source: TF 2.21 `tf.experimental.numpy.all`.
    """
    return reduction.reduce_all(asarray(a, bool), axis, bool(keepdims))


def any(a: Any, axis: Any = None, keepdims: bool | None = None) -> Tensor:
    """Whether any element of `a` along `axis`, or along every axis when `axis` is None, is non-zero.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> bool.
    Source: TF 2.21 `tf.experimental.numpy.any`.
    """
    return reduction.reduce_any(asarray(a, bool), axis, bool(keepdims))
