"""Drawing boxes into images."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import float16, float32
from tfcompat._ops.image.box import as_single

# TensorFlow's default colours, used in turn: red, green, blue, opacity.
PALETTE = (
    (1.0, 1.0, 0.0, 1.0),
    (0.0, 0.0, 1.0, 1.0),
    (1.0, 0.0, 0.0, 1.0),
    (0.0, 1.0, 0.0, 1.0),
    (0.5, 0.0, 0.5, 1.0),
    (0.5, 0.5, 0.0, 1.0),
    (0.5, 0.0, 0.0, 1.0),
    (0.0, 0.0, 0.5, 1.0),
    (0.0, 1.0, 1.0, 1.0),
    (1.0, 0.0, 1.0, 1.0),
)


def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """`images` with the edges of `boxes`, one pixel wide; the boxes take the `colors` in turn.

    A box is (y1, x1, y2, x2), from 0 to 1. Parts outside the image are not drawn, nor are boxes with y1 > y2 or x1 >
    x2.
    Without `colors`, TensorFlow's ten default colours are used.

    Shapes: [batch, height, width, 1, 3 or 4], [batch, n, 4], [m, channels or more] -> that of images.
    Dtypes: images float16, float32 -> same; boxes and colors float32.
    Gradient: None without `colors`, LookupError with them.
    Raises: InvalidArgumentError for other shapes or dtypes.
    Source: TF 2.21 `tf.image.draw_bounding_boxes`.
    """
    if colors is None:
        return _draw(as_single(images), as_single(boxes), name=name)
    return _draw_in_colors(as_single(images), as_single(boxes), as_single(colors), name=name)


def _palette(images: Array) -> np.ndarray:
    """The colours; in greyscale images all are white."""
    colors = np.array(PALETTE, np.float32)
    return np.ones_like(colors) if images.shape[3] == 1 else colors


def _validate(images: Any, boxes: Any) -> None:
    if images.ndim != 4 or images.shape[3] not in (1, 3, 4):
        raise InvalidArgumentError.of(
            f"tf.image.draw_bounding_boxes: images must have rank 4 and 1, 3 or 4 channels, got shape {images.shape}."
        )
    if boxes.ndim != 3 or boxes.shape[0] != images.shape[0] or boxes.shape[2] != 4:
        raise InvalidArgumentError.of(
            f"tf.image.draw_bounding_boxes: boxes must have shape [{images.shape[0]}, n, 4], got {boxes.shape}."
        )


def _validate_colors(images: Any, boxes: Any, colors: Any) -> None:
    _validate(images, boxes)
    if colors.ndim != 2 or colors.shape[1] < images.shape[3]:
        raise InvalidArgumentError.of(
            f"tf.image.draw_bounding_boxes: colors must have shape [n, {images.shape[3]}] or more, got {colors.shape}."
        )


_DTYPES = {"images": frozenset((float16, float32)), "boxes": frozenset((float32,)), "colors": frozenset((float32,))}


@op("image.draw_bounding_boxes", same=("images",), dtypes=_DTYPES, validate=_validate, differentiable=False)
def _draw(images: Array, boxes: Array) -> Array:
    return _drawn(images, boxes, jnp.asarray(_palette(images)))


@op(
    "image.draw_bounding_boxes",
    same=("images",),
    dtypes=_DTYPES,
    validate=_validate_colors,
    no_gradient="DrawBoundingBoxesV2",
)
def _draw_in_colors(images: Array, boxes: Array, colors: Array) -> Array:
    return _drawn(images, boxes, colors if colors.shape[0] else jnp.asarray(_palette(images)))


def _drawn(images: Array, boxes: Array, colors: Array) -> Array:
    _, height, width, channels = images.shape
    if not boxes.shape[1]:
        return images
    rows, columns = jnp.arange(height)[:, None], jnp.arange(width)
    edges = jnp.trunc(boxes * np.array([height - 1, width - 1] * 2, np.float32)).astype(np.int32)

    def draw(k: Array, images: Array) -> Array:
        top, left, bottom, right = (edges[:, k, place, None, None] for place in range(4))
        is_within = (rows >= top) & (rows <= bottom) & (columns >= left) & (columns <= right)
        is_edge = (rows == top) | (rows == bottom) | (columns == left) | (columns == right)
        color = colors[k % colors.shape[0], :channels].astype(images.dtype)
        return jnp.where((is_within & is_edge)[..., None], color, images)

    return lax.fori_loop(0, boxes.shape[1], draw, images)
