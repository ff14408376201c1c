"""Binomial numbers from TensorFlow's streams: by inversion below a mean of 10, by transformed rejection above.

Source: TF 2.21 `tf.random.stateless_binomial`; Hoermann, The generation of binomial random variates (1993).
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.declare import Array, Arrays, Dtype, Shape, op
from tfcompat._core.dtype import INDEX
from tfcompat._ops import philox
from tfcompat._ops.philox_walk import arranged, by_element, next_index, nothing, starts, until_all
from tfcompat._ops.random import REAL_VALUED

_LARGE = 10
_BLOCKS_OF_INVERSION = 42
_KIND = np.dtype(np.float64)
_TAILS = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)


def _tail(k: Array) -> Array:
    """What Stirling's formula lacks of the logarithm of k!."""
    square = (k + 1) * (k + 1)
    formula = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    table = jnp.asarray(_TAILS)[jnp.clip(k, 0, len(_TAILS) - 1).astype(np.int32)]
    return jnp.where(k <= len(_TAILS) - 1, table, formula)


def _inverted(stream: philox.Stream, count: Array, prob: Array, is_done: Array) -> Array:
    """How many geometric numbers have a sum of at most `count`."""
    size = count.shape[0]
    scale = jnp.log1p(-prob)

    def attempt(carry: Any) -> Any:
        is_done, place, uniforms, total, found = carry
        place, index, uniforms = next_index(place, uniforms, _KIND, ~is_done)
        total = total + jnp.ceil(jnp.log(philox.uniform(stream, index, _KIND)) / scale)
        is_over = total > count
        return is_done | is_over, place, uniforms, total, found + (~is_done & ~is_over).astype(_KIND)

    zeros = jnp.zeros(size, _KIND)
    return until_all(attempt, (is_done, starts(size, _BLOCKS_OF_INVERSION), nothing(size), zeros, zeros))[-1]


def _transformed(stream: philox.Stream, count: Array, prob: Array, is_done: Array) -> Array:
    """Numbers by transformed rejection."""
    size = count.shape[0]
    spread = jnp.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = count * prob + 0.5
    odds = prob / (1 - prob)
    alpha = (2.83 + 5.1 / b) * spread
    mode = jnp.floor((count + 1) * prob)

    def bound(k: Array) -> Array:
        return (
            (mode + 0.5) * jnp.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * jnp.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * jnp.log(odds * (count - k + 1) / (k + 1))
            + (_tail(mode) + _tail(count - mode) - _tail(k) - _tail(count - k))
        )

    def attempt(carry: Any) -> Any:
        is_done, place, uniforms, found = carry
        place, index, uniforms = next_index(place, uniforms, _KIND, ~is_done)
        u = philox.uniform(stream, index, _KIND) - 0.5
        place, index, uniforms = next_index(place, uniforms, _KIND, ~is_done)
        v = philox.uniform(stream, index, _KIND)
        rest = 0.5 - jnp.abs(u)
        k = jnp.floor((2 * a / rest + b) * u + c)
        is_inside = (rest >= 0.07) & (v <= 0.92 - 4.2 / b)
        is_outside = (k < 0) | (k > count)
        fits = jnp.log(v * alpha / (a / (rest * rest) + b)) <= bound(k)
        is_taken = ~is_done & (is_inside | (~is_outside & fits))
        return is_done | is_taken, place, uniforms, jnp.where(is_taken, k, found)

    return until_all(attempt, (is_done, starts(size), nothing(size), jnp.zeros(size, _KIND)))[-1]


_FLOATS = dict.fromkeys(("counts", "probs"), REAL_VALUED)


@op("random.stateless_binomial", same=("stream",), dtypes=_FLOATS | {"stream": INDEX}, differentiable=False)
def draw_binomial(counts: Array, probs: Array, stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Binomial numbers, `dims` of them for each element of `counts` and `probs`."""
    opened, batch = philox.opened(stream), np.broadcast_shapes(counts.shape, probs.shape)
    samples = math.prod(dims)
    given = by_element(samples, jnp.broadcast_to(counts, batch))
    chance = by_element(samples, jnp.broadcast_to(probs, batch))
    # The probability of the rarer outcome is drawn with, and which method is told by products of the given dtype.
    is_rare = chance <= 0.5
    rare = jnp.where(is_rare, chance, 1 - chance)
    is_large = given * rare >= _LARGE
    count, prob = given.astype(_KIND), rare.astype(_KIND)
    is_zero, is_all, is_none = (given <= 0) | (chance <= 0), chance >= 1, jnp.isnan(chance) | jnp.isnan(given)
    is_known = is_zero | is_all | is_none
    drawn = jnp.where(
        is_large,
        _transformed(opened, count, prob, is_known | ~is_large),
        _inverted(opened, count, prob, is_known | is_large),
    )
    found = jnp.where(is_rare, drawn, count - drawn)
    found = jnp.where(is_zero, 0.0, jnp.where(is_all, count, jnp.where(is_none, jnp.nan, found)))
    return arranged(found, dims, batch).astype(dtype.as_numpy_dtype)
