"""Arrays on the devices of replicas: values that all replicas share, and values of which each has its own.

A shared value is one array that is replicated over the mesh of devices; it is the array of the tensors of all replicas.
Otherwise the tensor of each replica has an array on the device of that replica.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from itertools import repeat
from operator import call, is_
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tfcompat._core.system.device import REPLICAS, alone, computing_device
from tfcompat._jaxpr.postponement import postponed

COMMON, OWN = PartitionSpec(), PartitionSpec(REPLICAS)
# The most objects for one sharding that are remembered.
_MOST_OBJECTS = 64


class _Use:
    """Whether arrays on several devices were made: until then no program has to look for them."""

    has_begun = False


use = _Use()


class _Known:
    """The results of placing arrays, for as long as these exist."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[tuple[weakref.ref[Any], ...], Any]] = {}

    def get(self, arrays: Sequence[Any]) -> Any:
        """The result that was added for `arrays`; None without one."""
        entry = self._found.get(id(arrays[0]))
        if entry is None or len(entry[0]) != len(arrays):
            return None
        return entry[1] if all(map(is_, map(call, entry[0]), arrays)) else None

    def add(self, arrays: Sequence[Any], placed: Any) -> None:
        """Keeps `placed` until the first of `arrays` is deleted."""
        key = id(arrays[0])
        first = weakref.ref(arrays[0], lambda _: self._found.pop(key, None))
        self._found[key] = (first, *map(weakref.ref, arrays[1:])), placed


@functools.cache
def mesh_of(devices: tuple[Any, ...]) -> Mesh:
    """The mesh of `devices`, one for each replica."""
    return Mesh(np.array(devices), (REPLICAS,))


class Placement:
    """Places arrays on `devices`, one for each replica."""

    def __init__(self, devices: tuple[Any, ...]) -> None:
        self._devices = devices
        self.mesh = mesh_of(devices)
        self._common = NamedSharding(self.mesh, COMMON)
        # The objects that are equal to it, by `id`: the results of a program have the same one each time.
        self._commons = {id(self._common): self._common}
        self._own = NamedSharding(self.mesh, OWN)
        self._known_common, self._known_own, self._known_equal = _Known(), _Known(), _Known()

    def is_common(self, array: Any) -> bool:
        """Whether `array` is on all devices."""
        sharding: Any = getattr(array, "sharding", None)
        if id(sharding) in self._commons:
            return True
        if sharding != self._common:
            return False
        if len(self._commons) >= _MOST_OBJECTS:
            self._commons = {id(self._common): self._common}
        self._commons[id(sharding)] = sharding
        return True

    def are_known_common(self, arrays: Sequence[Any]) -> list[bool]:
        """Whether each of `arrays` is on all devices, as C code finds out: False if `is_common` has to find it out."""
        return list(map(self._commons.__contains__, map(id, map(getattr, arrays, repeat("sharding"), repeat(None)))))

    def fresh(self, array: Any) -> Any:
        """`array` on all devices: the same array if it is there already, or else a new copy."""
        if self.is_common(array):
            return array
        # `may_alias` concerns arrays of NumPy only: on its own device the new array would be the old buffer.
        with postponed():
            source = collected([array])[0]
            source = jnp.array(source, copy=True) if isinstance(source, jax.Array) else source
            return jax.device_put(source, self._common, may_alias=False)

    def common(self, array: Any) -> Any:
        """`array` on all devices."""
        if self.is_common(array):
            return array
        placed = self._known_common.get((array,))
        if placed is None:
            with postponed():
                placed = jax.device_put(collected([array])[0], self._common)
                self._known_common.add((array,), placed)
        return placed

    def own(self, arrays: Sequence[Any]) -> Any:
        """One array, whose part on the device of each replica is that of `arrays`, which have the same shape."""
        placed = self._known_own.get(arrays)
        if placed is None:
            with postponed():
                placed = self._joined(arrays)
                self._known_own.add(arrays, placed)
        return placed

    def _joined(self, arrays: Sequence[Any]) -> Any:
        if all(isinstance(array, np.ndarray) for array in arrays):
            return jax.device_put(np.concatenate(arrays), self._own)
        parts = [self._moved(array, replica) for replica, array in enumerate(arrays)]
        size, *rest = arrays[0].shape
        return jax.make_array_from_single_device_arrays((size * len(parts), *rest), self._own, parts)

    def _moved(self, array: Any, replica: int) -> Any:
        device = self._devices[replica]
        if self.is_common(array):  # its `addressable_data` is that of the first device, whatever the index
            return next(part.data for part in array.addressable_shards if part.device == device)
        return jax.device_put(array, device)

    def are_equal(self, arrays: Sequence[Any]) -> bool:
        """Whether `arrays` have the same elements. The first of them is then the shared value of all replicas."""
        found = self._known_equal.get(arrays)
        if found is None:
            with postponed():
                found = _have_same_bytes(arrays)
                self._known_equal.add(arrays, found)
        return found

    def is_equal_everywhere(self, array: Any) -> bool:
        """Whether all devices have the same elements of the shared `array`."""
        return _have_same_bytes([part.data for part in array.addressable_shards])

    def parts(self, array: Any) -> list[Any]:
        """The parts of `array` on the devices of the replicas."""
        parts = [array.addressable_data(replica) for replica in range(len(self._devices))]
        self._known_own.add(parts, array)
        return parts


@functools.cache
def placement_on(devices: tuple[Any, ...]) -> Placement:
    """The placement on `devices`."""
    return Placement(devices)


def _have_same_bytes(arrays: Sequence[Any]) -> bool:
    first, *others = [np.asarray(array) for array in arrays]
    whole = first.tobytes()
    return all(other.tobytes() == whole for other in others)


def collected(arrays: Sequence[Any]) -> list[Any]:
    """`arrays` for a program that runs on one device: copies of those that only other devices have."""
    found = [alone(array) for array in arrays]
    places = {frozenset(array.devices()) for array in found if isinstance(array, jax.Array)}
    if len(places) < 2 or max(map(len, places)) > 1:  # arrays on several devices are those of a mesh of the user
        return found
    target = computing_device()
    return [jax.device_put(array, target) if isinstance(array, jax.Array) else array for array in found]
