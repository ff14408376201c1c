"""Poisson numbers from TensorFlow's streams: by counting below a mean of 10, by transformed rejection above.

Source: TF 2.21 `tf.random.poisson`; Knuth, The art of computer programming, volume 2; Hoermann, The transformed
rejection method for generating Poisson random variables (1993).
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.declare import Array, Arrays, Dtype, Shape, op
from tfcompat._core.dtype import INDEX
from tfcompat._ops import philox
from tfcompat._ops.philox_walk import arranged, by_element, next_index, nothing, starts, until_all
from tfcompat._ops.random import REAL_VALUED

_LARGE = 10


def _counted(stream: philox.Stream, rate: Array, is_done: Array) -> Array:
    """How many uniform numbers it takes until their product is at most exp(-rate)."""
    kind, count = rate.dtype, rate.shape[0]
    least = jnp.exp(-rate)

    def attempt(carry: Any) -> Any:
        is_done, place, uniforms, product, found = carry
        place, index, uniforms = next_index(place, uniforms, kind, ~is_done)
        product = product * philox.uniform(stream, index, kind)
        is_over = product <= least
        return is_done | is_over, place, uniforms, product, found + (~is_done & ~is_over).astype(kind)

    ones, zeros = jnp.ones(count, kind), jnp.zeros(count, kind)
    return until_all(attempt, (is_done, starts(count), nothing(count), ones, zeros))[-1]


def _transformed(stream: philox.Stream, rate: Array, is_done: Array) -> Array:
    """Numbers by transformed rejection."""
    kind, count = rate.dtype, rate.shape[0]
    b = 0.931 + 2.53 * jnp.sqrt(rate)
    a = -0.059 + 0.02483 * b
    odds = 1.1239 + 1.1328 / (b - 3.4)
    log_rate = jnp.log(rate)

    def attempt(carry: Any) -> Any:
        is_done, place, uniforms, found = carry
        place, index, uniforms = next_index(place, uniforms, kind, ~is_done)
        u = philox.uniform(stream, index, kind) - 0.5
        place, index, uniforms = next_index(place, uniforms, kind, ~is_done)
        v = philox.uniform(stream, index, kind)
        shifted = 0.5 - jnp.abs(u)
        k = jnp.floor((2 * a / shifted + b) * u + rate + 0.43)
        is_inside = (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        is_outside = (k < 0) | ((shifted < 0.013) & (v > shifted))
        likelihood = -rate + k * log_rate - lax.lgamma(k + 1)
        fits = jnp.log(v * odds / (a / (shifted * shifted) + b)) <= likelihood
        is_taken = ~is_done & (is_inside | (~is_outside & fits))
        return is_done | is_taken, place, uniforms, jnp.where(is_taken, k, found)

    return until_all(attempt, (is_done, starts(count), nothing(count), jnp.zeros(count, kind)))[-1]


@op("random.poisson", same=("stream",), dtypes={"lam": REAL_VALUED, "stream": INDEX}, differentiable=False)
def draw_poisson(lam: Array, stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Poisson numbers, `dims` of them for each element of `lam`."""
    opened = philox.opened(stream)
    rate = by_element(math.prod(dims), lam.astype(jnp.promote_types(lam.dtype, np.float32)))
    is_none = ~jnp.isfinite(rate) | (rate < 0)
    small = _counted(opened, rate, is_none | (rate >= _LARGE))
    large = _transformed(opened, rate, is_none | (rate < _LARGE))
    found = jnp.where(is_none, jnp.nan, jnp.where(rate < _LARGE, small, large))
    return arranged(found, dims, lam.shape).astype(dtype.as_numpy_dtype)
