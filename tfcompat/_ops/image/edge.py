"""Differences of neighbouring pixels: gradients, edges, total variation."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import (
    COMPLEX,
    REAL,
    UNSIGNED,
    bfloat16,
    float16,
    float32,
    float64,
)
from tfcompat._ops.derivative import absolute
from tfcompat._ops.image.resampling import weighed_neighbours


def _change(image: Array, axis: int) -> Array:
    """The differences of neighbours along `axis`."""
    extent = image.shape[axis]
    return lax.slice_in_dim(image, 1, extent, axis=axis) - lax.slice_in_dim(image, 0, max(extent - 1, 0), axis=axis)


@dispatched
def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """The vertical and horizontal differences of neighbours in `image`; 0 in the last row and the last column.

    Shapes: [batch, height, width, channels] -> twice the same.
    Dtypes: numbers -> same.
    Raises: ValueError for another rank.
    Source: TF 2.21 `tf.image.image_gradients`.
    """
    tensor = convert_to_tensor(image)
    if tensor.ndim != 4:
        raise ValueError(f"tf.image.image_gradients: image must have rank 4, got shape {tensor._aval.shape}.")
    return _gradients(tensor)


@op("image.image_gradients", dtypes=REAL | COMPLEX, structure=tuple)
def _gradients(image: Array) -> tuple[Array, ...]:
    return tuple(
        jnp.pad(_change(image, axis), [(0, 1 if k == axis and image.shape[k] else 0) for k in range(4)])
        for axis in (1, 2)
    )


@dispatched
def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the absolute differences of neighbours in `images`, for each image of a batch.

    Shapes: [batch, height, width, channels] -> [batch]; [height, width, channels] -> [].
    Dtypes: floating, complex and signed integer -> same, real of complex.
    Raises: ValueError for another rank.
    Source: TF 2.21 `tf.image.total_variation`.
    """
    tensor = convert_to_tensor(images)
    if tensor.ndim not in (3, 4):
        raise ValueError(f"tf.image.total_variation: images must have rank 3 or 4, got shape {tensor._aval.shape}.")
    return _variation(tensor, name=name)


@op("image.total_variation", dtypes=(REAL | COMPLEX) - UNSIGNED, flat=True)
def _variation(images: Array) -> Array:
    changes = [absolute(_change(images, axis)) for axis in (-3 + images.ndim, -2 + images.ndim)]
    sums = [jnp.sum(change, (-3, -2, -1), dtype=change.dtype) for change in changes]
    return sums[0] + sums[1]


_WEIGHTS = ((-1, None, 1), (1, 2, 1))


def _validate_sobel(image: Any) -> None:
    if image.ndim != 4 or min(image.shape[1:3]) < 2:
        raise InvalidArgumentError.of(
            f"tf.image.sobel_edges: image must have rank 4 and at least two rows and columns, got shape {image.shape}."
        )


@dispatched
def sobel_edges(image: Any) -> Tensor:
    """The vertical and horizontal Sobel differences of `image`; the border is mirrored.

    Shapes: [batch, height, width, channels] -> [batch, height, width, channels, 2].
    Dtypes: bfloat16, float16, float32, float64 -> same.
    Raises: InvalidArgumentError for another rank, or fewer than two rows or columns.
    Source: TF 2.21 `tf.image.sobel_edges`.
    """
    return _edges(image)


@op("image.sobel_edges", dtypes=frozenset((bfloat16, float16, float32, float64)), validate=_validate_sobel)
def _edges(image: Array) -> Array:
    surrounded = jnp.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)), "reflect")
    difference, smoothing = _WEIGHTS
    down = weighed_neighbours(weighed_neighbours(surrounded, 1, difference), 2, smoothing)
    right = weighed_neighbours(weighed_neighbours(surrounded, 1, smoothing), 2, difference)
    return jnp.stack([down, right], -1)
