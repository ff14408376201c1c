"""Image resizing as in TensorFlow 1: with the corners aligned, or the centers of the corner pixels aligned."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.image import resampling
from tfcompat._ops.image.resampling import Taps, merged
from tfcompat._ops.image.resizing import PIXELS, require_pixels_and_size, resized, size_of

_STEPS = 1024
# The slope of the cubic at its outer nodes.
_SLOPE = -0.75


def _scale(extent: int, count: int, align_corners: bool) -> np.float32:
    if align_corners and count > 1:
        return np.float32(extent - 1) / np.float32(count - 1)
    return np.float32(extent) / np.float32(count)


def _places(extent: int, count: int, align_corners: bool) -> np.ndarray:
    """The positions in the input where the output's elements begin."""
    return np.arange(count, dtype=np.float32) * _scale(extent, count, align_corners)


@functools.lru_cache(maxsize=512)
def bilinear(extent: int, count: int, align_corners: bool) -> Taps:
    """Linear interpolation between neighbouring elements."""
    place = _places(extent, count, align_corners)
    below = np.floor(place)
    above, share = np.minimum(below + 1, extent - 1), place - below
    return merged(np.stack([below, above], 1), np.stack([1 - share, share], 1), extent)


@functools.lru_cache(maxsize=512)
def nearest(extent: int, count: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """The input element in which each element begins, or has its center; with `align_corners` the nearest one."""
    place = np.arange(count, dtype=np.float32) + np.float32(0.5 if half_pixel_centers else 0)
    place = place * _scale(extent, count, align_corners)
    # A half is rounded up. Adding a half would move the number just below it up to 1.
    whole = np.floor(place)
    chosen = whole + (place - whole >= 0.5) if align_corners else whole
    places = np.minimum(chosen, extent - 1).astype(np.int32)
    return Taps(places[:, None], np.ones((count, 1), np.float32), extent)


@functools.lru_cache(maxsize=512)
def bicubic(extent: int, count: int, align_corners: bool) -> Taps:
    """A cubic through four neighbours, at a position rounded to 1/1024; the border is extended outside."""
    place = _places(extent, count, align_corners)
    below = np.floor(place)
    share = np.rint((place - below) * np.float32(_STEPS)).astype(np.float64) / _STEPS
    distance = np.stack([share + 1, share, 1 - share, 2 - share], 1)
    outer = ((_SLOPE * distance - 5 * _SLOPE) * distance + 8 * _SLOPE) * distance - 4 * _SLOPE
    inner = ((_SLOPE + 2) * distance - (_SLOPE + 3)) * distance * distance + 1
    weights = np.where(np.arange(4) % 3 == 0, outer, inner).astype(np.float32)
    places = np.clip(below[:, None] + np.arange(-1, 3), 0, extent - 1)
    return merged(places, weights, extent)


@functools.lru_cache(maxsize=512)
def area(extent: int, count: int, align_corners: bool) -> Taps:
    """The mean over the interval of the input that an element covers; the border is extended outside."""
    scale = _scale(extent, count, align_corners)
    start, end = (np.arange(k, count + k, dtype=np.float32) * scale for k in (0, 1))
    places = np.floor(start)[:, None] + np.arange(int((np.ceil(end) - np.floor(start)).max()), dtype=np.float32)
    covered = np.clip(np.minimum(places + 1, end[:, None]) - np.maximum(places, start[:, None]), 0, 1)
    return merged(np.clip(places, 0, extent - 1), covered / scale, extent)


def resize_bilinear(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """`images` resized to the height and width in `size`, by bilinear interpolation.

    Shapes: [batch, height, width, channels] -> [batch, *size, channels].
    Dtypes: uint8 to int64 except uint32, and floating -> float32.
    Gradient: no second one: None.
    Raises: InvalidArgumentError for align_corners with half_pixel_centers; otherwise as `tf.image.resize`.
    Source: TF 2.21 `tf.compat.v1.image.resize_bilinear`.
    """
    _require_one("resize_bilinear", align_corners, half_pixel_centers)
    return _bilinear(images, *size_of(size), bool(align_corners), bool(half_pixel_centers), name=name)


def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """`images` resized to the height and width in `size`; each pixel is a copy of an input pixel.

    Shapes: [batch, height, width, channels] -> [batch, *size, channels].
    Dtypes: uint8 to int64 except uint32, and floating -> the same.
    Gradient: no second one: LookupError.
    Raises: InvalidArgumentError for align_corners with half_pixel_centers; otherwise as `tf.image.resize`.
    Source: TF 2.21 `tf.compat.v1.image.resize_nearest_neighbor`.
    """
    _require_one("resize_nearest_neighbor", align_corners, half_pixel_centers)
    return _nearest(images, *size_of(size), bool(align_corners), bool(half_pixel_centers), name=name)


def resize_bicubic(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """`images` resized to the height and width in `size`, by a cubic through four neighbours.

    Shapes: [batch, height, width, channels] -> [batch, *size, channels].
    Dtypes: uint8 to int64 except uint32, and floating -> float32.
    Gradient: None of 16 bits; no second one: LookupError.
    Raises: InvalidArgumentError for align_corners with half_pixel_centers; otherwise as `tf.image.resize`.
    Source: TF 2.21 `tf.compat.v1.image.resize_bicubic`.
    """
    _require_one("resize_bicubic", align_corners, half_pixel_centers)
    tensor = convert_to_tensor(images)
    chosen = _bicubic_short if tensor.dtype.size == 2 else _bicubic
    return chosen(tensor, *size_of(size), bool(align_corners), bool(half_pixel_centers), name=name)


def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Tensor:
    """`images` resized to the height and width in `size`; each pixel is the mean of the input that it covers.

    Shapes: [batch, height, width, channels] -> [batch, *size, channels].
    Dtypes: uint8 to int64 except uint32, and floating -> float32.
    Gradient: LookupError.
    Raises: as `tf.image.resize`.
    Source: TF 2.21 `tf.compat.v1.image.resize_area`.
    """
    return _area(images, *size_of(size), bool(align_corners), name=name)


def _require_one(name: str, align_corners: bool, half_pixel_centers: bool) -> None:
    if align_corners and half_pixel_centers:
        raise InvalidArgumentError.of(
            f"tf.compat.v1.image.{name}: If half_pixel_centers is True, align_corners must be False."
        )


def _validate(images: Any, height: int, width: int, **_: Any) -> None:
    if images.ndim != 4:
        raise InvalidArgumentError.of(f"tf.compat.v1.image: images must have rank 4, got shape {images.shape}.")
    require_pixels_and_size(images, height, width)


@op("compat.v1.image.resize_bilinear", dtypes=PIXELS, validate=_validate, no_second="")
def _bilinear(images: Array, height: int, width: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    older = functools.partial(bilinear, align_corners=align_corners)
    return resized(images.astype(np.float32), height, width, resampling.bilinear if half_pixel_centers else older)


@op(
    "compat.v1.image.resize_nearest_neighbor",
    dtypes=PIXELS,
    validate=_validate,
    no_second="ResizeNearestNeighborGrad",
)
def _nearest(images: Array, height: int, width: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    rule = functools.partial(nearest, align_corners=align_corners, half_pixel_centers=half_pixel_centers)
    return resized(images, height, width, rule)


@op("compat.v1.image.resize_bicubic", dtypes=PIXELS, validate=_validate, no_second="ResizeBicubicGrad")
def _bicubic(images: Array, height: int, width: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    return _cubic(images, height, width, align_corners, half_pixel_centers)


@op("compat.v1.image.resize_bicubic", dtypes=PIXELS, validate=_validate, differentiable=False)
def _bicubic_short(images: Array, height: int, width: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    """TensorFlow's gradient supports float32 and float64 only."""
    return _cubic(images, height, width, align_corners, half_pixel_centers)


def _cubic(images: Array, height: int, width: int, align_corners: bool, half_pixel_centers: bool) -> Array:
    older = functools.partial(bicubic, align_corners=align_corners)
    return resized(images.astype(np.float32), height, width, resampling.bicubic if half_pixel_centers else older)


@op("compat.v1.image.resize_area", dtypes=PIXELS, validate=_validate, no_gradient="ResizeArea")
def _area(images: Array, height: int, width: int, align_corners: bool) -> Array:
    return resized(images.astype(np.float32), height, width, functools.partial(area, align_corners=align_corners))
