"""Patches of volumes, flattened into the channels."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.declare import Array, Ints, op
from tfcompat._core.system.error import InvalidArgumentError, UnimplementedError
from tfcompat._core.types.dtype import REAL
from tfcompat._ops.sliding.window import Window, padded

_RANK = 5


def _validate(input: Any, ksizes: Ints, strides: Ints, padding: str) -> None:
    name = "tf.extract_volume_patches"
    if input.ndim != _RANK or len(ksizes) != _RANK or len(strides) != _RANK:
        raise InvalidArgumentError.of(f"{name}: input, ksizes and strides must have 5 dimensions, got {input.shape}.")
    if {ksizes[0], ksizes[-1], strides[0], strides[-1]} != {1}:
        raise UnimplementedError.of(f"{name}: ksizes and strides must be 1 along batch and channels.")
    if padding not in ("SAME", "VALID"):
        raise InvalidArgumentError.of(f"{name}: padding must be SAME or VALID, got {padding!r}.")


@op(dtypes=REAL, validate=_validate)
def extract_volume_patches(input: Array, ksizes: Ints, strides: Ints, padding: str) -> Array:
    """The patches of `input` of the sizes `ksizes`, `strides` apart, each flattened into the channels.

    Shapes: [batch, depth, height, width, channels] -> [batch, *places, product of ksizes * channels].
    Dtypes: real numbers -> the same.
    Raises: InvalidArgumentError for another rank or padding; UnimplementedError for patches along batch or channels.
    Source: TF 2.21 `tf.extract_volume_patches`.
    """
    bare = Window(ksizes[1:-1], strides[1:-1], (1, 1, 1), ())
    window = padded("extract_volume_patches", padding, input.shape[1:-1], bare, False, False)
    return jnp.concatenate(list(window.over_all(False).elements(input, 0)), -1)
