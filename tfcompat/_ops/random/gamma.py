"""Gamma numbers from TensorFlow's streams, by the rejection method of Marsaglia and Tsang.

Source: TF 2.21 `tf.random.gamma`; Marsaglia and Tsang, A simple method for generating gamma variables (2000).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Arrays, Shape, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import INDEX, as_dtype, float32, float64
from tfcompat._ops.array.layout import broadcast_to
from tfcompat._ops.elementwise.algebraic import maximum, over
from tfcompat._ops.elementwise.rounding import rounded
from tfcompat._ops.random import philox
from tfcompat._ops.random.stream import DRAWN_REALS, dimensions, seed_stream
from tfcompat._ops.random.walk import KIND, arranged, by_element, drawing_ahead, leading, starts, together

_SQUEEZE = 0.0331


class _Rest(NamedTuple):
    """The first number of the last block of a kind, and whether it is still unused."""

    number: Array
    is_there: Array


def _next(pair: Any, rest: _Rest, takes: Array) -> tuple[Array, Array, _Rest]:
    """The next number; for elements that use it, whether it opens the block of `pair`, and the rest that follows."""
    first, second = pair
    opens = takes & ~rest.is_there
    after = _Rest(jnp.where(opens, first, rest.number), rest.is_there ^ takes)
    return jnp.where(rest.is_there, rest.number, second), opens, after


def _accepts(u: Array, x: Array, cube: Array, d: Array) -> Array:
    """Whether the normal number `x`, whose cube is scaled, is accepted for the uniform number `u`."""
    square = rounded(x * x)
    exact = jnp.log(u) < 0.5 * square + d * (1 - cube + jnp.log(cube))
    return (u < 1 - rounded(_SQUEEZE * square * square)) | exact


def _drawn(stream: philox.Stream, alpha: Array) -> Array:
    """A gamma number for each of `alpha`, a vector."""
    count = alpha.shape[0]
    is_small = alpha < 1
    d = alpha + jnp.where(is_small, 2 / 3, -1 / 3)
    c = 1 / 3 / jnp.sqrt(d)

    def attempt(drawn: Array, carry: Any) -> Any:
        here, after = drawn[:2], drawn[2:]
        is_done, normal, uniform, result = carry
        x, is_first, normal = _next(philox.normals(*here), normal, ~is_done)
        v = 1 + rounded(c * x)
        is_candidate = ~is_done & ~(v <= 0)
        cube = v * v * v
        u, is_second, uniform = _next(jnp.where(is_first, after, here), uniform, is_candidate)
        is_taken = is_candidate & _accepts(u, x, cube, d)
        moved = is_first.astype(np.uint64) + is_second.astype(np.uint64)
        return moved, (is_done | is_taken, normal, uniform, jnp.where(is_taken, d * cube, result))

    zeros, nobody = jnp.zeros(count, KIND), jnp.zeros(count, np.bool_)
    begin = (nobody, _Rest(zeros, nobody), _Rest(zeros, nobody), zeros)
    draw = partial(philox.uniforms, stream, blocks=2)
    drawn, (*_, uniform, result) = drawing_ahead(attempt, draw, starts(count), begin)
    # A gamma number for alpha + 1 times a power of a uniform number is one for alpha.
    power = _next(drawn[:2], uniform, is_small)[0] ** (1 / alpha)
    return jnp.where(is_small, result * power, result)


def _exponential(stream: philox.Stream, count: int) -> Array:
    """Exponential numbers."""
    return -jnp.log1p(-philox.uniform_pair(stream, starts(count))[1])


@jax.custom_jvp
def _attached(alpha: Array, drawn: Array) -> Array:
    """`drawn` as a function of `alpha`, for derivatives."""
    del alpha
    return drawn


@_attached.defjvp
def _attached_jvp(primals: Any, tangents: Any) -> Any:
    alpha, drawn = primals
    slope: Array = lax.random_gamma_grad(alpha, drawn)  # pyright: ignore[reportCallIssue]
    return drawn, slope * tangents[0]


@op("random.gamma", same=("stream",), dtypes={"alpha": DRAWN_REALS, "stream": INDEX}, no_second="RandomGammaGrad")
def _standard(alpha: Array, stream: Arrays, dims: Shape) -> Array:
    """Gamma numbers of scale 1, `dims` of them for each element of `alpha`."""
    opened = philox.opened(stream)
    rates = by_element(math.prod(dims), lax.stop_gradient(alpha)).astype(KIND)
    drawn = jnp.where(rates == 1, _exponential(opened, rates.shape[0]), _drawn(opened, rates))
    numbers = lax.stop_gradient(arranged(drawn, dims, alpha.shape).astype(alpha.dtype))
    gradual = jnp.promote_types(alpha.dtype, np.float32)
    wide_alpha = jnp.broadcast_to(alpha, numbers.shape).astype(gradual)
    return _attached(wide_alpha, numbers.astype(gradual)).astype(alpha.dtype)


@op(
    "raw_ops.RandomGammaGrad",
    dtypes=frozenset((float32, float64)),
    no_gradient="RandomGammaGrad",
)
def _slope(alpha: Array, sample: Array) -> Array:
    # JAX has no derivative of it in reverse mode.
    given = map(lax.stop_gradient, jnp.broadcast_arrays(alpha, sample))
    return lax.random_gamma_grad(*given)  # pyright: ignore[reportCallIssue]


def random_gamma_grad(alpha: Any, sample: Any) -> Tensor:
    """The derivative of gamma numbers of scale 1, `sample`, with respect to `alpha`, at fixed quantiles.

    Shapes broadcast. It has no gradient.

    Raises: InvalidArgumentError unless both are float32 or float64.
    Source: TF 2.21 `tf.raw_ops.RandomGammaGrad`; Figurnov et al., Implicit reparameterization gradients (2018).
    """
    rate = convert_to_tensor(alpha)
    return _slope(rate, convert_to_tensor(sample, rate.dtype))


def draw_gamma(alpha: Tensor, beta: Tensor, stream: Any, dims: tuple[int, ...]) -> Tensor:
    """Gamma numbers with the inverse scale `beta`, at least the least normal number of their dtype."""
    batch = together("random.gamma", alpha, beta)
    kind = alpha.dtype.as_numpy_dtype
    drawn = _standard(broadcast_to(alpha, batch), stream, dims)
    return maximum(Tensor(np.asarray(jnp.finfo(kind).tiny, kind)), over(drawn, beta))


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = float32, name: str | None = None
) -> Tensor:
    """Gamma numbers with `alpha` and the inverse scale `beta` (1 if None), determined by `seed`.

    Shapes: `shape`, whose last axes are the broadcast shape of `alpha` and `beta`.
    Dtypes: float16, float32, float64.
    Gradient: for `alpha` and `beta`.
    Raises: InvalidArgumentError if `seed` isn't two integers or `shape` has other last axes.
    Source: TF 2.21 `tf.random.stateless_gamma`.
    """
    del name
    place, wanted = "random.stateless_gamma", as_dtype(dtype)
    stream = seed_stream(place, seed)
    shapes, rates = convert_to_tensor(alpha, wanted), convert_to_tensor(1 if beta is None else beta, wanted)
    batch = together(place, shapes, rates)
    return draw_gamma(shapes, rates, stream, leading(place, dimensions(place, shape), batch))
