"""Moving arrays to the device, and TensorFlow's name for it."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding

from tfcompat._jaxpr.postponement import postponed

# The multiple at which XLA wants arrays to begin in memory.
_ALIGNMENT = 64
# The name of the axis of devices that compute the replicas of a strategy.
REPLICAS = "replica"


def start() -> None:
    """Makes JAX start its backends, and load what its first transfer needs, unless it has.

    Raises: as `require_open`.
    """
    require_open()
    started()


def require_open() -> None:
    """Raises RuntimeError at the end of the interpreter, when JAX has closed its backends.

    It would start them again, and wait for a thread that never runs.
    """
    if sys.is_finalizing():
        raise RuntimeError("tfcompat: nothing is computed while the Python interpreter ends.")


@cache
def started() -> None:
    """Starts JAX for `start`, once.

    No signal handler runs meanwhile: after an interrupt JAX would continue without backends that it has not started.
    """
    with postponed():
        jax.device_put(np.zeros(0))


def to_device(array: np.ndarray) -> Any:
    """A device array with the values of `array` and memory of its own, which may be donated to a program.

    Strings stay on the host.
    """
    if array.dtype.kind == "O":
        return array
    start()
    with jax.enable_x64(True):
        return jax.device_put(array, may_alias=False)


def all_to_device(arrays: list[np.ndarray]) -> list[Any]:
    """`to_device` for each of several `arrays` of numbers, in three quarters of the time."""
    start()
    with jax.enable_x64(True):
        return jax.device_put(arrays, may_alias=False)


def aligned(size: int) -> np.ndarray:
    """Memory of `size` bytes that `adopted` can take over."""
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + size]


def adopted(array: np.ndarray) -> Any:
    """A device array with the values of `array`, to which the caller gives up its reference.

    On a CPU it has the memory of `array`, if that is `aligned`. A program that the memory is donated to makes no use of
    it, and releases it.
    """
    start()
    with jax.enable_x64(True):
        return jax.device_put(array, may_alias=True)


def on_device(array: Any) -> Any:
    """`array` as a device array; a NumPy array is copied."""
    return to_device(array) if isinstance(array, np.ndarray) else jnp.asarray(array)


def all_on_device(arrays: list[Any]) -> list[Any]:
    """`on_device` for each of several `arrays`, in less time."""
    places = [k for k, array in enumerate(arrays) if isinstance(array, np.ndarray) and array.dtype.kind != "O"]
    moved = dict(zip(places, all_to_device([arrays[k] for k in places]), strict=True))
    return [moved[k] if k in moved else on_device(array) for k, array in enumerate(arrays)]


def copied(array: jax.Array) -> jax.Array:
    """A copy of `array` on its device."""
    with postponed(), jax.enable_x64(True):
        return jnp.array(array, copy=True)


def alone(array: Any) -> Any:
    """The copy of `array` on the first device, if the replicas of a strategy share it; or else `array`."""
    if isinstance(array, jax.Array) and isinstance(sharding := array.sharding, NamedSharding):
        return array.addressable_data(0) if sharding.mesh.axis_names == (REPLICAS,) else array
    return array


def computing_device() -> Any:
    """The device that executes the ops recorded now."""
    start()
    chosen = jax.config.jax_default_device  # pyright: ignore[reportAttributeAccessIssue]
    return chosen if isinstance(chosen, jax.Device) else jax.local_devices(backend=chosen)[0]


def full_name(device: Any) -> str:
    """TensorFlow's name of `device`, `"/job:localhost/replica:0/task:0/device:CPU:0"`."""
    kind = "GPU" if device.platform in ("gpu", "cuda", "rocm") else device.platform.upper()
    return f"/job:localhost/replica:0/task:0/device:{kind}:{device.id}"
