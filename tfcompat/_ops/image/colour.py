"""Conversions between colour spaces: greyscale, HSV, YIQ and YUV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import FailedPreconditionError, InvalidArgumentError, OpError
from tfcompat._core.types.dtype import DENSE, INEXACT, REAL, bfloat16, float16, float32, float64
from tfcompat._core.types.dtype import as_dtype as dtype_of
from tfcompat._ops.derivative import quotient_or_zero, with_derivative
from tfcompat._ops.elementwise.rounding import rounded
from tfcompat._ops.image.dtype import as_pixels, with_pixels

COLOURS = frozenset((bfloat16, float16, float32, float64))
_LUMINANCE = (0.2989, 0.587, 0.114)


def require_colours(name: str, images: Any, refusal: type[OpError] = InvalidArgumentError) -> None:
    """Raises `refusal` unless the last axis holds three channels; InvalidArgumentError if the rank is 0."""
    if images.shape[-1:] != (3,):
        error = refusal if images.ndim else InvalidArgumentError
        raise error.of(f"tf.{name}: the last axis must hold 3 channels, got shape {images.shape}.")


@dispatched
def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """The luminance of the colours in `images`.

    Shapes: [*dims, 3] -> [*dims, 1].
    Dtypes: floating and integer -> same.
    Raises: AttributeError for another dtype; InvalidArgumentError unless there are three channels.
    Source: TF 2.21 `tf.image.rgb_to_grayscale`.
    """
    return _grey(with_pixels("image.rgb_to_grayscale", images), name=name)


@op("image.rgb_to_grayscale", dtypes=REAL, validate=lambda images: require_colours("image.rgb_to_grayscale", images))
def _grey(images: Array) -> Array:
    grey = _weighted(channels(as_pixels(images, float32)), _LUMINANCE)
    return as_pixels(grey[..., None], dtype_of(np.dtype(images.dtype)))


def _weighted(colours: list[Array], shares: Sequence[float]) -> Array:
    red, green, blue = (
        rounded(colour * np.asarray(share, colour.dtype)) for colour, share in zip(colours, shares, strict=True)
    )
    return red + green + blue


@dispatched
def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """The greyscale images `images` as colour images.

    Shapes: [*dims, 1] -> [*dims, 3].
    Dtypes: any -> same.
    Raises: ValueError unless the last axis has size 1 and the rank is at least 2.
    Source: TF 2.21 `tf.image.grayscale_to_rgb`.
    """
    tensor = convert_to_tensor(images)
    if tensor.ndim < 2 or tensor._aval.shape[-1] != 1:
        raise ValueError(
            f"tf.image.grayscale_to_rgb: the last of some axes must have size 1, got {tensor._aval.shape}."
        )
    return _repeated(tensor, name=name)


@op("image.grayscale_to_rgb", dtypes=DENSE)
def _repeated(images: Array) -> Array:
    return jnp.broadcast_to(images, (*images.shape[:-1], 3))


def channels(rgb: Array) -> list[Array]:
    """The three channels as separate arrays: adding these is twenty times faster than summing an axis of three."""
    return [rgb[..., k] for k in range(3)]


def extremes(rgb: Array) -> tuple[Array, Array]:
    """The least and the greatest of the three channels."""
    red, green, blue = channels(rgb)
    return jnp.minimum(jnp.minimum(red, green), blue), jnp.maximum(jnp.maximum(red, green), blue)


def hue_of(rgb: Array) -> Array:
    """The hue of colours, in [0, 6): red is 0, green 2, blue 4; grey is 0."""
    red, green, blue = channels(rgb)
    low, high = extremes(rgb)
    spread = high - low
    inverse = 1 / jnp.where(spread > 0, spread, 1)
    beside_blue = jnp.where(green == high, (blue - red) * inverse + 2, (red - green) * inverse + 4)
    hue = jnp.where(red == high, (green - blue) * inverse, beside_blue)
    return jnp.where(spread > 0, jnp.where(hue < 0, hue + 6, hue), 0)


def saturation_of(rgb: Array) -> Array:
    """The saturation of colours, from 0 (grey) to 1."""
    low, high = extremes(rgb)
    return jnp.where(high > 0, (high - low) / jnp.where(high > 0, high, 1), 0)


def pure_colour(hue: Array) -> list[Array]:
    """The channels, from 0 to 1, of the colour with a given hue."""
    distances = (jnp.abs(hue - 3) - 1, 2 - jnp.abs(hue - 2), 2 - jnp.abs(hue - 4))
    return [jnp.clip(distance, 0, 1) for distance in distances]


def _to_hsv(rgb: Array) -> Array:
    return jnp.stack([hue_of(rgb) / 6, saturation_of(rgb), extremes(rgb)[1]], -1)


def _chosen(is_chosen: list[Array], values: list[Array]) -> Array:
    """The selected one of each pixel's values."""
    terms = [jnp.where(mask, value, 0) for mask, value in zip(is_chosen, values, strict=True)]
    return terms[0] + terms[1] + terms[2]


def _ahead(colours: list[Array]) -> list[Array]:
    """For each channel, the difference of the next two, which determines the distance of the hue from it."""
    red, green, blue = colours
    return [green - blue, blue - red, red - green]


def _to_hsv_slope(tangent: Array, _: Array, rgb: Array) -> Array:
    """Tangents of hue, saturation and value; of equal channels, one counts as the greatest, another as the least."""
    red, green, blue = colours = channels(rgb)
    greatest = [(red >= blue) & (red >= green), (green > red) & (green >= blue), (blue > red) & (blue > green)]
    least = [(red < blue) & (red < green), (green <= red) & (green < blue), (blue <= red) & (blue <= green)]
    high, low = _chosen(greatest, colours), _chosen(least, colours)
    spread, distance = high - low, _chosen(greatest, _ahead(colours))
    moved = channels(tangent)
    lit = [jnp.where(colour > 0, move, 0) for colour, move in zip(colours, moved, strict=True)]
    saturation = quotient_or_zero(low * _chosen(greatest, lit), high * high)
    saturation = saturation - quotient_or_zero(_chosen(least, lit), high)
    spreading = _chosen(greatest, moved) - _chosen(least, moved)
    hue = quotient_or_zero(_chosen(greatest, _ahead(moved)), spread)
    hue = jnp.where(high > 0, hue - quotient_or_zero(distance * spreading, spread * spread), 0)
    return jnp.stack([hue / 6, saturation, _chosen(greatest, moved)], -1)


_hsv = with_derivative(_to_hsv, _to_hsv_slope)


def _require_rgb_to_hsv(images: Any) -> None:
    require_colours("image.rgb_to_hsv", images, FailedPreconditionError)


@op(
    "image.rgb_to_hsv",
    dtypes=COLOURS,
    validate=_require_rgb_to_hsv,
)
def rgb_to_hsv(images: Array) -> Array:
    """The hue, saturation and value, each from 0 to 1, of the colours in `images`.

    Shapes: [*dims, 3] -> same.
    Dtypes: bfloat16, float16, float32, float64 -> same.
    Gradient: of equal channels, one counts as the greatest, another as the least; 0 for the hue of grey.
    Raises: FailedPreconditionError unless there are three channels.
    Source: TF 2.21 `tf.image.rgb_to_hsv`.
    """
    return _hsv(images)


def _require_hsv_to_rgb(images: Any) -> None:
    require_colours("image.hsv_to_rgb", images, FailedPreconditionError)


@op(
    "image.hsv_to_rgb",
    dtypes=COLOURS,
    validate=_require_hsv_to_rgb,
    differentiable=False,
)
def hsv_to_rgb(images: Array) -> Array:
    """The colours of the pixels in `images`, which are given as hue, saturation and value, each from 0 to 1.

    Shapes: [*dims, 3] -> same.
    Dtypes: bfloat16, float16, float32, float64 -> same.
    Gradient: None.
    Raises: FailedPreconditionError unless there are three channels.
    Source: TF 2.21 `tf.image.hsv_to_rgb`.
    """
    hue, saturation, value = channels(images)
    return jnp.stack([(1 - saturation + saturation * share) * value for share in pure_colour(hue * 6)], -1)


# The rows are the coefficients of the three channels.
_YIQ = ((0.299, 0.587, 0.114), (0.59590059, -0.27455667, -0.32134392), (0.2115, -0.52273617, 0.31119955))
_FROM_YIQ = ((1, 0.95598634, 0.6208248), (1, -0.27201283, -0.64720424), (1, -1.10674021, 1.70423049))
_YUV = ((0.299, 0.587, 0.114), (-0.14714119, -0.28886916, 0.43601035), (0.61497538, -0.51496512, -0.10001026))
_FROM_YUV = ((1, 0, 1.13988303), (1, -0.394642334, -0.58062185), (1, 2.03206185, 0))


def _as_inexact(name: str, images: Any) -> Tensor:
    tensor = convert_to_tensor(images)
    if tensor.dtype not in INEXACT:
        raise TypeError(
            f"tf.{name}: images must be floating, got {tensor.dtype.name}; see tf.image.convert_image_dtype."
        )
    return tensor


def _mixed(images: Array, shares: Sequence[Sequence[float]]) -> Array:
    return jnp.stack([_weighted(channels(images), row) for row in shares], -1)


@op("image.rgb_to_yiq", dtypes=INEXACT, validate=lambda images: require_colours("image.rgb_to_yiq", images))
def _rgb_to_yiq(images: Array) -> Array:
    return _mixed(images, _YIQ)


@dispatched
def rgb_to_yiq(images: Any) -> Tensor:
    """The colours in `images` in YIQ, the luma and colour differences of NTSC.

    Shapes: [*dims, 3] -> same.
    Dtypes: floating, complex -> same.
    Raises: InvalidArgumentError unless there are three channels; TypeError for integers.
    Source: TF 2.21 `tf.image.rgb_to_yiq`.
    """
    return _rgb_to_yiq(_as_inexact("image.rgb_to_yiq", images))


@op("image.yiq_to_rgb", dtypes=INEXACT, validate=lambda images: require_colours("image.yiq_to_rgb", images))
def _yiq_to_rgb(images: Array) -> Array:
    return _mixed(images, _FROM_YIQ)


@dispatched
def yiq_to_rgb(images: Any) -> Tensor:
    """The colours of the pixels in `images`, which are given in YIQ.

    Shapes: [*dims, 3] -> same.
    Dtypes: floating, complex -> same.
    Raises: InvalidArgumentError unless there are three channels; TypeError for integers.
    Source: TF 2.21 `tf.image.yiq_to_rgb`.
    """
    return _yiq_to_rgb(_as_inexact("image.yiq_to_rgb", images))


@op("image.rgb_to_yuv", dtypes=INEXACT, validate=lambda images: require_colours("image.rgb_to_yuv", images))
def _rgb_to_yuv(images: Array) -> Array:
    return _mixed(images, _YUV)


@dispatched
def rgb_to_yuv(images: Any) -> Tensor:
    """The colours in `images` in YUV, the luma and colour differences of PAL.

    Shapes: [*dims, 3] -> same.
    Dtypes: floating, complex -> same.
    Raises: InvalidArgumentError unless there are three channels; TypeError for integers.
    Source: TF 2.21 `tf.image.rgb_to_yuv`.
    """
    return _rgb_to_yuv(_as_inexact("image.rgb_to_yuv", images))


@op("image.yuv_to_rgb", dtypes=INEXACT, validate=lambda images: require_colours("image.yuv_to_rgb", images))
def _yuv_to_rgb(images: Array) -> Array:
    return _mixed(images, _FROM_YUV)


@dispatched
def yuv_to_rgb(images: Any) -> Tensor:
    """The colours of the pixels in `images`, which are given in YUV.

    Shapes: [*dims, 3] -> same.
    Dtypes: floating, complex -> same.
    Raises: InvalidArgumentError unless there are three channels; TypeError for integers.
    Source: TF 2.21 `tf.image.yuv_to_rgb`.
    """
    return _yuv_to_rgb(_as_inexact("image.yuv_to_rgb", images))
