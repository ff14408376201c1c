"""Boxes (y1, x1, y2, x2), how far they overlap, and the choice of some by their scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.convert import as_tensor, convert_to_tensor
from tfcompat._core.declare import Array
from tfcompat._core.dtype import float32
from tfcompat._core.tensor import Tensor


def as_single(value: Any) -> Tensor:
    """`value` as a tensor, of float32 if it is none yet."""
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
        """Those of `boxes`, [n, 4], whichever corner comes first."""
        y1, x1, y2, x2 = (boxes[:, k].astype(np.float32) for k in range(4))
        top, left, bottom, right = jnp.minimum(y1, y2), jnp.minimum(x1, x2), jnp.maximum(y1, y2), jnp.maximum(x1, x2)
        return cls(top, left, bottom, right, (bottom - top) * (right - left))

    def shared(self, k: Array) -> Array:
        """The area that each box shares with box `k`."""
        height = jnp.minimum(self.bottom, self.bottom[k]) - jnp.maximum(self.top, self.top[k])
        width = jnp.minimum(self.right, self.right[k]) - jnp.maximum(self.left, self.left[k])
        return jnp.maximum(height, 0) * jnp.maximum(width, 0)

    def overlap(self, k: Array) -> Array:
        """The area that each box shares with box `k` over the area that they cover together; 0 if one is empty."""
        shared = self.shared(k)
        is_real = (self.area > 0) & (self.area[k] > 0)
        return jnp.where(is_real, shared / jnp.where(is_real, self.area + self.area[k] - shared, 1), 0)


class Chosen(NamedTuple):
    """The boxes that were chosen, in order; after the first `count` of them zeros."""

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
    """Chooses the box with the highest of `scores`, of equals the first, until `most` are chosen or none is left.

    A score of -inf stands for a box that is gone. `suppressed` takes the box that was chosen and the scores, and
    returns the scores that are left. Boxes that are not counted suppress others, too, but don't stand in the answer.
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
    """`scores` as float32, those up to `threshold` as -inf."""
    single = scores.astype(np.float32)
    return jnp.where(single > threshold.astype(np.float32), single, -np.inf)
