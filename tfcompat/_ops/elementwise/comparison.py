"""Comparisons and logic, element by element."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import BOOL, FLOATING, MOVABLE, REAL, DType, bool_
from tfcompat._ops.elementwise.row import binary, no_bool, unary
from tfcompat._ops.inferred import broadcast


def _comparison(name: str, function: Any, dtypes: frozenset[DType], summary: str, **options: Any) -> Any:
    """A comparison. Small integers with known values, such as loop counters and shapes, are compared on the host."""
    options |= {"differentiable": False, "infers": broadcast(lambda _: bool_)}
    return binary(name, function, dtypes, summary, gives="bool", gradient="None", **options)


equal = _comparison("equal", jnp.equal, MOVABLE, "Whether `x` and `y` are equal.", fold=np.equal, strings=np.equal)
not_equal = _comparison(
    "not_equal", jnp.not_equal, MOVABLE, "Whether `x` and `y` differ.", fold=np.not_equal, strings=np.not_equal
)
less = _comparison("less", jnp.less, REAL, "Whether `x < y`.", fold=np.less)
less_equal = _comparison("less_equal", jnp.less_equal, REAL, "Whether `x <= y`.", fold=np.less_equal)
greater = _comparison("greater", jnp.greater, REAL, "Whether `x > y`.", fold=np.greater)
greater_equal = _comparison("greater_equal", jnp.greater_equal, REAL, "Whether `x >= y`.", fold=np.greater_equal)

logical_and = binary("logical_and", jnp.logical_and, BOOL, "Whether `x` and `y` are both True.")
logical_or = binary("logical_or", jnp.logical_or, BOOL, "Whether `x` or `y` or both are True.")
_logical_xor = binary("math.logical_xor", jnp.logical_xor, BOOL, "Whether exactly one of `x` and `y` is True.")
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


@dispatched
def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Tensor:
    """Whether exactly one of `x` and `y` is True.

    Shapes: two shapes that broadcast -> their broadcast shape.
    Dtypes: bool -> bool.
    Raises: InvalidArgumentError for another dtype, or shapes that don't broadcast.
    Source: TF 2.21 `tf.math.logical_xor`.
    """
    return _logical_xor(x, y, name)


def _require_order(name: str) -> Any:
    def validate(x: Any) -> None:
        no_bool(f"math.{name}")(x=x)
        if x.dtype not in REAL:
            raise InvalidArgumentError.of(f"tf.math.{name}: x must be real numbers, got {x.dtype.name}.")

    return validate


@op("math.is_non_decreasing", differentiable=False, validate=_require_order("is_non_decreasing"))
def is_non_decreasing(x: Array) -> Array:
    """Whether no element of `x`, in row-major order, is smaller than the one before it.

    Shapes: any -> [].
    Dtypes: real numbers -> bool.
    Gradient: None.
    Raises: TypeError for bool; InvalidArgumentError for complex numbers.
    Source: TF 2.21 `tf.math.is_non_decreasing`.
    """
    flat = x.reshape(-1)
    return jnp.all(flat[:-1] <= flat[1:])


@op("math.is_strictly_increasing", differentiable=False, validate=_require_order("is_strictly_increasing"))
def is_strictly_increasing(x: Array) -> Array:
    """Whether each element of `x`, in row-major order, is larger than the one before it.

    Shapes: any -> [].
    Dtypes: real numbers -> bool.
    Gradient: None.
    Raises: TypeError for bool; InvalidArgumentError for complex numbers.
    Source: TF 2.21 `tf.math.is_strictly_increasing`.
    """
    flat = x.reshape(-1)
    return jnp.all(flat[:-1] < flat[1:])
