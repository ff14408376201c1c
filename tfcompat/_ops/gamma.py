"""Gamma numbers, by Marsaglia's and Tsang's method of transformed rejection, from TensorFlow's streams.

Source: TF 2.21 `tf.random.gamma`; Marsaglia and Tsang, A simple method for generating gamma variables (2000).
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.declare import Array, Arrays, Shape, op
from tfcompat._core.dtype import INDEX
from tfcompat._ops import philox
from tfcompat._ops.philox_walk import Held, arranged, by_element, next_index, nothing, starts, until_all
from tfcompat._ops.random import REAL_VALUED

_SQUEEZE = 0.0331


def _accepts(u: Array, x: Array, cube: Array, d: Array) -> Array:
    """Whether the normal number `x`, whose cube is scaled, is taken for the uniform number `u`."""
    exact = jnp.log(u) < 0.5 * x * x + d * (1 - cube + jnp.log(cube))
    return (u < 1 - _SQUEEZE * (x * x) * (x * x)) | exact


def _drawn(stream: philox.Stream, alpha: Array) -> Array:
    """A gamma number for each of `alpha`, a vector of float32 or float64, whose accuracy it has."""
    kind, count = alpha.dtype, alpha.shape[0]
    is_small = alpha < 1
    d = alpha + jnp.where(is_small, np.asarray(2 / 3, kind), np.asarray(-1 / 3, kind))
    c = np.asarray(1 / 3, kind) / jnp.sqrt(d)

    def attempt(carry: Any) -> Any:
        is_done, place, normals, uniforms, result = carry
        place, index, normals = next_index(place, normals, kind, ~is_done)
        x = philox.normal(stream, index, kind)
        v = 1 + c * x
        is_candidate = ~is_done & ~(v <= 0)
        cube = v * v * v
        place, index, uniforms = next_index(place, uniforms, kind, is_candidate)
        is_taken = is_candidate & _accepts(philox.uniform(stream, index, kind), x, cube, d)
        return is_done | is_taken, place, normals, uniforms, jnp.where(is_taken, d * cube, result)

    begin = (jnp.zeros(count, np.bool_), starts(count), nothing(count), nothing(count), jnp.zeros(count, kind))
    _, place, _, uniforms, result = until_all(attempt, begin)
    return jnp.where(is_small, result * _boost(stream, alpha, place, uniforms), result)


def _boost(stream: philox.Stream, alpha: Array, place: Array, uniforms: Held) -> Array:
    """What makes a gamma number of alpha + 1 one of `alpha`."""
    _, index, _ = next_index(place, uniforms, alpha.dtype, alpha < 1)
    return philox.uniform(stream, index, alpha.dtype) ** (1 / alpha)


def _exponential(stream: philox.Stream, count: int) -> Array:
    """Exponential numbers, of which each is made of the second number of a block."""
    index = starts(count) * np.uint64(2) + np.uint64(1)
    return -jnp.log1p(-philox.uniform(stream, index, np.dtype(np.float64)))


@jax.custom_jvp
def _attached(alpha: Array, drawn: Array) -> Array:
    """`drawn` as what changes with `alpha`."""
    del alpha
    return drawn


@_attached.defjvp
def _attached_jvp(primals: Any, tangents: Any) -> Any:
    alpha, drawn = primals
    return drawn, lax.random_gamma_grad(alpha, drawn) * tangents[0]


_FLOATS = dict.fromkeys(("alpha", "beta"), REAL_VALUED)


@op("random.gamma", same=("stream",), dtypes=_FLOATS | {"stream": INDEX})
def draw_gamma(alpha: Array, beta: Array, stream: Arrays, dims: Shape, is_stateless: bool) -> Array:
    """Gamma numbers, `dims` of them for each element of `alpha` and `beta`.

    Those of stateless ops are drawn in float64, and where alpha is 1 as exponential numbers.
    """
    batch = np.broadcast_shapes(alpha.shape, beta.shape)
    wide = np.dtype(np.float64) if is_stateless else jnp.promote_types(alpha.dtype, np.float32)
    opened = philox.opened(stream)
    rates = by_element(math.prod(dims), jnp.broadcast_to(lax.stop_gradient(alpha), batch)).astype(wide)
    drawn = _drawn(opened, rates)
    if is_stateless:
        drawn = jnp.where(rates == 1, _exponential(opened, rates.shape[0]), drawn)
    numbers = lax.stop_gradient(arranged(drawn, dims, batch).astype(alpha.dtype))
    gradual = jnp.promote_types(alpha.dtype, np.float32)
    wide_alpha = jnp.broadcast_to(alpha, numbers.shape).astype(gradual)
    found = _attached(wide_alpha, numbers.astype(gradual)).astype(alpha.dtype)
    return jnp.maximum(jnp.finfo(alpha.dtype).tiny, found / beta)
