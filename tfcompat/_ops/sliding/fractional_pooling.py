"""Pooling over regions of unequal size, so that images shrink by any ratio.

Source: Graham, Fractional max-pooling (2014).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array, op
from tfcompat._core.types.dtype import float32, float64, int32, int64
from tfcompat._ops.derivative import larger
from tfcompat._ops.random.philox import host_words, philox
from tfcompat._ops.random.stream import host_order

POOLED = frozenset((float32, float64, int32, int64))
_WORDS_IN_A_BLOCK = 4


# The result of fractional pooling: the pooled image, and the starts of its regions.
_FIELDS = [("output", Any), ("row_pooling_sequence", Any), ("col_pooling_sequence", Any)]
FractionalAvgPool = NamedTuple("FractionalAvgPool", _FIELDS)
FractionalMaxPool = NamedTuple("FractionalMaxPool", _FIELDS)


class Regions(NamedTuple):
    """The starts of the regions along an axis, the positions in each region, and a mask of the valid positions."""

    sequence: np.ndarray
    places: np.ndarray
    is_inside: np.ndarray


def regions(length: int, ratio: float, key: int, number: int, block: int, is_smooth: bool, overlaps: bool) -> Regions:
    """The regions of an axis of `length`, drawn from the stream of `key` and `number` at its `block`."""
    count = math.floor(length / ratio)
    sizes = _smooth_sizes(length, count, key, number, block) if is_smooth else _sizes(length, count, key, number, block)
    sequence = np.concatenate(([0], np.cumsum(sizes)))
    ends = np.minimum(sequence[1:] + overlaps, length)
    reach = np.arange(int(max(ends - sequence[:-1])))
    places = sequence[:-1, None] + reach
    is_inside = places < ends[:, None]
    return Regions(sequence, np.where(is_inside, places, sequence[:-1, None]), is_inside)


def blocks_drawn(length: int, ratio: float, is_smooth: bool) -> int:
    """The number of blocks of the stream that `regions` uses."""
    return 1 if is_smooth else -(-math.floor(length / ratio) // _WORDS_IN_A_BLOCK)


def _sizes(length: int, count: int, key: int, number: int, block: int) -> np.ndarray:
    """Sizes that differ by at most one, in random order."""
    sizes = np.full(count, length // count)
    sizes[: length % count] += 1
    return sizes[host_order(key, (block, number), count)]


def _smooth_sizes(length: int, count: int, key: int, number: int, block: int) -> np.ndarray:
    """Sizes that differ by at most one, spread evenly from a random start."""
    alpha, whole = length / count, length // count
    most = min((whole + 2) / alpha - 1, (length + 1 - whole) / alpha - (count - 1))
    words = philox(host_words(key), (*host_words(block), *host_words(number)))
    bits = (int(words[0][0]) & 0xFFFFF) << 32 | int(words[1][0])
    start = bits / 2**52 * most
    inner = [math.ceil(alpha * (k + start)) for k in range(1, count)]
    return np.diff([1, *inner, length + 1])


def _along(array: Array, axis: int, places: Array, combine: Callable[[list[Array]], Array]) -> Array:
    return combine([jnp.take(array, places[:, k], axis) for k in range(places.shape[1])])


_LARGEST = functools.partial(functools.reduce, larger)


@op(
    "nn.fractional_max_pool",
    same=("value",),
    dtypes={"value": POOLED, "rows": frozenset((int32,)), "columns": frozenset((int32,))},
)
def fractional_max(value: Array, rows: Array, columns: Array) -> Array:
    """The largest element of each region; its derivative goes to the first one."""
    return _along(_along(value, 2, columns, _LARGEST), 1, rows, _LARGEST)


def _total(array: Array, axis: int, places: Array, is_inside: Array) -> Array:
    shape = [-1 if k == axis else 1 for k in range(array.ndim)]
    parts = [
        jnp.take(array, places[:, k], axis) * is_inside[:, k].reshape(shape).astype(array.dtype)
        for k in range(places.shape[1])
    ]
    return functools.reduce(jnp.add, parts)


@op("nn.fractional_avg_pool", same=("value",), dtypes={"value": POOLED})
def fractional_mean(value: Array, rows: Array, columns: Array, is_in_rows: Array, is_in_columns: Array) -> Array:
    """The mean of each region."""
    total = _total(_total(value, 2, columns, is_in_columns), 1, rows, is_in_rows)
    count = jnp.sum(is_in_rows, 1)[:, None, None] * jnp.sum(is_in_columns, 1)[:, None]
    return lax.div(total, jnp.broadcast_to(count.astype(total.dtype), total.shape))
