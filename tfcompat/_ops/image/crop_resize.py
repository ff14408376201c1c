"""Cropping boxes from images and resizing them to one size: `tf.image.crop_and_resize`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, integers, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, OutOfRangeError
from tfcompat._core.types.dtype import float16, float32, float64, int8, int16, int32, int64, uint8, uint16
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.derivative import with_derivative
from tfcompat._ops.elementwise.rounding import rounded

_PIXELS = frozenset((uint8, int8, uint16, int16, int32, int64, float16, float32, float64))


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """The parts of `image` in `boxes`, of the images `box_indices`, each resized to `crop_size` by `method`.

    A box is (y1, x1, y2, x2), where 0 and 1 are the centers of the outermost pixels; y1 > y2 flips it vertically.
    Pixels
    outside the image are `extrapolation_value`.

    Shapes: [batch, height, width, channels], [n, 4], [n], [2] -> [n, *crop_size, channels].
    Dtypes: uint8 to int64 except uint32, float16, float32, float64; boxes float32; box_indices int32 -> float32.
    Gradient: for boxes that of "bilinear" with either method. No second derivative: LookupError.
    Raises: InvalidArgumentError for other shapes, sizes or methods, or a box that is not finite; OutOfRangeError if an
      index is out of range (InvalidArgumentError where a program computes the index).
    Source: TF 2.21 `tf.image.crop_and_resize`.
    """
    if method not in ("bilinear", "nearest"):
        raise InvalidArgumentError.of(f"tf.image.crop_and_resize: method must be bilinear or nearest, got {method!r}.")
    tensor, where = convert_to_tensor(image), convert_to_tensor(box_indices, int32)
    size = convert_to_tensor(crop_size, int32)
    if size._aval.shape != (2,):
        raise InvalidArgumentError.of(f"tf.image.crop_and_resize: crop_size must be two int32, got {crop_size}.")
    if type(where._array) is np.ndarray and tensor.ndim and np.any(_is_outside(where._array, tensor._aval.shape[0])):
        raise OutOfRangeError.of(
            f"tf.image.crop_and_resize: box_indices must be in [0, {tensor._aval.shape[0]}), got {where._array}."
        )
    height, width = integers(size)
    places = convert_to_tensor(boxes, float32)
    outside = convert_to_tensor(extrapolation_value, float32)
    return _crop(tensor, places, where, outside, height, width, method == "nearest", name=name)


def _is_outside(indices: Any, count: int) -> Any:
    return (indices < 0) | (indices >= count)


def _validate(image: Any, boxes: Any, box_indices: Any, height: int, width: int, **_: Any) -> None:
    if image.ndim != 4 or 0 in image.shape[1:3]:
        raise InvalidArgumentError.of(
            f"tf.image.crop_and_resize: image must have rank 4 and at least one pixel, got shape {image.shape}."
        )
    if boxes.ndim != 2 or boxes.shape[1] != 4 or box_indices.shape != boxes.shape[:1]:
        raise InvalidArgumentError.of(
            f"tf.image.crop_and_resize: boxes must have shape [n, 4] and box_indices [n], got {boxes.shape} and "
            f"{box_indices.shape}."
        )
    if height <= 0 or width <= 0:
        raise InvalidArgumentError.of(f"tf.image.crop_and_resize: crop_size must be positive, got ({height}, {width}).")


_IS_BOX_OF_AN_IMAGE = Check(
    reads=("boxes", "box_indices"),
    flag=lambda image, boxes, box_indices, **_: (
        _is_outside(box_indices, image.shape[0]) | ~(abs(boxes) < math.inf).all(-1)
    ),
    message="box_indices must be in [0, n) for n images, and boxes finite",
)


@op(
    "image.crop_and_resize",
    same=(),
    dtypes={
        "image": _PIXELS,
        "boxes": frozenset((float32,)),
        "box_indices": frozenset((int32,)),
        "extrapolation_value": frozenset((float32,)),
    },
    differentiable=("image", "boxes"),
    validate=_validate,
    check=_IS_BOX_OF_AN_IMAGE,
    no_second="CropAndResizeGradImage",
)
def _crop(
    image: Array,
    boxes: Array,
    box_indices: Array,
    extrapolation_value: Array,
    height: int,
    width: int,
    is_nearest: bool,
) -> Array:
    rows = _positions(boxes[:, 0], boxes[:, 2], height, image.shape[1])
    columns = _positions(boxes[:, 1], boxes[:, 3], width, image.shape[2])
    pick = _nearest if is_nearest else _between
    values = pick(image.astype(np.float32), rows, columns, box_indices)
    is_inside = _lies_inside(rows, image.shape[1])[:, :, None] & _lies_inside(columns, image.shape[2])[:, None, :]
    return jnp.where(is_inside[..., None], values, extrapolation_value)


def _positions(start: Array, end: Array, count: int, extent: int) -> Array:
    """The positions along an axis of size `extent` of the `count` elements of each crop, [n, count]."""
    last = jnp.asarray(extent - 1, np.float32) if is_open(extent) else np.float32(extent - 1)
    if count == 1:
        return (np.float32(0.5) * (start + end) * last)[:, None]
    step = (end - start) * last / np.float32(count - 1)
    return rounded(start * last)[:, None] + rounded(jnp.arange(count, dtype=np.float32) * step[:, None])


def _lies_inside(positions: Array, extent: int) -> Array:
    return (positions >= 0) & (positions <= extent - 1)


def _clipped(places: Array, extent: int) -> Array:
    return jnp.clip(places, 0, extent - 1).astype(np.int32)


def _at(image: Array, rows: Array, columns: Array, images: Array) -> Array:
    """The pixels at `rows` and `columns`, which broadcast with the batch indices `images`."""
    pixels = image.reshape((math.prod(image.shape[:3]), image.shape[3]))
    places = (images * image.shape[1] + rows) * image.shape[2] + columns
    return pixels.at[places].get(mode="clip")


class _Corners:
    """The four pixels around each position, and the weights of the lower and right ones."""

    def __init__(self, image: Array, rows: Array, columns: Array, images: Array) -> None:
        self._images = images[:, None, None]
        self.rows = [_clipped(edge(rows), image.shape[1])[:, :, None] for edge in (jnp.floor, jnp.ceil)]
        self.columns = [_clipped(edge(columns), image.shape[2])[:, None, :] for edge in (jnp.floor, jnp.ceil)]
        self.down = (rows - jnp.floor(rows))[:, :, None, None]
        self.right = (columns - jnp.floor(columns))[:, None, :, None]

    def pixels(self, image: Array) -> list[list[Array]]:
        """The pixels as a list of rows."""
        return [[_at(image, row, column, self._images) for column in self.columns] for row in self.rows]

    def mean(self, image: Array) -> Array:
        """Bilinear interpolation as one gather, whose transpose is one scatter."""
        rows = jnp.stack([*self.rows, *self.rows], -1)
        columns = jnp.stack([self.columns[k] for k in (0, 0, 1, 1)], -1)
        down, right = self.down, self.right
        weights = [(1 - down) * (1 - right), down * (1 - right), (1 - down) * right, down * right]
        return jnp.sum(_at(image, rows, columns, self._images[..., None]) * jnp.stack(weights, -2), -2)


def _interpolated(image: Array, rows: Array, columns: Array, images: Array) -> Array:
    corners = _Corners(image, rows, columns, images)
    (a, b), (c, d) = corners.pixels(image)
    top, bottom = a + (b - a) * corners.right, c + (d - c) * corners.right
    return top + (bottom - top) * corners.down


def _by_rows(tangent: Array, _: Array, image: Array, rows: Array, columns: Array, images: Array) -> Array:
    corners = _Corners(image, rows, columns, images)
    (a, b), (c, d) = corners.pixels(image)
    return tangent[:, :, None, None] * ((c - a) * (1 - corners.right) + (d - b) * corners.right)


def _by_columns(tangent: Array, _: Array, image: Array, rows: Array, columns: Array, images: Array) -> Array:
    corners = _Corners(image, rows, columns, images)
    (a, b), (c, d) = corners.pixels(image)
    return tangent[:, None, :, None] * ((b - a) * (1 - corners.down) + (d - c) * corners.down)


def _by_image(tangent: Array, _: Array, image: Array, rows: Array, columns: Array, images: Array) -> Array:
    return _Corners(image, rows, columns, images).mean(tangent)


def _never(*_: Array) -> Array:
    raise AssertionError("an index has no tangent")


def _closest(image: Array, rows: Array, columns: Array, images: Array) -> Array:
    row, column = _whole(rows, image.shape[1])[:, :, None], _whole(columns, image.shape[2])[:, None, :]
    return _at(image, row, column, images[:, None, None])


def _whole(positions: Array, extent: int) -> Array:
    """The nearest element; ties go to the farther one."""
    below = jnp.floor(positions)
    return _clipped(below + (positions - below >= 0.5), extent)


_Rule = Callable[..., Array]
_rules: tuple[_Rule, ...] = (_by_image, _by_rows, _by_columns, _never)
_between = with_derivative(_interpolated, *_rules)
_nearest = with_derivative(
    _closest, lambda t, _, _image, rows, columns, images: _closest(t, rows, columns, images), *_rules[1:]
)
