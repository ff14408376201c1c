"""What turns read of a tensor that stays the same, at places that are known: taken out of it before the first turn.

For the turn it then is a row of a tensor that is gone through, and the gradient is the rows' cotangents put together.
Of a read in the turn it would be, each time, a tensor of zeros with that cotangent in its place.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.node import Node
from tfcompat._core.op import Op


class Windows:
    """The parts that a step takes out of its first input, one in each turn.

    Attributes:
      node: the step.
      position: the input that tells where the part begins.
      whole: the op that takes all there is along the axis; None if that is the step's first input as it is.
      is_inside: whether all parts lie in the tensor.
      is_sparing: whether together they are no larger than it.
      is_backward: whether each begins before that of the turn before.
    """

    def __init__(self, node: Node, position: int, begins: np.ndarray) -> None:
        """In the turns the step finds `begins` in its input at `position`."""
        assert node.op is not None
        self.node = node
        self.position = position
        axis, self._width, self._along, whole = node.op.windows[position]
        self.whole = whole()
        self._size = node.signature[0].shape[axis]
        self._begins = np.where(begins < 0, begins + self._size, begins)
        last = self._size - (self._width or 1)
        is_placed = bool(((self._begins >= 0) & (self._begins <= last)).all())
        self.is_inside = is_placed and not complains(node, {position: begins})
        self.is_sparing = begins.size * (self._width or 1) <= self._size
        self.is_backward = is_falling(self._begins)

    def op(self, *, is_backward: bool) -> Op | None:
        """The op that makes rows of `whole`, `is_backward` from that of the last turn on; None if they are its rows."""
        begins = self._begins[::-1] if is_backward else self._begins
        if self._along == 0 and self._width is None and np.array_equal(begins, np.arange(self._size)):
            return None
        assert self.node.op is not None
        rows = functools.partial(_rows, begins=begins, width=self._width, axis=self._along)
        return Op(self.node.op.name, rows, label=f"{len(begins)} turns")


def _rows(whole: Any, begins: np.ndarray, width: int | None, axis: int) -> Any:
    """The parts of `whole` that begin at `begins` along `axis`, stacked."""
    step = _distance(begins, width or 1)
    if width is not None and (step is None or abs(step) != width):
        return jax.vmap(lambda begin: jax.lax.dynamic_slice_in_dim(whole, begin, width, axis))(jnp.asarray(begins))
    if step is None:
        return jnp.moveaxis(jnp.take(whole, begins, axis, mode="clip"), axis, 0)
    low, high = int(begins.min()), int(begins.max()) + (width or 1)
    part = jax.lax.slice_in_dim(whole, low, high, 1 if width else abs(step), axis)
    part = part if width is None else part.reshape(*part.shape[:axis], len(begins), width, *part.shape[axis + 1 :])
    part = jnp.moveaxis(part, axis, 0)
    return jnp.flip(part, 0) if step < 0 else part


def _distance(begins: np.ndarray, width: int) -> int | None:
    """How far each of `begins` is from the next, if they are all as far apart and not in the same place."""
    steps = np.unique(np.diff(begins))
    if len(begins) == 1:
        return width
    return int(steps[0]) if len(steps) == 1 and steps[0] else None


def is_falling(places: np.ndarray) -> bool:
    """Whether each of `places` is before the last."""
    return len(places) > 1 and bool((np.diff(places) < 0).all())


def complains(node: Node, known: dict[int, Any]) -> bool:
    """Whether the step `node` would complain of what is `known` of the inputs that tell places."""
    assert node.op is not None
    if node.op.flag is None:
        return False
    inputs = [
        known.get(k, np.broadcast_to(np.zeros((), aval.dtype.as_numpy_dtype), aval.shape))
        for k, aval in enumerate(node.signature)
    ]
    return bool(np.any(node.op.flag(*inputs)))
