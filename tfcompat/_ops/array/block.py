"""Blocks of pixels moved into channels or batches, and back."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.declare import Array, Ints, op
from tfcompat._core.system.error import InvalidArgumentError, UnimplementedError
from tfcompat._core.types.dtype import MOVABLE

_FORMATS = ("NHWC", "NCHW")


def _validate_depth(name: str, input: Any, block_size: int, data_format: str) -> None:
    if data_format == "NCHW_VECT_C":
        raise UnimplementedError.of(f"tf.nn.{name}: data_format NCHW_VECT_C is not supported; use NHWC or NCHW.")
    if data_format not in _FORMATS:
        raise InvalidArgumentError.of(f"tf.nn.{name}: data_format must be NHWC or NCHW, got {data_format!r}.")
    if input.ndim != 4 or block_size < 2:
        raise InvalidArgumentError.of(
            f"tf.nn.{name}: input must have rank 4 and block_size 2 or more, got {input.shape} and {block_size}."
        )


def _validate_space_to_depth(input: Any, block_size: int, data_format: str) -> None:
    _validate_depth("space_to_depth", input, block_size, data_format)
    height, width = input.shape[1:3] if data_format == "NHWC" else input.shape[2:]
    if height % block_size or width % block_size:
        raise InvalidArgumentError.of(
            f"tf.nn.space_to_depth: height and width must be multiples of block_size {block_size}, "
            f"got shape {input.shape}."
        )


@op("nn.space_to_depth", dtypes=MOVABLE, validate=_validate_space_to_depth)
def space_to_depth(input: Array, block_size: int, data_format: str = "NHWC") -> Array:
    """The images `input` with each block of `block_size` by `block_size` pixels as one pixel of more channels.

    Shapes: [n, h, w, c] -> [n, h / block_size, w / block_size, c * block_size**2]; [n, c, h, w] if "NCHW".
    Dtypes: any -> same.
    Raises: InvalidArgumentError if the rank is not 4, or height or width is not a multiple of block_size.
    Source: TF 2.21 `tf.nn.space_to_depth`.
    """
    if data_format == "NCHW":
        return jnp.moveaxis(_into_depth(jnp.moveaxis(input, 1, 3), block_size), 3, 1)
    return _into_depth(input, block_size)


def _into_depth(images: Array, size: int) -> Array:
    count, height, width, channels = images.shape
    blocks = images.reshape(count, height // size, size, width // size, size, channels)
    return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(count, height // size, width // size, size * size * channels)


def _validate_depth_to_space(input: Any, block_size: int, data_format: str) -> None:
    _validate_depth("depth_to_space", input, block_size, data_format)
    channels = input.shape[3 if data_format == "NHWC" else 1]
    if channels % block_size**2:
        raise InvalidArgumentError.of(
            f"tf.nn.depth_to_space: the channels must be a multiple of {block_size**2}, got shape {input.shape}."
        )


@op("nn.depth_to_space", dtypes=MOVABLE, validate=_validate_depth_to_space)
def depth_to_space(input: Array, block_size: int, data_format: str = "NHWC") -> Array:
    """The images `input` with each pixel as a block of `block_size` by `block_size` pixels with fewer channels.

    Shapes: [n, h, w, c] -> [n, h * block_size, w * block_size, c / block_size**2]; [n, c, h, w] if "NCHW".
    Dtypes: any -> same.
    Raises: InvalidArgumentError if the rank is not 4, or the channels are not a multiple of block_size**2.
    Source: TF 2.21 `tf.nn.depth_to_space`.
    """
    if data_format == "NCHW":
        return jnp.moveaxis(_out_of_depth(jnp.moveaxis(input, 1, 3), block_size), 3, 1)
    return _out_of_depth(input, block_size)


def _out_of_depth(images: Array, size: int) -> Array:
    count, height, width, channels = images.shape
    blocks = images.reshape(count, height, width, size, size, channels // size**2)
    return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(count, height * size, width * size, channels // size**2)


def _require_blocks(name: str, block_shape: Ints, margins: Ints, rank: int) -> None:
    count = len(block_shape) if isinstance(block_shape, tuple) else -1
    if count < 0 or count >= rank or any(size < 1 for size in block_shape):
        raise InvalidArgumentError.of(
            f"tf.{name}: block_shape must be positive, one size for each spatial axis, got {block_shape}."
        )
    if np.shape(margins) != (count, 2) or any(margin < 0 for pair in margins for margin in pair):
        raise InvalidArgumentError.of(
            f"tf.{name}: expected {count} pairs of non-negative numbers, one for each axis of block_shape, "
            f"got {margins}."
        )


def _validate_space_to_batch(input: Any, block_shape: Ints, paddings: Ints) -> None:
    _require_blocks("space_to_batch", block_shape, paddings, input.ndim)
    for size, block, pair in zip(input.shape[1:], block_shape, paddings, strict=False):
        if (size + sum(pair)) % block:
            raise InvalidArgumentError.of(
                f"tf.space_to_batch: padded axes must be multiples of block_shape {block_shape}, "
                f"got shape {input.shape} with paddings {paddings}."
            )


@op("space_to_batch", validate=_validate_space_to_batch)
def space_to_batch(input: Array, block_shape: Ints, paddings: Ints) -> Array:
    """The tensor `input`, padded with zeros, with the positions inside each block moved into the batch axis.

    Shapes: [n, *space, *rest] -> [n * prod(block_shape), *((space + paddings) / block_shape), *rest].
    Dtypes: any -> same.
    Raises: InvalidArgumentError if a padded axis is not a multiple of its block, or the shapes do not fit.
    Source: TF 2.21 `tf.space_to_batch`.
    """
    count = len(block_shape)
    widths = [(0, 0), *paddings, *[(0, 0)] * (input.ndim - 1 - count)]
    padded = jnp.pad(input, widths)
    shape = [padded.shape[0]]
    for size, block in zip(padded.shape[1:], block_shape, strict=False):
        shape += [size // block, block]
    blocks = padded.reshape(*shape, *padded.shape[1 + count :])
    inner = [2 + 2 * k for k in range(count)]
    outer = [1 + 2 * k for k in range(count)]
    moved = blocks.transpose(*inner, 0, *outer, *range(1 + 2 * count, blocks.ndim))
    sizes = [size // block for size, block in zip(padded.shape[1:], block_shape, strict=False)]
    return moved.reshape(padded.shape[0] * math.prod(block_shape), *sizes, *padded.shape[1 + count :])


def _validate_batch_to_space(input: Any, block_shape: Ints, crops: Ints) -> None:
    _require_blocks("batch_to_space", block_shape, crops, input.ndim)
    if input.shape[0] % math.prod(block_shape):
        raise InvalidArgumentError.of(
            f"tf.batch_to_space: the batch must be a multiple of {math.prod(block_shape)}, got shape {input.shape}."
        )
    for size, block, pair in zip(input.shape[1:], block_shape, crops, strict=False):
        if size * block < sum(pair):
            raise InvalidArgumentError.of(f"tf.batch_to_space: crops exceed an axis of {size * block}, got {crops}.")


@op("batch_to_space", validate=_validate_batch_to_space)
def batch_to_space(input: Array, block_shape: Ints, crops: Ints) -> Array:
    """The tensor `input` with parts of its batch axis moved back into spatial blocks, then cropped.

    Shapes: [n, *space, *rest] -> [n / prod(block_shape), *(space * block_shape - crops), *rest].
    Dtypes: any -> same.
    Raises: InvalidArgumentError if the batch is not a multiple of prod(block_shape), or crops exceed an axis.
    Source: TF 2.21 `tf.batch_to_space`.
    """
    count = len(block_shape)
    batch = input.shape[0] // math.prod(block_shape)
    blocks = input.reshape(*block_shape, batch, *input.shape[1:])
    order = [count]
    for k in range(count):
        order += [count + 1 + k, k]
    moved = blocks.transpose(*order, *range(2 * count + 1, blocks.ndim))
    sizes = [size * block for size, block in zip(input.shape[1:], block_shape, strict=False)]
    space = moved.reshape(batch, *sizes, *input.shape[1 + count :])
    return space[(slice(None), *(slice(low, size - high) for size, (low, high) in zip(sizes, crops, strict=True)))]
