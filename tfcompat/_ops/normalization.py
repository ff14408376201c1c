"""Normalisation by neighbouring channels."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.declare import Array, Number, op
from tfcompat._core.dtype import bfloat16, float16, float32
from tfcompat._core.error import InvalidArgumentError


def _validate_rank(input: Any, **_: Any) -> None:
    if input.ndim != 4:
        raise InvalidArgumentError.of(
            f"tf.nn.local_response_normalization: input must have rank 4, got shape {input.shape}."
        )


@op(
    "nn.local_response_normalization",
    dtypes=frozenset((bfloat16, float16, float32)),
    validate=_validate_rank,
)
def local_response_normalization(
    input: Array, depth_radius: int = 5, bias: Number = 1, alpha: Number = 1, beta: Number = 0.5
) -> Array:
    """`input` / (`bias` + `alpha` * the sum of squares of the channels up to `depth_radius` away) ** `beta`.

    Shapes: [batch, height, width, channels] -> same.
    Dtypes: bfloat16, float16, float32 -> same dtype.
    Raises: InvalidArgumentError if the rank isn't 4.
    Source: TF 2.21 `tf.nn.local_response_normalization`.
    """
    squares = jnp.square(input)
    channels = input.shape[-1]
    reach = min(depth_radius, channels)
    padded = jnp.pad(squares, ((0, 0),) * 3 + ((reach, reach),))
    near = [lax.slice_in_dim(padded, k, k + channels, axis=3) for k in range(2 * reach + 1)]
    scale = jnp.asarray(bias, input.dtype) + jnp.asarray(alpha, input.dtype) * functools.reduce(jnp.add, near)
    return input * jnp.power(scale, -jnp.asarray(beta, input.dtype))
