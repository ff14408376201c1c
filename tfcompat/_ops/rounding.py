"""Rounding, and conversions between dtypes."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.declare import Array, Dtype, op
from tfcompat._core.dtype import DENSE, FLOATING, TRAINABLE, as_dtype, string
from tfcompat._core.error import UnimplementedError
from tfcompat._core.tensor import Tensor
from tfcompat._ops.row import unary

floor = unary(
    "floor", jnp.floor, FLOATING, "The largest whole number up to `x`.", gradient="None", differentiable=False
)


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`x` with the elements converted to `dtype`; `x` itself if it has that dtype.

    A fraction is cut. What does not fit an integer becomes its lowest value if it has 32 or 64 bits, else its low bits are kept.

    Shapes: any -> the same.
    Dtypes: numbers and bool -> `dtype`. A complex number becomes its real part, and True unless both parts are 0.
    Gradient: None to and from integers and bool.
    Raises: TypeError if `dtype` names no dtype; UnimplementedError for strings.
    Source: TF 2.21 `tf.cast`.
    """
    wanted, tensor = as_dtype(dtype), convert_to_tensor(x)
    if tensor.dtype is wanted:
        return tensor
    if tensor.dtype is string or wanted is string:
        raise UnimplementedError.of(f"tf.cast: {tensor.dtype.name} to {wanted.name} is not supported; use tf.strings.")
    return (_cast if wanted in TRAINABLE and tensor.dtype in TRAINABLE else _cast_discrete)(tensor, wanted)


@op("cast", dtypes=DENSE)
def _cast(x: Array, dtype: Dtype) -> Array:
    """`cast` between floating and complex types."""
    return _converted(x, dtype.as_numpy_dtype)


@op("cast", dtypes=DENSE, differentiable=False)
def _cast_discrete(x: Array, dtype: Dtype) -> Array:
    """`cast` to or from integers and bool."""
    return _converted(x, dtype.as_numpy_dtype)


def _converted(x: Any, target: Any) -> Any:
    target = np.dtype(target)
    if target.kind == "b":
        return x != 0
    if jnp.iscomplexobj(x) and target.kind != "c":
        x = jnp.real(x)
    if target.kind in "iu" and jnp.issubdtype(x.dtype, jnp.floating):
        return _integer_part(x, target)
    return x.astype(target)


def _integer_part(x: Any, target: np.dtype) -> Any:
    """`x` without its fraction, as a processor converts: by way of 32 or 64 bits, whose lowest value stands for all that does not fit."""
    wide = np.int64 if target.itemsize == 8 or target == np.uint32 else np.int32
    bound = 2.0 ** (np.iinfo(wide).bits - 1)
    number = x if x.dtype.itemsize >= 4 else x.astype(np.float32)
    fits = (number >= -bound) & (number < bound)
    return jnp.where(fits, number.astype(wide), np.iinfo(wide).min).astype(target)
