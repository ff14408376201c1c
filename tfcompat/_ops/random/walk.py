"""Numbers that are accepted or rejected, drawn one after another for each element from blocks of its own.

What one element takes doesn't move the others. TensorFlow draws them in float64 whatever the dtype, two numbers to a
block, of which it takes the second first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.declare import Array
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.tensor import Tensor
from tfcompat._ops.random import philox

KIND = np.dtype(np.float64)


def starts(count: int, blocks: int = philox.BLOCKS_PER_ELEMENT) -> Array:
    """The first block of each of `count` elements that have `blocks` each."""
    return philox.indices(count) * np.uint64(blocks)


def until_all(attempt: Callable[[Any], Any], carry: Any) -> Any:
    """`carry` after as many `attempt`s as it takes until all elements are done, as its first array tells."""
    return lax.while_loop(lambda carry: ~jnp.all(carry[0]), attempt, carry)


def by_element(samples: int, values: Array) -> Array:
    """For each element, `samples` of the first value, then of the next, the value that it belongs to."""
    return jnp.broadcast_to(values.reshape(-1, 1), (values.size, samples)).reshape(-1)


def arranged(drawn: Array, dims: tuple[int, ...], shape: tuple[int, ...]) -> Array:
    """What is drawn by element in the shape `dims`, then that of the values."""
    size = int(np.prod(shape, dtype=np.int64))
    return drawn.reshape(size, -1).T.reshape(*dims, *shape) if drawn.size else drawn.reshape(*dims, *shape)


def together(name: str, *parts: Tensor) -> tuple[int, ...]:
    """What the shapes of `parts` broadcast to. Raises InvalidArgumentError if they don't."""
    shapes = [part._aval.shape for part in parts]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as refused:
        raise InvalidArgumentError.of(f"tf.{name}: shapes must broadcast, got {shapes}.") from refused


def leading(name: str, dims: tuple[int, ...], batch: tuple[int, ...]) -> tuple[int, ...]:
    """`dims` without its last axes, which must be those of `batch`. Raises InvalidArgumentError if they aren't."""
    front = len(dims) - len(batch)
    if front < 0 or dims[front:] != batch:
        raise InvalidArgumentError.of(f"tf.{name}: shape must end with {batch}, got {dims}.")
    return dims[:front]
