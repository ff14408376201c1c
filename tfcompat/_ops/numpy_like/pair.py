"""Elementwise functions of two tensors, which are promoted to one dtype."""

from __future__ import annotations

import numbers
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import INTEGER, int8
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.array.gathering import where
from tfcompat._ops.array.layout import broadcast_to
from tfcompat._ops.elementwise import algebraic, bitwise, comparison, transcendental
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.network import activation
from tfcompat._ops.network.clip import clip_by_value
from tfcompat._ops.numpy_like.promotion import asarray, default_float, floating, promoted
from tfcompat._ops.numpy_like.row import binary

subtract = binary("subtract", algebraic.subtract, "`x1 - x2`.")
add = binary("add", algebraic.add, "`x1 + x2`; for bool, whether either is True.", of_bool=comparison.logical_or)
multiply = binary(
    "multiply", algebraic.multiply, "`x1` times `x2`; for bool, whether both are True.", of_bool=comparison.logical_and
)
_QUOTIENT: dict[str, Any] = {
    "of_bool": lambda x, y: cast(x, default_float()) / cast(y, default_float()),
    "gives": "their promoted dtype; float64 for integers and bool, float32 for those of 8 and 16 bits",
}
true_divide = binary("true_divide", algebraic.truediv, "`x1` over `x2`.", **_QUOTIENT)
divide = binary("divide", algebraic.truediv, "`x1` over `x2`.", **_QUOTIENT)
_WHOLE = "their promoted dtype; int8 for bool"
floor_divide = binary(
    "floor_divide",
    algebraic.floordiv,
    "`x1` over `x2`, rounded down.",
    of_bool=lambda x, y: algebraic.floordiv(cast(x, int8), cast(y, int8)),
    gives=_WHOLE,
)
_REMAINDER: dict[str, Any] = {
    "of_bool": lambda x, y: algebraic.floormod(cast(x, int8), cast(y, int8)),
    "gives": _WHOLE,
}
mod = binary("mod", algebraic.floormod, "The remainder of `floor(x1 / x2)`.", **_REMAINDER)
remainder = binary("remainder", algebraic.floormod, "The remainder of `floor(x1 / x2)`.", **_REMAINDER)
power = binary("power", algebraic.pow, "`x1` to the power of `x2`.")
float_power = binary("float_power", algebraic.pow, "`x1` to the power of `x2`; integers stay integers.")
minimum = binary(
    "minimum",
    algebraic.minimum,
    "The smaller of `x1` and `x2`; for bool, whether both are True.",
    of_bool=comparison.logical_and,
)
_larger = binary("maximum", algebraic.maximum, "The larger of `x1` and `x2`.", of_bool=comparison.logical_or)
arctan2 = binary("arctan2", transcendental.atan2, "The angle of the point with ordinate `x1`, abscissa `x2`.")
nextafter = binary("nextafter", algebraic.nextafter, "The next representable number after `x1` towards `x2`.")

bitwise_and = binary("bitwise_and", bitwise.and_, "The bits set in both `x1` and `x2`.")
bitwise_or = binary("bitwise_or", bitwise.or_, "The bits set in `x1` or in `x2`.")
bitwise_xor = binary("bitwise_xor", bitwise.xor, "The bits set in exactly one of `x1` and `x2`.")


@op("experimental.numpy.gcd", dtypes=INTEGER)
def _gcd(x1: Array, x2: Array) -> Array:
    return jnp.gcd(x1, x2)


@op("experimental.numpy.lcm", dtypes=INTEGER)
def _lcm(x1: Array, x2: Array) -> Array:
    return jnp.lcm(x1, x2)


def _whole(x1: Any, x2: Any) -> list[Any]:
    """Two tensors of an integer dtype."""
    x, y = promoted(x1, x2)
    if not x.dtype.is_integer:
        raise ValueError(f"tf.experimental.numpy: gcd and lcm need integers, got {x.dtype.name}.")
    return [x, y]


gcd = binary("gcd", _gcd, "The greatest integer that divides `x1` and `x2`.", prepare=_whole)
lcm = binary("lcm", _lcm, "The least common multiple of `x1` and `x2`; 0 if one is 0.", prepare=_whole)


def maximum(x1: Any, x2: Any) -> Tensor:
    """The larger of `x1` and `x2`; for bool, whether either is True.

    Shapes: two shapes that broadcast -> their broadcast shape.
    Dtypes: any two -> their promoted dtype; that of the tensor `x1` if `x2` is the number 0.
    Gradient: 0 at 0 if `x2` is the number 0.
    Source: TF 2.21 `tf.experimental.numpy.maximum`.
    """
    is_zero = isinstance(x2, numbers.Real) and not isinstance(x2, bool) and x2 == 0
    if is_zero and type(x1) is Tensor and not x1.dtype.is_bool:
        return activation.relu(x1)
    return _larger(x1, x2)


def clip(a: Any, a_min: Any, a_max: Any) -> Tensor:
    """`a` clipped to the range from `a_min` to `a_max`; one of them may be None.

    Shapes: three shapes that broadcast -> their broadcast shape.
    Dtypes: any -> their promoted dtype.
    Raises: ValueError if both are None.
    Source: TF 2.21 `tf.experimental.numpy.clip`.
    """
    if a_min is None and a_max is None:
        raise ValueError("tf.experimental.numpy.clip: a_min and a_max must not both be None.")
    if a_min is None or a_max is None:
        return minimum(a, a_max) if a_min is None else maximum(a, a_min)
    array, low, high = promoted(a, a_min, a_max)
    shape = broadcast_shapes(array._aval.shape, low._aval.shape, high._aval.shape)
    return clip_by_value(broadcast_to(array, shape), low, high)


def divmod(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """The quotient `floor(x1 / x2)` and its remainder.

    Shapes: two shapes that broadcast -> their broadcast shape, twice.
    Dtypes: any two -> their promoted dtype; int8 for bool.
    Source: TF 2.21 `tf.experimental.numpy.divmod`.
    """
    return floor_divide(x1, x2), mod(x1, x2)


def hypot(x1: Any, x2: Any) -> Tensor:
    """The length of the vector with the components `x1` and `x2`.

    Shapes: two shapes that broadcast -> their broadcast shape.
    Dtypes: any two -> their promoted dtype; float64 for integers.
    Source: TF 2.21 `tf.experimental.numpy.hypot`.
    """
    # TensorFlow squares the two separately, so a Python number has its own dtype.
    x, y = promoted(asarray(x1), asarray(x2))
    return algebraic.sqrt(floating(algebraic.square(x) + algebraic.square(y)))


def heaviside(x1: Any, x2: Any) -> Tensor:
    """0 where `x1` is negative, 1 where it is positive, `x2` where it is 0.

    Shapes: two shapes that broadcast -> their broadcast shape.
    Dtypes: any two -> their promoted dtype; float64 for integers.
    Source: TF 2.21 `tf.experimental.numpy.heaviside`.
    """
    x, y = promoted(x1, x2)
    return floating(where(x < 0, asarray(0, x.dtype), where(x > 0, asarray(1, x.dtype), y)))


def logaddexp(x1: Any, x2: Any) -> Tensor:
    """The logarithm of the sum of e to the power of `x1` and of `x2`.

    Shapes: two shapes that broadcast -> their broadcast shape.
    Dtypes: any two -> their promoted dtype; float64 for integers.
    Source: TF 2.21 `tf.experimental.numpy.logaddexp`.
    """
    x, y = map(floating, promoted(x1, x2))
    difference = x - y
    larger = maximum(x, y) + transcendental.log1p(transcendental.exp(-algebraic.abs(difference)))
    return where(comparison.is_nan(difference), x + y, larger)


def logaddexp2(x1: Any, x2: Any) -> Tensor:
    """The logarithm to base 2 of the sum of 2 to the power of `x1` and of `x2`.

    Shapes: two shapes that broadcast -> their broadcast shape.
    Dtypes: any two -> their promoted dtype; float64 for integers.
    Source: TF 2.21 `tf.experimental.numpy.logaddexp2`.
    """
    x, y = map(floating, promoted(x1, x2))
    difference = x - y
    larger = maximum(x, y) + transcendental.log1p(2 ** -algebraic.abs(difference)) / np.log(2)
    # NumPy's behaviour of tensors makes float64 of the logarithm of 2.
    return where(comparison.is_nan(difference), asarray(x + y, larger.dtype), larger)
