"""Adjustment of pixel values: brightness, contrast, gamma, hue, saturation; and standardisation.

Colours are converted to float32 in [0, 1] (float16 stays float16), adjusted, and converted back.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Dtype, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import DENSE, REAL, DType, as_dtype, float16, float32
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.derivative import larger, power, square_root
from tfcompat._ops.image.colour import extremes, hue_of, pure_colour, saturation_of
from tfcompat._ops.image.dtype import as_pixels, in_float, with_pixels
from tfcompat._ops.image.shape import require_pixels

_SINGLE = frozenset((float32,))


def _back(adjusted: Array, image: Array, saturate: bool = False) -> Array:
    """`adjusted`, converted to the dtype of `image`."""
    return as_pixels(adjusted, as_dtype(np.dtype(image.dtype)), saturate)


@dispatched
def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """`image` with `delta` added; values of an integer type are scaled to the range from 0 to 1 for it.

    Shapes: any; `delta` broadcasts with it.
    Dtypes: floating and integer -> same.
    Gradient: None to integers.
    Raises: AttributeError for another dtype.
    Source: TF 2.21 `tf.image.adjust_brightness`.
    """
    return _brightened(with_pixels("image.adjust_brightness", image), delta)


@op("image.adjust_brightness", same=("image",), dtypes={"image": REAL, "delta": REAL})
def _brightened(image: Array, delta: Array) -> Array:
    bright = in_float(image)
    return _back(bright + delta.astype(bright.dtype), image, saturate=True)


@dispatched
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """`gain` * `image` ** `gamma`; values of an integer type are scaled to the range from 0 to 1 for it.

    Shapes: any; `gamma` and `gain` broadcast with it.
    Dtypes: floating and integer -> same; gamma and gain float32, or float16 for a float16 image.
    Gradient: None to integers.
    Raises: AttributeError for another dtype; ValueError if `gamma` is negative, InvalidArgumentError if it is a tensor.
    Source: TF 2.21 `tf.image.adjust_gamma`.
    """
    tensor = with_pixels("image.adjust_gamma", image)
    if as_tensor(gamma) is None and np.any(np.asarray(gamma) < 0):
        raise ValueError(f"tf.image.adjust_gamma: gamma must not be negative, got {gamma}.")
    wanted = float16 if tensor.dtype is float16 else float32
    return _raised(tensor, _number(gamma, wanted), _number(gain, wanted), wanted)


def _number(value: Any, wanted: DType = float32) -> Tensor:
    """`value` as a tensor; converted to the dtype `wanted` if it is not a tensor."""
    tensor = as_tensor(value)
    return convert_to_tensor(value, wanted) if tensor is None else tensor


def _validate_gamma(image: Any, gamma: Any, gain: Any, dtype: DType) -> None:
    del image
    for parameter, value in (("gamma", gamma), ("gain", gain)):
        if value.dtype is not dtype:
            dtypes = f"{dtype.name}, got {value.dtype.name}"
            raise InvalidArgumentError.of(f"tf.image.adjust_gamma: {parameter} must be {dtypes}.")


_IS_NEGATIVE = Check(("gamma",), lambda gamma, **_: gamma < 0, "gamma must not be negative")


@op("image.adjust_gamma", same=("image",), validate=_validate_gamma, check=_IS_NEGATIVE)
def _raised(image: Array, gamma: Array, gain: Array, dtype: Dtype) -> Array:
    bright = as_pixels(image, dtype)
    return _back(gain * power(bright, gamma), image, saturate=True)


@dispatched
def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """`images` with the difference of each channel from its mean over height and width times `contrast_factor`.

    Shapes: [*batch, height, width, channels], [] -> same.
    Dtypes: floating and integer -> same; contrast_factor float32.
    Gradient: LookupError.
    Raises: AttributeError for another dtype; InvalidArgumentError for a rank below 3, or a factor that is not a scalar.
    Source: TF 2.21 `tf.image.adjust_contrast`.
    """
    return _stretched(with_pixels("image.adjust_contrast", images), _number(contrast_factor))


def _validate_contrast(images: Any, contrast_factor: Any) -> None:
    _require("image.adjust_contrast", images, contrast_factor, "contrast_factor")


def _require(name: str, image: Any, number: Any, parameter: str, colours: bool = False) -> None:
    """Raises InvalidArgumentError unless the rank is at least 3, the number a scalar, and colours have 3 channels."""
    if image.ndim < 3 or (colours and image.shape[-1] != 3):
        what = "have rank 3 or more" + (" and 3 channels" if colours else "")
        raise InvalidArgumentError.of(f"tf.{name}: images must {what}, got shape {image.shape}.")
    if number.ndim:
        raise InvalidArgumentError.of(f"tf.{name}: {parameter} must be a scalar, got shape {number.shape}.")


@op(
    "image.adjust_contrast",
    same=("images",),
    dtypes={"images": REAL, "contrast_factor": _SINGLE},
    validate=_validate_contrast,
    no_gradient="AdjustContrastv2",
)
def _stretched(images: Array, contrast_factor: Array) -> Array:
    values = in_float(images).astype(np.float32)
    mean = jnp.mean(values, (-3, -2), keepdims=True)
    adjusted = (values - mean) * contrast_factor + mean
    return _back(adjusted.astype(in_float(images).dtype), images, saturate=True)


@dispatched
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """`image` with the hue of its colours rotated by `delta`, where 1 is a full turn.

    Shapes: [*batch, height, width, 3], [] -> same.
    Dtypes: floating and integer -> same; delta float32.
    Gradient: LookupError.
    Raises: AttributeError for another dtype; ValueError unless `delta` is in [-1, 1] (outside of functions);
      InvalidArgumentError for another shape.
    Source: TF 2.21 `tf.image.adjust_hue`.
    """
    if here.graph is None and not -1 <= float(delta) <= 1:
        raise ValueError(f"tf.image.adjust_hue: delta must be in [-1, 1], got {delta}.")
    return turn_hue(with_pixels("image.adjust_hue", image), _number(delta), name=name)


def _validate_hue(image: Any, delta: Any) -> None:
    _require("image.adjust_hue", image, delta, "delta", colours=True)


@op(
    "image.adjust_hue",
    same=("image",),
    dtypes={"image": REAL, "delta": _SINGLE},
    validate=_validate_hue,
    no_gradient="AdjustHue",
)
def turn_hue(image: Array, delta: Array) -> Array:
    """`adjust_hue` for any `delta`."""
    colours = in_float(image)
    low, high = extremes(colours)
    hue = jnp.mod(hue_of(colours) + delta.astype(colours.dtype) * 6, 6)
    mixed = [low + (high - low) * share for share in pure_colour(hue)]
    return _back(jnp.stack(mixed, -1), image)


@dispatched
def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """`image` with the saturation of its colours multiplied by `saturation_factor`, clipped to at most 1.

    Shapes: [*batch, height, width, 3], [] -> same.
    Dtypes: floating and integer -> same; saturation_factor float32.
    Gradient: LookupError.
    Raises: AttributeError for another dtype; InvalidArgumentError for another shape.
    Source: TF 2.21 `tf.image.adjust_saturation`.
    """
    return _saturated(with_pixels("image.adjust_saturation", image), _number(saturation_factor), name=name)


def _validate_saturation(image: Any, saturation_factor: Any) -> None:
    _require("image.adjust_saturation", image, saturation_factor, "saturation_factor", colours=True)


@op(
    "image.adjust_saturation",
    same=("image",),
    dtypes={"image": REAL, "saturation_factor": _SINGLE},
    validate=_validate_saturation,
    no_gradient="AdjustSaturation",
)
def _saturated(image: Array, saturation_factor: Array) -> Array:
    colours = in_float(image)
    saturation = jnp.clip(saturation_of(colours) * saturation_factor.astype(colours.dtype), 0, 1)
    high = extremes(colours)[1]
    low = high - saturation * high
    mixed = [low + (high - low) * share for share in pure_colour(hue_of(colours))]
    return _back(jnp.stack(mixed, -1), image)


@dispatched
def per_image_standardization(image: Any) -> Tensor:
    """`image` minus its mean, divided by its deviation, which is at least 1 / sqrt(number of elements).

    Shapes: [*batch, height, width, channels] -> same; each image of a batch separately.
    Dtypes: any -> float32.
    Raises: ValueError for a lower rank, or no pixels.
    Source: TF 2.21 `tf.image.per_image_standardization`.
    """
    tensor = convert_to_tensor(image)
    require_pixels("image.per_image_standardization", tensor)
    return _standardized(tensor)


@op("image.per_image_standardization", dtypes=DENSE)
def _standardized(image: Array) -> Array:
    values = (jnp.real(image) if jnp.iscomplexobj(image) else image).astype(np.float32)
    axes = (-3, -2, -1)
    centered = values - jnp.mean(values, axes, keepdims=True)
    deviation = square_root(jnp.mean(lax.square(centered), axes, keepdims=True))
    count = math.prod(image.shape[-3:])
    pixels = jnp.asarray(count, np.float32) if is_open(count) else np.float32(count)
    least = 1 / jnp.sqrt(pixels) if is_open(count) else np.float32(1) / np.sqrt(pixels)
    return centered / larger(deviation, jnp.asarray(least))
