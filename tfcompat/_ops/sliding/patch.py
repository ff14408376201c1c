"""Patches of images: `tf.image.extract_patches`."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Ints, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, NotFoundError, OutOfRangeError, UnimplementedError
from tfcompat._core.types.dtype import DENSE, bool_
from tfcompat._jaxpr.size import are_below
from tfcompat._ops.sliding.window import Window, adds, padded, truncated


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Tensor:
    """The patches of `images` in a window of `sizes` that moves by `strides`, each flattened into the channels.

    The pixels of a patch are `rates` apart. `padding` is "VALID", or "SAME" with zeros outside the image.

    Shapes: [batch, height, width, channels] -> [batch, rows, columns, sizes[1] * sizes[2] * channels].
    Dtypes: numbers -> same.
    Raises: InvalidArgumentError for another rank, or if no patch fits; UnimplementedError unless the first and the last
      of `sizes`, `strides` and `rates` are 1; OutOfRangeError unless they are positive.
    Source: TF 2.21 `tf.image.extract_patches`.
    """
    tensor = convert_to_tensor(images)
    size, stride, rate = (
        _spatial(what, value) for what, value in (("sizes", sizes), ("strides", strides), ("rates", rates))
    )
    if tensor.ndim != 4:
        raise InvalidArgumentError.of(
            f"tf.image.extract_patches: images must have rank 4, got shape {tensor._aval.shape}."
        )
    if tensor.dtype is bool_:
        raise NotFoundError.of("tf.image.extract_patches: images must be numbers, got bool.")
    extents = tensor._aval.shape[1:3]
    window = padded("image.extract_patches", padding, extents, Window(size, stride, rate, ()), False, False)
    if are_below(window.counts(extents), 0):
        raise InvalidArgumentError.of(f"tf.image.extract_patches: no patch of {sizes} fits in shape {extents}.")
    return _extract(tensor, *(getattr(window, part) for part in ("size", "strides", "dilations", "padding")), name=name)


def _spatial(what: str, value: Any) -> tuple[int, ...]:
    """The two integers in the middle of a list of four."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"tf.image.extract_patches: {what} must be a list, got {value!r}.")
    found = truncated(value)
    if len(found) != 4:
        raise InvalidArgumentError.of(f"tf.image.extract_patches: {what} must have length 4, got {value}.")
    if found[0] != 1 or found[3] != 1:
        raise UnimplementedError.of(
            f"tf.image.extract_patches: {what} must be 1 for the batch and the channels, got {value}."
        )
    if min(found) < 1:
        raise OutOfRangeError.of(f"tf.image.extract_patches: {what} must be positive, got {value}.")
    return found[1:3]


@op("image.extract_patches", dtypes=DENSE)
def _extract(images: Array, size: Ints, strides: Ints, dilations: Ints, padding: Ints) -> Array:
    window = Window(size, strides, dilations, padding)
    if window.strides == window.reach and dilations == (1, 1) and not any(map(adds, padding)):
        patches = _tiles(images, window)
    else:
        # First by rows, then by columns, so that strided reads access contiguous elements.
        whole = window.over_all(channels_first=False)
        rows = jnp.stack(list(whole.along(1).elements(images, 0)), 2)
        columns = [jnp.stack(list(whole.along(2).elements(rows[:, :, k], 0)), 3) for k in range(size[0])]
        patches = jnp.stack(columns, 3)
    return patches.reshape((*patches.shape[:3], math.prod(patches.shape[3:])))


def _tiles(images: Array, window: Window) -> Array:
    """Patches with separate window axes: [batch, rows, columns, *window, channels]."""
    (rows, columns), (height, width) = window.counts(images.shape[1:3]), window.size
    cut = images[:, : rows * height, : columns * width]
    tiles = cut.reshape((cut.shape[0], rows, height, columns, width, images.shape[3]))
    return jnp.swapaxes(tiles, 2, 3)
