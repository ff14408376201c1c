"""The order of rows after swaps, one after another: by JAX, and by Python on the host.

XLA runs a loop, which takes longer than Python's. So the JAX function is a call that kernels of the host know by name.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

# The name of the call.
ORDER_AFTER_SWAPS = "order_after_swaps"


@jax.jit
def order_after_swaps(offsets: jax.Array) -> jax.Array:
    """The order of as many rows as `offsets`: from the first row on, each but the last is swapped.

    It is swapped with the row that lies behind it by its offset.
    """
    count = offsets.shape[0]
    if count == 0:
        return jnp.zeros([0], np.int32)

    def swapped(place: jax.Array, order: jax.Array) -> jax.Array:
        other = place + offsets[place]
        return order.at[place].set(order[other]).at[other].set(order[place])

    return jax.lax.fori_loop(0, count - 1, swapped, jnp.arange(count, dtype=np.int32))


def host_order_after_swaps(offsets: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """`order_after_swaps` along the last axis of an array of NumPy."""
    count = offsets.shape[-1]
    orders = np.empty((offsets.size // max(1, count), count), np.int32)
    for row, found in zip(offsets.reshape(orders.shape).tolist(), orders, strict=True):
        order = list(range(count))
        for place, offset in enumerate(row[:-1]):
            order[place], order[place + offset] = order[place + offset], order[place]
        found[:] = order
    return orders.reshape(offsets.shape)
