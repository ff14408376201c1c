"""Rotation by right angles, mirroring and transposition of images."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, integer, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DENSE, int32
from tfcompat._ops.image.shape import as_image, extents


@dispatched
def flip_left_right(image: Any) -> Tensor:
    """The mirror image of `image`, left to right.

    Shapes: [batch, height, width, channels] -> same; the same without batch.
    Dtypes: any -> same.
    Raises: ValueError for another rank, or no pixels.
    Source: TF 2.21 `tf.image.flip_left_right`.
    """
    return _mirrored(as_image("image.flip_left_right", image), -2)


@dispatched
def flip_up_down(image: Any) -> Tensor:
    """The mirror image of `image`, upside down.

    Shapes: [batch, height, width, channels] -> same; the same without batch.
    Dtypes: any -> same.
    Raises: ValueError for another rank, or no pixels.
    Source: TF 2.21 `tf.image.flip_up_down`.
    """
    return _mirrored(as_image("image.flip_up_down", image), -3)


@op("image.flip")
def _mirrored(image: Array, axis: int) -> Array:
    return jnp.flip(image, axis)


def flip_at_random(name: str, image: Any, axis: int, draw: Any) -> Tensor:
    """`image`, mirrored along `axis` or not; `draw` decides for each image of a batch."""
    tensor = as_image(name, image)
    numbers = draw(tensor._aval.shape[:-3])
    return (_flipped_one if tensor.ndim == 3 else _flipped_each)(tensor, numbers, axis)


@op("image.random_flip", same=("image",))
def _flipped_one(image: Array, drawn: Array, axis: int) -> Array:
    return lax.cond(drawn < 0.5, lambda: jnp.flip(image, axis), lambda: image)


@op("image.random_flip", same=("image",))
def _flipped_each(image: Array, drawn: Array, axis: int) -> Array:
    chosen = jnp.round(drawn).astype(image.dtype).reshape((-1, 1, 1, 1))
    return chosen * jnp.flip(image, axis) + (1 - chosen) * image


@dispatched
def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """`image` rotated by `k` right angles, counter-clockwise.

    Shapes: [batch, height, width, channels] -> same, height and width exchanged if `k` is odd; the same without batch.
    Dtypes: any -> same.
    Raises: ValueError for another rank, or no pixels.
    Source: TF 2.21 `tf.image.rot90`.
    """
    tensor, turns = as_image("image.rot90", image), as_tensor(k)
    height, width = extents(tensor)
    if turns is None or turns._array is not None or height != width:
        return _turned(tensor, (integer(k) or 0) % 4, name=name)
    return _turned_by(tensor, convert_to_tensor(turns, int32), name=name)


@op("image.rot90")
def _turned(image: Array, k: int) -> Array:
    return jnp.rot90(image, k, (-3, -2))


@op("image.rot90", same=("image",), dtypes={"image": DENSE, "k": frozenset((int32,))})
def _turned_by(image: Array, k: Array) -> Array:
    """Square images rotated by a number of right angles that the program computes."""
    return lax.switch(k % 4, [lambda turns=turns: jnp.rot90(image, turns, (-3, -2)) for turns in range(4)])


@dispatched
def transpose(image: Any, name: str | None = None) -> Tensor:
    """`image` with rows and columns exchanged.

    Shapes: [batch, height, width, channels] -> [batch, width, height, channels]; the same without batch.
    Dtypes: any -> same.
    Raises: ValueError for another rank, or no pixels.
    Source: TF 2.21 `tf.image.transpose`.
    """
    return _transposed(as_image("image.transpose", image), name=name)


@op("image.transpose")
def _transposed(image: Array) -> Array:
    return jnp.swapaxes(image, -3, -2)
