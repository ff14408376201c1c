"""Numbers drawn one after another, for each element from a stream of its own.

Draws that are accepted or rejected take an unknown count of numbers. Each element has blocks of its own, so that what
one takes doesn't move the others: it is at a block, and holds a block of each kind of numbers, the last of which it
takes first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.declare import Array
from tfcompat._ops import philox

_ONE = np.uint64(1)


class Held(NamedTuple):
    """The block that elements hold of one kind of numbers, and how many of its numbers are left."""

    block: Array
    left: Array


def nothing(count: int) -> Held:
    """What `count` elements hold before they draw."""
    return Held(jnp.zeros(count, np.uint64), jnp.zeros(count, np.uint64))


def per_block(dtype: Any) -> int:
    """How many numbers of a floating `dtype` a block has."""
    return 2 if np.dtype(dtype) == np.float64 else 4


def next_index(place: Array, held: Held, dtype: Any, takes: Array) -> tuple[Array, Array, Held]:
    """The next block, the index of the next number, and what is held then; only where `takes` something changes."""
    size = np.uint64(per_block(dtype))
    is_empty = held.left == 0
    block = jnp.where(is_empty, place, held.block)
    left = jnp.where(is_empty, size, held.left) - _ONE
    moved = place + is_empty.astype(np.uint64)
    after = Held(jnp.where(takes, block, held.block), jnp.where(takes, left, held.left))
    return jnp.where(takes, moved, place), block * size + left, after


def starts(count: int, blocks: int = philox.BLOCKS_PER_ELEMENT) -> Array:
    """The first block of each of `count` elements that have `blocks` each."""
    return philox.indices(count) * np.uint64(blocks)


def until_all(attempt: Callable[[Any], Any], carry: Any) -> Any:
    """`carry` after as many `attempt`s as it takes until all elements are done, as its first array tells."""
    return lax.while_loop(lambda carry: ~jnp.all(carry[0]), attempt, carry)


def by_element(samples: int, values: Array) -> Array:
    """For each element, `samples` of the first value, then of the next, the value that it belongs to."""
    return jnp.repeat(values.reshape(-1), samples, total_repeat_length=samples * values.size)


def arranged(drawn: Array, dims: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """What is drawn by element in the shape `dims`, then that of the values."""
    size = int(np.prod(shape, dtype=np.int64))
    return drawn.reshape(size, -1).T.reshape(*dims, *shape) if drawn.size else drawn.reshape(*dims, *shape)
