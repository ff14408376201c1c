"""TensorFlow 1's separate functions for casts and quotients."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import (
    bfloat16,
    complex64,
    complex128,
    float32,
    float64,
    int32,
    int64,
)
from tfcompat._ops.elementwise.algebraic import divide, floordiv
from tfcompat._ops.elementwise.rounding import cast


def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Any:
    """`x` as bfloat16. Source: TF 2.21 `tf.compat.v1.to_bfloat16`."""
    return cast(x, bfloat16, name)


def to_complex128(x: Any, name: str = "ToComplex128") -> Any:
    """`x` as complex128. Source: TF 2.21 `tf.compat.v1.to_complex128`."""
    return cast(x, complex128, name)


def to_complex64(x: Any, name: str = "ToComplex64") -> Any:
    """`x` as complex64. Source: TF 2.21 `tf.compat.v1.to_complex64`."""
    return cast(x, complex64, name)


def to_double(x: Any, name: str = "ToDouble") -> Any:
    """`x` as float64. Source: TF 2.21 `tf.compat.v1.to_double`."""
    return cast(x, float64, name)


def to_float(x: Any, name: str = "ToFloat") -> Any:
    """`x` as float32. Source: TF 2.21 `tf.compat.v1.to_float`."""
    return cast(x, float32, name)


def to_int32(x: Any, name: str = "ToInt32") -> Any:
    """`x` as int32. Source: TF 2.21 `tf.compat.v1.to_int32`."""
    return cast(x, int32, name)


def to_int64(x: Any, name: str = "ToInt64") -> Any:
    """`x` as int64. Source: TF 2.21 `tf.compat.v1.to_int64`."""
    return cast(x, int64, name)


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` for floats, and `x // y` for integers.

    Source: TF 2.21 `tf.compat.v1.div`.
    """
    first = convert_to_tensor(x)
    return (floordiv if first.dtype.is_integer else divide)(first, y, name)
