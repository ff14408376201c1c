"""Convolutions by channel as sums of products, which are faster on a CPU than XLA's convolution in groups.

Each function computes the same convolution of `array`, [batch, *spatial, channels], with `filters`, [*window, channels,
multiplier], in another form, for the sake of its transpose. All round once.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.declare import Array
from tfcompat._ops.sliding.window import Window

# In an array with more elements, which no cache holds, one image after another is faster (32x56x56x96: 36 ms instead of
# 59).
_MOST_AT_ONCE = 1 << 22


def by_image(array: Array, filters: Array, window: Window) -> Array:
    """The convolution as a sum over the positions in the window, for one image after another if they are large."""
    if array.size <= _MOST_AT_ONCE or array.shape[0] == 1:
        return plain(array, filters, window)
    return lax.map(lambda image: plain(image[None], filters, window)[0], array)


def plain(array: Array, filters: Array, window: Window) -> Array:
    """The convolution as a sum over the positions in the window."""
    weights = _exact(filters).reshape(-1, *filters.shape[2:])
    totals: list[Any] = [None] * weights.shape[-1]
    for place, part in enumerate(window.over_all(False).elements(_exact(array), 0)):
        for which, total in enumerate(totals):
            product = part * weights[place, :, which]
            totals[which] = product if total is None else total + product
    return _joined(totals).astype(array.dtype)


def along_array(array: Array, filters: Array, window: Window) -> Array:
    """The convolution whose transpose with respect to `array` is a sum over the positions in the window.

    With strides, it is the sum of the convolutions of every n-th element with every n-th filter.
    """
    counts = window.counts(array.shape[1:-1])
    whole, weights = _padded(_exact(array), window), _exact(filters)
    totals: list[Any] = [None] * weights.shape[-1]
    for phase in itertools.product(*map(range, window.strides)):
        every = tuple(slice(start, None, stride) for start, stride in zip(phase, window.strides, strict=True))
        part, own = whole[:, *every], weights[every]
        for which, total in enumerate(totals):
            if own.size:
                term = _laid_out(part, own[..., which], counts, window.dilations)
                totals[which] = term if total is None else total + term
    return _joined(totals).astype(array.dtype)


def _laid_out(array: Array, weights: Array, counts: tuple[int, ...], dilations: tuple[int, ...]) -> Array:
    """The convolution without strides and padding, as a sum of products that are moved to their places."""
    reach = [(size - 1) * spread for size, spread in zip(weights.shape, dilations, strict=False)]
    extents = [max(a + r, r + n) for a, r, n in zip(array.shape[1:-1], reach, counts, strict=True)]
    total: Any = None
    for place in itertools.product(*map(range, weights.shape[:-1])):
        lows = [r - k * spread for r, k, spread in zip(reach, place, dilations, strict=True)]
        highs = [e - a - low for e, a, low in zip(extents, array.shape[1:-1], lows, strict=True)]
        config = [(0, 0, 0), *((low, high, 0) for low, high in zip(lows, highs, strict=True)), (0, 0, 0)]
        product = lax.pad(array * weights[place], jnp.zeros((), array.dtype), config)
        total = product if total is None else total + product
    return total[:, *(slice(r, r + n) for r, n in zip(reach, counts, strict=True))]


def along_filters(array: Array, filters: Array, window: Window) -> Array:
    """The convolution whose transpose with respect to `filters` adds products of rows, and sums up in the end.

    XLA would compute each element of the gradient as a sum over all places (8x56x56x96 with 3x3 filters: 51 ms; row by
    row 7).
    """
    height, width = window.counts(array.shape[1:-1])
    weights = jnp.moveaxis(_exact(filters).reshape(-1, *filters.shape[2:]), -1, 1)
    # One array for each product: the transpose adds to each of them.
    spread = [jnp.broadcast_to(each, (width, each.size)) for row in weights for each in row]
    line = Window(window.size, window.strides, window.dilations, ((0, 0), (0, 0))).over_all(False)

    # Values computed from the array are computed again for the transpose instead of being stored.
    @functools.partial(jax.checkpoint, prevent_cse=False)
    def row(start: Array, image: Array, spread: list[Array]) -> Array:
        rows = lax.dynamic_slice_in_dim(image, start, window.reach[0])
        parts = [part[0, 0] for part in line.elements(rows[None], 0)]
        factors = [spread[first :: filters.shape[-1]] for first in range(filters.shape[-1])]
        return _joined([sum(map(jnp.multiply, parts[1:], own[1:]), parts[0] * own[0]) for own in factors])

    @functools.partial(jax.checkpoint, prevent_cse=False)
    def image(which: Array, whole: Array, spread: list[Array]) -> Array:
        own = _padded(_exact(lax.dynamic_index_in_dim(whole, which)), window)[0]
        return lax.map(lambda start: row(start, own, spread), window.strides[0] * jnp.arange(height))

    found = lax.map(lambda which: image(which, array, spread), jnp.arange(array.shape[0]))
    return found.astype(array.dtype)


def _joined(totals: list[Any]) -> Array:
    """The results for each multiplier, which are neighbouring channels."""
    return totals[0] if len(totals) == 1 else jnp.stack(totals, -1).reshape(*totals[0].shape[:-1], -1)


def _padded(array: Array, window: Window) -> Array:
    config = [(0, 0, 0), *((*pair, 0) for pair in window.margins(array.shape[1:-1])), (0, 0, 0)]
    return lax.pad(array, jnp.zeros((), array.dtype), config)


def _exact(array: Array) -> Array:
    return array.astype(jnp.float32) if array.dtype.itemsize < 4 else array
