"""Framing: overlapping pieces of a signal, and the sum of overlapping pieces.

Both work on blocks of the length of a step; a frame consists of a few neighbouring blocks.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DENSE, NUMERIC
from tfcompat._jaxpr.size import is_open

# A frame of more blocks is gathered: one slice for each block would be too many.
_MOST_SLICES = 32


def frame_count(length: int, frame_length: int, frame_step: int, pad_end: bool) -> int:
    """The number of frames of a signal of `length`, which may be open."""
    if pad_end:
        return -(-length // frame_step)
    if is_open(length) and frame_length:
        windows = partial(lax.reduce_window, init_value=0.0, computation=lax.add, padding="VALID")
        signal = jax.ShapeDtypeStruct((length,), np.float32)
        return jax.eval_shape(
            partial(windows, window_dimensions=(frame_length,), window_strides=(frame_step,)), signal
        ).shape[0]
    return max(0, 1 + (length - frame_length) // frame_step)


def framed(signal: Array, frame_length: int, frame_step: int, pad_end: bool, pad_value: Any = 0) -> Array:
    """The frames along the last axis of `signal`: [..., n] -> [..., frames, frame_length]."""
    length = signal.shape[-1]
    count = frame_count(length, frame_length, frame_step, pad_end)
    per_frame = -(-frame_length // frame_step)
    rows = count + per_frame - 1
    if not frame_length or (not is_open(count) and not count):
        return jnp.zeros((*signal.shape[:-1], count, frame_length), signal.dtype)
    value = jnp.asarray(pad_value, signal.dtype)
    padded = lax.pad(signal, value, [*[(0, 0, 0)] * (signal.ndim - 1), (0, rows * frame_step - length, 0)])
    blocks = padded.reshape(*signal.shape[:-1], rows, frame_step)
    if per_frame > _MOST_SLICES and not is_open(count):
        frames = blocks[..., np.arange(count)[:, None] + np.arange(per_frame), :]
        return frames.reshape(*signal.shape[:-1], count, per_frame * frame_step)[..., :frame_length]
    parts = [lax.slice_in_dim(blocks, k, k + count, axis=-2) for k in range(per_frame)]
    return jnp.concatenate(parts, -1)[..., :frame_length]


def overlapped(frames: Array, frame_step: int) -> Array:
    """The sum of `frames`, each shifted by `frame_step` from the last: [..., frames, length] -> [..., samples]."""
    *batch, count, length = frames.shape
    total = length + frame_step * (count - 1)
    per_frame = -(-length // frame_step)
    rows = count + per_frame
    # Each row of blocks has one extra column, so that, read row after row, each row is shifted by one to the right.
    filled = [*[(0, 0, 0)] * len(batch), (0, per_frame, 0), (0, per_frame * frame_step - length, 0)]
    blocks = lax.pad(frames, jnp.zeros((), frames.dtype), filled).reshape(*batch, rows, per_frame, frame_step)
    slanted = jnp.swapaxes(blocks, -3, -2).reshape(*batch, per_frame * rows, frame_step)
    upright = slanted[..., : per_frame * (rows - 1), :].reshape(*batch, per_frame, rows - 1, frame_step)
    return jnp.sum(upright, -3, dtype=frames.dtype).reshape(*batch, (rows - 1) * frame_step)[..., :total]


def of_length(array: Array, length: int) -> Array:
    """`array`, with its last axis truncated or zero-padded to `length`."""
    edges = [*[(0, 0, 0)] * (array.ndim - 1), (0, length - array.shape[-1], 0)]
    return lax.pad(array, jnp.zeros((), array.dtype), edges)


def static_size(name: str, what: str, value: Any, least: int = 1) -> int:
    """A static integer that is at least `least`.

    Raises: ValueError if it isn't a scalar; InvalidArgumentError if it is too small, or not an integer.
    """
    tensor = convert_to_tensor(value)
    if tensor.ndim:
        raise ValueError(f"tf.{name}: {what} must be a scalar, got shape {tensor.shape}.")
    if not tensor.dtype.is_integer or (found := int(tensor)) < least:
        raise InvalidArgumentError.of(f"tf.{name}: {what} must be an integer that is at least {least}, got {value}.")
    return found


@dispatched
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Pieces of `signal` of `frame_length` along `axis`, each shifted by `frame_step` from the last.

    With `pad_end`, there is a frame for every step, padded with `pad_value`; otherwise all frames are inside the
    signal.

    Shapes: [*outer, n, *inner] -> [*outer, frames, frame_length, *inner].
    Dtypes: any but string -> same.
    Raises: ValueError if `signal` has rank 0; InvalidArgumentError if a length isn't an integer, or negative.
    Source: TF 2.21 `tf.signal.frame`.
    """
    del name
    tensor = convert_to_tensor(signal)
    if tensor.ndim < 1:
        raise ValueError("tf.signal.frame: signal must have rank 1 or more, got a scalar.")
    place = range(tensor.ndim)[axis]
    length = static_size("signal.frame", "frame_length", frame_length, 0)
    step = static_size("signal.frame", "frame_step", frame_step)
    padding = convert_to_tensor(pad_value if pad_end else np.zeros((), tensor.dtype.as_numpy_dtype), tensor.dtype)
    return _frame(tensor, padding, length, step, bool(pad_end), place)


@op("signal.frame", dtypes=DENSE)
def _frame(signal: Array, pad_value: Array, frame_length: int, frame_step: int, pad_end: bool, axis: int) -> Array:
    """`frame` with resolved arguments."""
    frames = framed(jnp.moveaxis(signal, axis, -1), frame_length, frame_step, pad_end, pad_value)
    return jnp.moveaxis(frames, (-2, -1), (axis, axis + 1))


@dispatched
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """The sum of the frames in `signal`, each shifted by `frame_step` from the last.

    Shapes: [*batch, frames, frame_length] -> [*batch, frame_length + frame_step * (frames - 1)].
    Dtypes: numbers -> same.
    Raises: ValueError if the rank is below 2 or `frame_step` isn't an integer.
    Source: TF 2.21 `tf.signal.overlap_and_add`.
    """
    del name
    tensor = convert_to_tensor(signal)
    step = convert_to_tensor(frame_step)
    if tensor.ndim < 2 or step.ndim or not step.dtype.is_integer:
        raise ValueError(
            f"tf.signal.overlap_and_add: signal must have rank 2 or more and frame_step must be an integer, got shape "
            f"{tensor.shape} and {frame_step}."
        )
    return _overlap_and_add(tensor, static_size("signal.overlap_and_add", "frame_step", step))


@op("signal.overlap_and_add", dtypes=NUMERIC)
def _overlap_and_add(signal: Array, frame_step: int) -> Array:
    """`overlap_and_add` with resolved arguments."""
    return overlapped(signal, frame_step)
