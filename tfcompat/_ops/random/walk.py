"""Rejection sampling: each element draws numbers from its own blocks until one is accepted.

The draws of one element don't affect the others. Except for truncated normal numbers, TensorFlow draws in float64
whatever the dtype, two numbers to a block, and uses the second number first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._jaxpr.size import broadcast_shapes
from tfcompat._ops.random import philox

KIND = np.dtype(np.float64)


def starts(count: int, blocks: int = philox.BLOCKS_PER_ELEMENT) -> Array:
    """The first block of each of `count` elements that have `blocks` blocks each."""
    return philox.indices(count) * np.uint64(blocks)


def until_all(attempt: Callable[[Any], Any], carry: Any) -> Any:
    """`carry` after repeating `attempt` until all elements are done, which its first array indicates."""
    return lax.while_loop(lambda carry: ~jnp.all(carry[0]), attempt, carry)


def drawing_ahead(
    attempt: Callable[[Array, Any], tuple[Any, Any]], draw: Callable[[Array], Array], place: Array, carry: Any
) -> tuple[Array, Any]:
    """Like `until_all`, but with the numbers of an attempt drawn before it, first at `place`. Also returns the last.

    An attempt takes the draw and `carry`; it returns the number of positions used, and the next `carry`. This suits
    long
    attempts: XLA would compile and compute the draws once for each array in `carry` if the attempts drew themselves.
    """

    def step(state: Any) -> Any:
        is_done, place, drawn, rest = state
        moved, (is_done, *rest) = attempt(drawn, (is_done, *rest))
        place = place + moved
        return is_done, place, draw(place), rest

    def draw_nothing(place: Array) -> Array:
        return jnp.zeros_like(jax.eval_shape(draw, place))

    is_done, *rest = carry
    drawn = lax.cond(jnp.all(is_done), draw_nothing, draw, place)
    is_done, _, drawn, rest = until_all(step, (is_done, place, drawn, rest))
    return drawn, (is_done, *rest)


def truncated_normal(stream: philox.Stream, count: int, dtype: Any) -> Array:
    """The first `count` standard normal numbers; those not between -2 and 2 are drawn again.

    Each group of four numbers (two of float64) has its own blocks, and takes the first numbers that fit.
    """
    wide = np.float64 if dtype == np.float64 else np.float32
    size = 2 if dtype == np.float64 else 4
    groups = -(-count // size)

    def draw(place: Array) -> Array:
        return philox.normal(stream, place + philox.indices(size)[:, None], wide)

    def attempt(drawn: Array, carry: Any) -> Any:
        _, filled, values = carry
        for candidate in drawn:
            is_taken = jnp.abs(candidate) < 2
            here = is_taken[:, None] & (filled[:, None] == jnp.arange(size, dtype=np.int32))
            values = jnp.where(here, candidate[:, None], values)
            filled = filled + is_taken.astype(np.int32)
        return np.uint64(size), (filled >= size, filled, values)

    begin = (jnp.zeros(groups, np.bool_), jnp.zeros(groups, np.int32), jnp.zeros((groups, size), wide))
    place = starts(groups, size * size * philox.BLOCKS_PER_ELEMENT // 4)
    numbers = drawing_ahead(attempt, draw, place, begin)[1][2].reshape(-1)
    return lax.slice_in_dim(numbers, 0, count).astype(dtype)


def by_element(samples: int, values: Array) -> Array:
    """For each element, the value that it belongs to: `samples` elements for the first value, then for the next, ..."""
    return jnp.broadcast_to(values.reshape(-1, 1), (values.size, samples)).reshape(-1)


def arranged(drawn: Array, dims: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """Numbers drawn by element, in the shape `dims` followed by that of the values."""
    size = int(np.prod(shape, dtype=np.int64))
    return drawn.reshape(size, -1).T.reshape(*dims, *shape) if drawn.size else drawn.reshape(*dims, *shape)


def together(name: str, *parts: Tensor) -> tuple[int, ...]:
    """The broadcast shape of `parts`. Raises InvalidArgumentError if they don't broadcast."""
    shapes = [part._aval.shape for part in parts]
    try:
        return broadcast_shapes(*shapes)
    except ValueError as refused:
        raise InvalidArgumentError.of(f"tf.{name}: shapes must broadcast, got {shapes}.") from refused


def leading(name: str, dims: tuple[int, ...], batch: tuple[int, ...]) -> tuple[int, ...]:
    """`dims` without its last axes, which must be those of `batch`. Raises InvalidArgumentError if they aren't."""
    front = len(dims) - len(batch)
    if front < 0 or dims[front:] != batch:
        raise InvalidArgumentError.of(f"tf.{name}: shape must end with {batch}, got {dims}.")
    return dims[:front]
