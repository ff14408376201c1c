"""Positions of elements: conversion from flat indices to coordinates."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.declare import Array, Check, op
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INDEX


def _validate(indices: Any, dims: Any) -> None:
    if indices.ndim > 1 or dims.ndim != 1:
        raise InvalidArgumentError.of(
            "tf.unravel_index: indices must be a scalar or a vector and dims a vector, got shapes "
            f"{indices.shape} and {dims.shape}."
        )
    if indices.shape == (0,):
        raise InvalidArgumentError.of("tf.unravel_index: indices must not be empty.")


def _is_outside(indices: Array, dims: Array) -> Array:
    return jnp.any(dims == 0) | (indices >= jnp.prod(dims))


@op(
    dtypes=INDEX,
    validate=_validate,
    differentiable=False,
    check=Check(("indices", "dims"), _is_outside, "indices must be below the product of dims, which must not be 0"),
)
def unravel_index(indices: Array, dims: Array) -> Array:
    """The coordinates of the elements `indices`, counted in row-major order, in an array of shape `dims`.

    Shapes: [] or [n], [rank] -> [rank] or [rank, n].
    Dtypes: int32, int64 -> the same.
    Gradient: None.
    Raises: InvalidArgumentError if an element is out of range, a dimension is 0, indices is empty, or a rank is wrong.
    Source: TF 2.21 `tf.unravel_index`.
    """
    counts = jnp.cumprod(dims[::-1], dtype=dims.dtype)[::-1]
    spread = (-1, *[1] * indices.ndim)
    below = jnp.concatenate([counts[1:], jnp.ones(1, dims.dtype)]).reshape(spread)
    # Both truncate towards 0, so that a negative element has negative coordinates.
    whole = jnp.broadcast_arrays(counts.reshape(spread), below, indices)
    return lax.div(lax.rem(whole[2], whole[0]), whole[1])
