"""Moving arrays to the device."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def to_device(array: np.ndarray) -> Any:
    """A device array with the values of `array`, and memory of its own: a program may take it over.

    Strings stay on the host.
    """
    if array.dtype.kind == "O":
        return array
    with jax.enable_x64(True):
        return jax.device_put(array, may_alias=False)


def copied(array: jax.Array) -> jax.Array:
    """A copy of `array` on its device."""
    with jax.enable_x64(True):
        return jnp.array(array, copy=True)
