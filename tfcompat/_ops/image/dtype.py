"""Conversion of images between dtypes: the range of an integer type corresponds to the numbers from 0 to 1."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Dtype, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import FLOATING, INTEGER, DType, as_dtype, float16, float32
from tfcompat._ops.elementwise.rounding import converted, saturated

PIXEL_DTYPES = FLOATING | INTEGER


@dispatched
def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """`image` as `dtype`, where the range of an integer type corresponds to the numbers from 0 to 1.

    Between integer types the range is rescaled. With `saturate`, values outside the new range are clipped to it.

    Shapes: any -> same.
    Dtypes: floating and integer -> dtype.
    Gradient: None to and from integers.
    Raises: AttributeError for another dtype.
    Source: TF 2.21 `tf.image.convert_image_dtype`.
    """
    tensor, wanted = with_pixels("image.convert_image_dtype", image), as_dtype(dtype)
    if wanted not in PIXEL_DTYPES:
        raise AttributeError(f"tf.image.convert_image_dtype: dtype must be floating or integer, got {wanted.name}.")
    is_smooth = tensor.dtype in FLOATING and wanted in FLOATING
    return (_convert if is_smooth else _convert_discrete)(tensor, wanted, saturate, name=name)


def with_pixels(name: str, image: Any) -> Tensor:
    """`image` as a tensor. Raises AttributeError unless its dtype is floating or integer."""
    tensor = convert_to_tensor(image)
    if tensor.dtype not in PIXEL_DTYPES:
        raise AttributeError(f"tf.{name}: an image must be floating or integer, got {tensor.dtype.name}.")
    return tensor


@op("image.convert_image_dtype", dtypes=FLOATING)
def _convert(image: Array, dtype: Dtype, saturate: bool) -> Array:
    return as_pixels(image, dtype, saturate)


@op("image.convert_image_dtype", dtypes=PIXEL_DTYPES, differentiable=False)
def _convert_discrete(image: Array, dtype: Dtype, saturate: bool) -> Array:
    return as_pixels(image, dtype, saturate)


def as_pixels(image: Array, dtype: DType, saturate: bool = False) -> Array:
    """`image` as `dtype`, converted as by `convert_image_dtype`."""
    own = as_dtype(np.dtype(image.dtype))
    if own is dtype:
        return image
    if own in INTEGER and dtype in INTEGER:
        return _stretched(image, own, dtype, saturate)
    if own in FLOATING and dtype in FLOATING:
        return image.astype(dtype.as_numpy_dtype)
    if own in INTEGER:
        return image.astype(dtype.as_numpy_dtype) * jnp.asarray(1.0 / own.max, dtype.as_numpy_dtype)
    with np.errstate(over="ignore"):
        factor = np.asarray(dtype.max + 0.5, image.dtype)
    scaled = image * factor
    return converted(saturated(scaled, dtype) if saturate else scaled, dtype)


def _stretched(image: Array, own: DType, dtype: DType, saturate: bool) -> Array:
    """`image` converted from one integer type to another."""
    if own.max > dtype.max:
        scaled = image // jnp.asarray((own.max + 1) // (dtype.max + 1), image.dtype)
        return converted(saturated(scaled, dtype) if saturate else scaled, dtype)
    cast = converted(saturated(image, dtype) if saturate else image, dtype)
    return cast * jnp.asarray((dtype.max + 1) // (own.max + 1), cast.dtype)


def in_float(image: Array) -> Array:
    """`image` in the dtype for colour adjustments: float32, or float16 if it has that."""
    return image if image.dtype == float16.as_numpy_dtype else as_pixels(image, float32)
