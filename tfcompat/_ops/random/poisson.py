"""Poisson numbers from TensorFlow's streams: by counting below a mean of 10, by transformed rejection above.

Source: TF 2.21 `tf.random.poisson`; Knuth, The art of computer programming, volume 2; Hoermann, The transformed
rejection method for generating Poisson random variables (1993).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Dtype, Shape, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import INDEX, DType, as_dtype, float64, int32, int64
from tfcompat._ops.elementwise.rounding import rounded
from tfcompat._ops.random import philox
from tfcompat._ops.random.stream import DRAWN_REALS, dimensions, seed_stream
from tfcompat._ops.random.walk import KIND, arranged, by_element, drawing_ahead, leading, starts, until_all

_LARGE = 10
_NUMBERS = DRAWN_REALS | {int32, int64}


def _counted(stream: philox.Stream, rate: Array, is_done: Array) -> Array:
    """The number of uniform numbers until their product is at most exp(-rate)."""
    count = rate.shape[0]
    least = jnp.exp(-rate)

    def attempt(carry: Any) -> Any:
        is_done, block, product, found = carry
        second, first = philox.uniform_pair(stream, block)
        once = product * first
        twice = once * second
        more = jnp.where(once <= least, 0.0, jnp.where(twice <= least, 1.0, 2.0))
        return is_done | (twice <= least), block + np.uint64(1), twice, found + jnp.where(is_done, 0.0, more)

    return until_all(attempt, (is_done, starts(count), jnp.ones(count, KIND), jnp.zeros(count, KIND)))[-1]


def _transformed(stream: philox.Stream, rate: Array, is_done: Array) -> Array:
    """Numbers by transformed rejection."""
    count = rate.shape[0]
    b = 0.931 + 2.53 * jnp.sqrt(rate)
    a = -0.059 + 0.02483 * b
    odds = 1.1239 + 1.1328 / (b - 3.4)
    log_rate = jnp.log(rate)

    def attempt(drawn: Array, carry: Any) -> Any:
        is_done, found = carry
        v, u = drawn
        u = u - 0.5
        shifted = 0.5 - jnp.abs(u)
        k = jnp.floor(rounded((2 * a / shifted + b) * u) + rate + 0.43)
        is_inside = (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        is_outside = (k < 0) | ((shifted < 0.013) & (v > shifted))
        likelihood = -rate + k * log_rate - lax.lgamma(k + 1)
        fits = jnp.log(v * odds / (a / (shifted * shifted) + b)) <= likelihood
        is_taken = ~is_done & (is_inside | (~is_outside & fits))
        return np.uint64(1), (is_done | is_taken, jnp.where(is_taken, k, found))

    begin = (is_done, jnp.zeros(count, KIND))
    return drawing_ahead(attempt, partial(philox.uniforms, stream, blocks=1), starts(count), begin)[1][-1]


def _numbers(lam: Array, stream: Arrays, dims: Shape, dtype: Dtype) -> Array:
    """Poisson numbers, `dims` of them for each element of `lam`."""
    opened = philox.opened(stream)
    rate = by_element(math.prod(dims), lam.astype(KIND))
    # Where TensorFlow does not terminate, the result is nan.
    is_none = jnp.isnan(rate)
    small = _counted(opened, rate, is_none | (rate >= _LARGE))
    large = _transformed(opened, rate, is_none | (rate < _LARGE))
    found = arranged(jnp.where(is_none, jnp.nan, jnp.where(rate < _LARGE, small, large)), dims, lam.shape)
    wanted = dtype.as_numpy_dtype
    return found.astype(wanted) if dtype.is_floating else jnp.where(jnp.isfinite(found), found, 0.0).astype(wanted)


_KINDS = {"lam": _NUMBERS, "stream": INDEX}
_draw = op("random.poisson", same=("stream",), dtypes=_KINDS, no_gradient="RandomPoissonV2")(_numbers)
_draw_stateless = op("random.stateless_poisson", same=("stream",), dtypes=_KINDS, differentiable=False)(_numbers)


def draw_poisson(lam: Tensor, stream: Any, dims: tuple[int, ...], dtype: DType, is_stateless: bool = False) -> Tensor:
    """Poisson numbers, `dims` of them for each element of `lam`. Raises InvalidArgumentError for another `dtype`."""
    if dtype not in _NUMBERS:
        raise InvalidArgumentError.of(
            f"tf.random.poisson: dtype must be float16, float32, float64, int32 or int64, got {dtype.name}."
        )
    draw = _draw_stateless if is_stateless else _draw
    return draw(lam, stream, dims, dtype)


def rate_tensor(lam: Any) -> Tensor:
    """`lam` as a tensor; numbers without a dtype become float64."""
    return convert_to_tensor(lam, dtype_hint=float64)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = int32, name: str | None = None) -> Tensor:
    """Poisson numbers with the mean `lam`, determined by `seed`.

    Shapes: `shape`, whose last axes are those of `lam`.
    Dtypes: float16, float32, float64, int32, int64.
    Gradient: None, as in TensorFlow.
    Raises: InvalidArgumentError if `seed` isn't two integers or `shape` has other last axes.
    Source: TF 2.21 `tf.random.stateless_poisson`.
    """
    del name
    place = "random.stateless_poisson"
    stream, means = seed_stream(place, seed), rate_tensor(lam)
    dims = leading(place, dimensions(place, shape), means._aval.shape)
    return draw_poisson(means, stream, dims, as_dtype(dtype), is_stateless=True)
