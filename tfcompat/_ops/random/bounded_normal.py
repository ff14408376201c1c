"""Normal numbers between bounds, from TensorFlow's stream of `tf.random.stateless_parameterized_truncated_normal`.

All numbers come from one sequence: the first ones that fit are taken. Where the parameters change, the rest of the
group of numbers drawn together is discarded. TensorFlow divides large draws among its threads, each of which starts at
another position; this is the sequence of a single thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Check, Shape, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import INDEX
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.random import philox
from tfcompat._ops.random.stream import DRAWN_REALS, dimensions, seed_stream
from tfcompat._ops.random.walk import arranged, leading, together

_NAME = "random.stateless_parameterized_truncated_normal"
_SPREAD = 1.3
_MOST_REJECTED = 1000


class _Range(NamedTuple):
    """The bounds of standard normal numbers; a single finite bound becomes the lower one."""

    low: Array
    high: Array


def _per_block(dtype: Any) -> int:
    """The number of floating-point numbers of `dtype` in a block."""
    return 2 if np.dtype(dtype) == np.float64 else 4


def _uniforms(stream: philox.Stream, block: Array, size: int, dtype: Any) -> Array:
    """The uniform numbers of each of the blocks, [blocks, size]."""
    index = block[:, None] * np.uint64(size) + philox.indices(size)
    return philox.uniform(stream, index, dtype)


def _from_normal(stream: philox.Stream, block: Array, size: int, span: _Range) -> tuple[Array, Array]:
    """Candidates of each block, and whether they fit: normal numbers that must be between the bounds."""
    index = block[:, None] * np.uint64(size) + philox.indices(size)
    found = philox.normal(stream, index, span.low.dtype)
    return found, (found >= span.low) & (found <= span.high)


def _from_uniform(stream: philox.Stream, block: Array, size: int, span: _Range) -> tuple[Array, Array]:
    """Candidates of each pair of blocks, and whether they fit: uniform numbers, if the next are below the density."""
    found = _uniforms(stream, block, size, span.low.dtype) * (span.high - span.low) + span.low
    most = jnp.where(span.low < 0, 0, span.low * span.low)
    density = jnp.exp((most - found * found) / 2)
    return found, _uniforms(stream, block + np.uint64(1), size, span.low.dtype) <= density


def _from_exponential(stream: philox.Stream, block: Array, size: int, span: _Range) -> tuple[Array, Array]:
    """Candidates of each block, and whether they fit: exponential numbers, if the next ones are below the density."""
    low = span.low
    rate = (low + jnp.sqrt(low * low + 4)) / 2
    numbers = _uniforms(stream, block, size, low.dtype)
    found = -jnp.log(numbers[:, ::2]) / rate + low
    x = jnp.where(low < rate, rate - found, low - rate)
    return found, (numbers[:, 1::2] <= jnp.exp(-x * x / 2)) & (found < span.high)


_Draw = Callable[[philox.Stream, Array, int, _Range], tuple[Array, Array]]
_DRAWS: tuple[tuple[_Draw, int], ...] = ((_from_normal, 1), (_from_uniform, 2), (_from_exponential, 1))


def _method(span: _Range) -> Array:
    """The most efficient of the sampling methods for the bounds."""
    low, high = span
    root = jnp.sqrt(low * low + 4)
    cutoff = 2 * jnp.exp(0.5 + low * (low - root) / 4) / (low + root)
    is_wide = ((low < -_SPREAD) & (high >= 0)) | ((high > _SPREAD) & (low <= 0))
    return jnp.where(is_wide, 0, jnp.where(high - low < cutoff, 1, 2))


def _taken(draw: _Draw, step: int, stream: philox.Stream, samples: int, place: Array, span: _Range) -> Any:
    """The first `samples` candidates that fit, from the block `place` on, and the block that follows."""
    size = _per_block(span.low.dtype)
    groups = samples // size + 8

    def attempt(carry: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        place, count, values, tries = carry
        blocks = place + philox.indices(groups) * np.uint64(step)
        found, fits = draw(stream, blocks, size, span)
        rank = count + jnp.cumsum(fits.reshape(-1).astype(np.int64)).reshape(fits.shape)
        where = jnp.where(fits & (rank <= samples), rank - 1, samples)
        values = values.at[where.reshape(-1)].set(found.reshape(-1), mode="drop")
        # The group that contains the last number needed is the last one drawn.
        used = jnp.sum((rank[:, -1] < samples).astype(np.uint64)) + np.uint64(1)
        moved = place + jnp.minimum(used, np.uint64(groups)) * np.uint64(step)
        tries = jnp.where(jnp.any(fits), 0, tries + found.size)
        return moved, jnp.minimum(rank[-1, -1], samples), values, tries

    def goes_on(carry: tuple[Array, Array, Array, Array]) -> Array:
        return (carry[1] < samples) & (carry[3] < _MOST_REJECTED)

    start = (place, jnp.zeros((), np.int64), jnp.full(samples, jnp.nan, span.low.dtype), jnp.zeros((), np.int64))
    place, _, values, _ = lax.while_loop(goes_on, attempt, start)
    return place, values


def _is_invalid(means: Array, stddevs: Array, minvals: Array, maxvals: Array, **_: Any) -> Array:
    del means
    has_bound = (abs(minvals) < math.inf) | (abs(maxvals) < math.inf)
    return ~((stddevs > 0) & (minvals < maxvals) & has_bound)


@jax.custom_jvp
def _attached(mean: Array, spread: Array, low: Array, high: Array, drawn: Array) -> Array:
    """`drawn` as a function of the parameters, for derivatives."""
    del mean, spread, low, high
    return drawn


@_attached.defjvp
def _attached_jvp(primals: Any, tangents: Any) -> Any:
    """TensorFlow's derivative: the bounds stay fixed where mean and spread change, as for any normal number."""
    found = _attached(*primals)
    mean, spread, low, high, _ = primals
    place, least, most = ((x - mean) / spread for x in (found, low, high))
    below, here, above = (jax.scipy.special.ndtr(x) for x in (least, place, most))
    info = jnp.finfo(found.dtype)
    share = jnp.clip((here - below) / (above - below), info.tiny, 1 - info.eps)
    by_low = jnp.exp((place * place - least * least) / 2 + jnp.log1p(-share))
    by_high = jnp.exp((place * place - most * most) / 2 + jnp.log(share))
    return found, tangents[0] + place * tangents[1] + by_low * tangents[2] + by_high * tangents[3]


_FLOATS = dict.fromkeys(("means", "stddevs", "minvals", "maxvals"), DRAWN_REALS)


@op(
    _NAME,
    same=("means", "stddevs", "minvals", "maxvals"),
    dtypes=_FLOATS | {"stream": INDEX},
    check=Check(
        reads=("means", "stddevs", "minvals", "maxvals"),
        flag=_is_invalid,
        message="Invalid parameters: stddevs must be positive, minvals less than maxvals, and one of them finite",
    ),
)
def _bounded(means: Array, stddevs: Array, minvals: Array, maxvals: Array, stream: Arrays, dims: Shape) -> Array:
    batch = broadcast_shapes(means.shape, stddevs.shape, minvals.shape, maxvals.shape)
    parameters = [jnp.broadcast_to(part, batch) for part in (means, stddevs, minvals, maxvals)]
    given = [lax.stop_gradient(part).reshape(-1) for part in parameters]
    opened, samples = philox.opened(stream), math.prod(dims)

    def one(place: Array, parameters: Any) -> tuple[Array, Array]:
        mean, spread, low, high = parameters
        # A single bound is the lower one; two bounds on one side of the mean are mirrored to lie above it.
        is_turned = (jnp.isinf(low) & (low < 0)) | (high < mean)
        low, high = jnp.where(is_turned, high, low), jnp.where(is_turned, low, high)
        spread = jnp.where(is_turned, -spread, spread)
        span = _Range((low - mean) / spread, (high - mean) / spread)
        branches = [
            lambda place, span, draw=draw, step=step: _taken(draw, step, opened, samples, place, span)
            for draw, step in _DRAWS
        ]
        place, values = lax.switch(_method(span), branches, place, span)
        return place, values * spread + mean

    _, drawn = lax.scan(one, jnp.zeros((), np.uint64), tuple(given))
    numbers = lax.stop_gradient(arranged(drawn.reshape(-1), dims, batch).astype(means.dtype))
    return _attached(*(jnp.broadcast_to(part, numbers.shape) for part in parameters), numbers)


def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers with `means` and `stddevs` between `minvals` and `maxvals`, determined by `seed`.

    Shapes: `shape`, whose last axes are the broadcast shape of the parameters.
    Dtypes: float16, float32, float64, one for all parameters.
    Gradient: for all parameters.
    Raises: InvalidArgumentError if `seed` isn't two integers, `shape` has other last axes, or parameters are invalid.
    Source: TF 2.21 `tf.random.stateless_parameterized_truncated_normal`.
    """
    del name
    dims, stream = dimensions(_NAME, shape), seed_stream(_NAME, seed)
    parts = [convert_to_tensor(part) for part in (means, stddevs, minvals, maxvals)]
    batch = together(_NAME, *parts)
    return _bounded(*parts, stream, leading(_NAME, dims, batch))
