"""Boxes (y1, x1, y2, x2), their overlap, and their selection by score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import float32


def as_single(value: Any) -> Tensor:
    """`value` as a tensor; converted to float32 if it is not a tensor."""
    return convert_to_tensor(value, None if as_tensor(value) is not None else float32)


class Corners(NamedTuple):
    """The edges of boxes, each a vector, and the areas between them."""

    top: Array
    left: Array
    bottom: Array
    right: Array
    area: Array

    @classmethod
    def of(cls, boxes: Array) -> Corners:
        """The corners of `boxes`, [n, 4], in whichever order each pair of corners is given."""
        y1, x1, y2, x2 = (boxes[:, k].astype(np.float32) for k in range(4))
        top, left, bottom, right = jnp.minimum(y1, y2), jnp.minimum(x1, x2), jnp.maximum(y1, y2), jnp.maximum(x1, x2)
        return cls(top, left, bottom, right, (bottom - top) * (right - left))

    def shared(self, k: Array) -> Array:
        """The area of the intersection of each box with box `k`."""
        height = jnp.minimum(self.bottom, self.bottom[k]) - jnp.maximum(self.top, self.top[k])
        width = jnp.minimum(self.right, self.right[k]) - jnp.maximum(self.left, self.left[k])
        return jnp.maximum(height, 0) * jnp.maximum(width, 0)

    def overlap(self, k: Array) -> Array:
        """The intersection of each box with box `k` over their union; 0 if one is empty."""
        shared = self.shared(k)
        is_real = (self.area > 0) & (self.area[k] > 0)
        return jnp.where(is_real, shared / jnp.where(is_real, self.area + self.area[k] - shared, 1), 0)


class Chosen(NamedTuple):
    """The chosen boxes, in order; zeros after the first `count`."""

    indices: Array
    scores: Array
    count: Array


class _State(NamedTuple):
    alive: Array
    highest: Array
    chosen: Chosen


def choose(
    scores: Array,
    suppressed: Callable[[Array, Array], Array],
    most: Any,
    capacity: int,
    is_counted: Array | None = None,
) -> Chosen:
    """Chooses the box with the highest of `scores`, the first of equals, until `most` are chosen or no box is left.

    A score of -inf marks a removed box. `suppressed` takes the chosen box and the scores, and returns the remaining
    scores. Boxes that are not counted suppress others, too, but are left out of the result.
    """
    places = jnp.arange(len(scores), dtype=np.int32)

    def goes_on(state: _State) -> Array:
        return (state.chosen.count < most) & (state.highest > -np.inf)

    def step(state: _State) -> _State:
        best = jnp.min(jnp.where(state.alive == state.highest, places, len(scores) - 1))
        indices, found, count = state.chosen
        is_new = jnp.ones((), bool) if is_counted is None else is_counted[best]
        entry = jnp.where(is_new, count, capacity)
        chosen = Chosen(
            indices.at[entry].set(best, mode="drop"),
            found.at[entry].set(state.highest, mode="drop"),
            count + is_new.astype(np.int32),
        )
        rest = jnp.where(places == best, -np.inf, suppressed(best, state.alive))
        return _State(rest, highest(rest), chosen)

    def highest(alive: Array) -> Array:
        return jnp.max(alive, initial=-np.inf)

    nothing = Chosen(jnp.zeros(capacity, np.int32), jnp.zeros(capacity, scores.dtype), jnp.zeros((), np.int32))
    return lax.while_loop(goes_on, step, _State(scores, highest(scores), nothing)).chosen


def above(scores: Array, threshold: Array) -> Array:
    """`scores` as float32; those up to `threshold` become -inf."""
    single = scores.astype(np.float32)
    return jnp.where(single > threshold.astype(np.float32), single, -np.inf)
