"""Glimpses: windows of images around given positions, which may extend beyond the edges."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, integers, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import float32, int32

_SINGLE = frozenset((float32,))


def glimpse(
    input: Any, size: Any, offsets: Any, is_centered: bool, is_normalized: bool, noise: str, draw: Any, name: str | None
) -> Tensor:
    """Windows of `size` of the images in `input`; pixels beyond the edges are drawn by `draw`, a function of a shape.

    Raises: InvalidArgumentError for other shapes, or a `noise` other than "uniform", "gaussian" and "zero".
    """
    if noise not in ("uniform", "gaussian", "zero"):
        raise InvalidArgumentError.of(
            f"tf.image.extract_glimpse: noise must be uniform, gaussian or zero, got {noise!r}."
        )
    tensor, places = convert_to_tensor(input, float32), convert_to_tensor(offsets, float32)
    window = convert_to_tensor(size, int32)
    if tensor.ndim != 4 or places._aval.shape != (tensor._aval.shape[0], 2) or window._aval.shape != (2,):
        raise InvalidArgumentError.of(
            f"tf.image.extract_glimpse: input must have rank 4, size two numbers and offsets two for each image, got "
            f"shapes {tensor.shape}, {window.shape} and {places.shape}."
        )
    height, width = integers(window)
    batch, _, _, channels = tensor._aval.shape
    numbers = draw(noise, (batch, height, width, channels))
    return _cut(tensor, places, numbers, height, width, is_centered, is_normalized, noise, name=name)


@op(
    "image.extract_glimpse",
    same=(),
    dtypes={"input": _SINGLE, "offsets": _SINGLE, "numbers": _SINGLE},
    no_gradient="ExtractGlimpseV2",
)
def _cut(
    input: Array,
    offsets: Array,
    numbers: Array,
    height: int,
    width: int,
    is_centered: bool,
    is_normalized: bool,
    noise: str,
) -> Array:
    extents = np.array(input.shape[1:3], np.float32)
    start = offsets * extents if is_normalized else offsets
    if is_centered:
        start = (
            start / 2 + extents / 2 - np.array([height, width], np.float32) / 2
            if is_normalized
            else start + extents / 2
        )
    corner = jnp.trunc(start).astype(np.int32)
    rows, columns = corner[:, :1] + np.arange(height), corner[:, 1:] + np.arange(width)
    images = np.arange(input.shape[0])[:, None, None]
    seen = input.at[images, rows[:, :, None], columns[:, None, :]].get(mode="fill", wrap_negative_indices=False)
    is_row, is_column = (rows >= 0) & (rows < input.shape[1]), (columns >= 0) & (columns < input.shape[2])
    return jnp.where((is_row[:, :, None] & is_column[:, None, :])[..., None], seen, _noise(input, numbers, noise))


def _noise(input: Array, numbers: Array, noise: str) -> Array:
    """Uniform `numbers` scaled to the range of an image's pixels, normal ones to a channel's mean and deviation."""
    if noise == "zero":
        return numbers
    if noise == "uniform":
        low, high = (extreme(input, (1, 2, 3), keepdims=True) for extreme in (jnp.min, jnp.max))
        return low + numbers * (high - low)
    low, high = (extreme(input, (1, 2), keepdims=True) for extreme in (jnp.min, jnp.max))
    normal = jnp.mean(input, (1, 2), keepdims=True) + numbers * jnp.std(input, (1, 2), keepdims=True)
    return jnp.clip(normal, low, high)
