"""Binomial numbers from TensorFlow's streams: by inversion below a mean of 10, by transformed rejection above.

Source: TF 2.21 `tf.random.stateless_binomial`; Hoermann, The generation of binomial random variates (1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Dtype, Shape, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, NotFoundError
from tfcompat._core.types.dtype import INDEX, DType, as_dtype, int32, int64
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.elementwise.rounding import rounded
from tfcompat._ops.random import philox
from tfcompat._ops.random.stream import DRAWN_REALS, dimensions, seed_stream
from tfcompat._ops.random.walk import KIND, arranged, by_element, drawing_ahead, leading, starts, together, until_all

_LARGE = 10
_BLOCKS_OF_INVERSION = 42
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
    """The error of Stirling's formula for the logarithm of k!."""
    square = (k + 1) * (k + 1)
    formula = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    table = jnp.asarray(_TAILS)[jnp.clip(k, 0, len(_TAILS) - 1).astype(np.int32)]
    return jnp.where(k <= len(_TAILS) - 1, table, formula)


def _inverted(stream: philox.Stream, count: Array, prob: Array, is_done: Array) -> Array:
    """The number of geometric numbers whose sum is at most `count`."""
    size = count.shape[0]
    scale = jnp.log1p(-prob)

    def attempt(carry: Any) -> Any:
        is_done, block, total, found = carry
        second, first = (jnp.ceil(jnp.log(u) / scale) for u in philox.uniform_pair(stream, block))
        once = total + first
        twice = once + second
        more = jnp.where(once > count, 0.0, jnp.where(twice > count, 1.0, 2.0))
        return is_done | (twice > count), block + np.uint64(1), twice, found + jnp.where(is_done, 0.0, more)

    zeros = jnp.zeros(size, KIND)
    return until_all(attempt, (is_done, starts(size, _BLOCKS_OF_INVERSION), zeros, zeros))[-1]


def _transformed(stream: philox.Stream, count: Array, prob: Array, is_done: Array) -> Array:
    """Numbers by transformed rejection."""
    size = count.shape[0]
    spread = jnp.sqrt(count * prob * (1 - prob))
    b = 1.15 + rounded(2.53 * spread)
    a = -0.0873 + rounded(0.0248 * b) + rounded(0.01 * prob)
    c = rounded(count * prob) + 0.5
    bound = _bound(count, prob)
    alpha = (2.83 + 5.1 / b) * spread

    def attempt(drawn: Array, carry: Any) -> Any:
        is_done, found = carry
        v, u = drawn
        u = u - 0.5
        rest = 0.5 - jnp.abs(u)
        k = jnp.floor(rounded((2 * a / rest + b) * u) + c)
        is_inside = (rest >= 0.07) & (v <= 0.92 - 4.2 / b)
        is_outside = (k < 0) | (k > count)
        fits = jnp.log(v * alpha / (a / (rest * rest) + b)) <= bound(k)
        is_taken = ~is_done & (is_inside | (~is_outside & fits))
        return np.uint64(1), (is_done | is_taken, jnp.where(is_taken, k, found))

    begin = (is_done, jnp.zeros(size, KIND))
    return drawing_ahead(attempt, partial(philox.uniforms, stream, blocks=1), starts(size), begin)[1][-1]


def _bound(count: Array, prob: Array) -> Callable[[Array], Array]:
    """The logarithm of the probability of a number relative to the most probable one."""
    odds = prob / (1 - prob)
    mode = jnp.floor((count + 1) * prob)

    def bound(k: Array) -> Array:
        return (
            (mode + 0.5) * jnp.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * jnp.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * jnp.log(odds * (count - k + 1) / (k + 1))
            + (_tail(mode) + _tail(count - mode) - _tail(k) - _tail(count - k))
        )

    return bound


_FLOATS = dict.fromkeys(("counts", "probs"), DRAWN_REALS)


@op("random.stateless_binomial", same=("counts", "probs"), dtypes=_FLOATS | {"stream": INDEX}, differentiable=False)
def _numbers(counts: Array, probs: Array, stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Binomial numbers, `dims` of them for each element of `counts` and `probs`."""
    opened, batch = philox.opened(stream), broadcast_shapes(counts.shape, probs.shape)
    samples = math.prod(dims)
    given = by_element(samples, jnp.broadcast_to(counts, batch))
    chance = by_element(samples, jnp.broadcast_to(probs, batch))
    # The rarer outcome's probability is used; the choice of method depends on products in the given dtype.
    is_rare = chance <= 0.5
    rare = jnp.where(is_rare, chance, 1 - chance)
    is_large = given * rare >= _LARGE
    count, prob = given.astype(KIND), rare.astype(KIND)
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


def draw_binomial(name: str, counts: Tensor, probs: Tensor, stream: Any, dims: tuple[int, ...], dtype: DType) -> Tensor:
    """Binomial numbers of `dims`, whose last axes are the broadcast shape of `counts` and `probs`.

    Raises InvalidArgumentError for other `dims` or another `dtype`, NotFoundError for integer arguments.
    """
    if dtype not in (*DRAWN_REALS, int32, int64):
        raise InvalidArgumentError.of(
            f"tf.{name}: dtype must be float16, float32, float64, int32 or int64, got {dtype.name}."
        )
    if counts.dtype.is_integer and probs.dtype.is_integer:
        raise NotFoundError.of(f"tf.{name}: counts and probs must be floating, got {counts.dtype.name}.")
    batch = together(name, counts, probs)
    return _numbers(counts, probs, stream, leading(name, dims, batch), dtype)


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = int32, name: str | None = None
) -> Tensor:
    """Binomial numbers for `counts` trials of probability `probs`, determined by `seed`.

    Shapes: `shape`, whose last axes are the broadcast shape of `counts` and `probs`.
    Dtypes: float16, float32, float64, int32, int64.
    Gradient: None, as in TensorFlow.
    Raises: InvalidArgumentError if `seed` isn't two integers or `shape` has other last axes.
    Source: TF 2.21 `tf.random.stateless_binomial`.
    """
    del name
    place = "random.stateless_binomial"
    stream = seed_stream(place, seed)
    chances = convert_to_tensor(probs)
    given = convert_to_tensor(counts, dtype_hint=chances.dtype)
    return draw_binomial(place, given, chances, stream, dimensions(place, shape), as_dtype(output_dtype))
