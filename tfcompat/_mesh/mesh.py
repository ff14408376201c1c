"""`tf.experimental.dtensor.Mesh`: devices arranged along named dimensions."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import jax
import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device import full_name
from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._dropin.device import find

# The number of parts of a mesh as text, without and with the devices of all processes.
_PARTS = (5, 6, 7)
_SPMD = "use_xla_spmd"


class MeshDimension(NamedTuple):
    """A dimension of a mesh. Source: TF 2.21 `tf.experimental.dtensor.Mesh.__getitem__`."""

    name: str
    size: int


class Mesh:
    """Devices arranged along dimensions with names. Layouts name the dimensions that they divide tensors along.

    Args:
      dim_names: the names of the dimensions.
      global_device_ids: an array of successive numbers, one for each device, whose shape is that of the mesh.
      local_device_ids: the numbers of the devices of this process; `local_devices`: their names or specifications.
      mesh_name: a name.
      global_devices: the devices of all processes.
      use_xla_spmd: for TPUs; XLA divides programs anyway.

    Raises: ValueError if the arguments don't agree; TypeError for a name that is not a text.
    Source: TF 2.21 `tf.experimental.dtensor.Mesh`.
    """

    def __init__(
        self,
        dim_names: Sequence[str],
        global_device_ids: np.ndarray,
        local_device_ids: list[int],
        local_devices: list[Any],
        mesh_name: str = "",
        global_devices: list[Any] | None = None,
        use_xla_spmd: bool = False,
    ) -> None:
        if not isinstance(global_device_ids, np.ndarray):
            raise ValueError("Variable global_device_ids must be an ndarray.")
        if global_device_ids.size == 0:
            raise ValueError("Variable global_device_ids must be non-empty.")
        if np.any(np.diff(global_device_ids.ravel()) != 1):
            raise ValueError(f"global_device_ids must sequentially increase: {global_device_ids}")
        if len(dim_names) != global_device_ids.ndim:
            raise ValueError("Number of mesh dimensions does not match number of dimension names.")
        for name, value in (("local_device_ids", local_device_ids), ("local_devices", local_devices)):
            if not isinstance(value, list):
                raise ValueError(f"Variable {name} must be a list.")
        if not local_devices and not global_devices:
            raise ValueError("Empty list of devices not allowed.")
        if len(local_device_ids) != len(local_devices):
            raise ValueError("Variable local_device_ids does not have same size as local_devices.")
        self._dims = tuple(map(MeshDimension, map(text_of, dim_names), map(int, global_device_ids.shape)))
        self._ids = tuple(map(int, global_device_ids.ravel()))
        self._local_ids = tuple(map(int, local_device_ids))
        self._devices, self._all_devices = (tuple(map(_text, given or ())) for given in (local_devices, global_devices))
        self._name = text_of(mesh_name)
        self._single = ""
        self._kind = _kind_of(self._devices or self._all_devices)
        if self._kind != "CPU" and len(set(self._devices)) < len(self._devices):
            raise ValueError(f"Duplicate devices found in mesh specification {list(self._devices)}.")
        if use_xla_spmd and self._kind != "TPU":
            raise ValueError(f"XLA SPMD is not currently not supported for {self._kind} mesh.")
        self._is_spmd = use_xla_spmd

    @classmethod
    def from_device(cls, device: str) -> Mesh:
        """The mesh of the single `device`."""
        mesh = object.__new__(cls)
        mesh._dims, mesh._ids, mesh._local_ids, mesh._devices, mesh._all_devices = (), (), (), (), ()
        mesh._name, mesh._single, mesh._kind, mesh._is_spmd = "", device, _kind_of((device,)), False
        return mesh

    @classmethod
    def from_string(cls, mesh_str: str) -> Mesh:
        """The mesh that `to_string` describes as `mesh_str`. Raises ValueError if none does."""
        parts = mesh_str.split("|")
        if len(parts) == 1:
            if not mesh_str.startswith(("/job:", "job:")):
                raise ValueError(f"Input string is invalid: {mesh_str}")
            return cls.from_device(mesh_str)
        if len(parts) not in _PARTS:
            raise ValueError(f"Expected either 5, 6, 7 or 3 mesh parts but found{len(parts)}")
        is_spmd = parts[-1] == _SPMD
        name, dims, ids, local_ids, devices, *others = parts[:-1] if is_spmd else parts
        sizes = dict(dim.split("=") for dim in dims.split(",") if dim)
        numbers, local = ([int(number) for number in text.split(",") if number] for text in (ids, local_ids))
        shape = [int(size) for size in sizes.values()]
        if math.prod(shape) != len(numbers):
            raise ValueError("mesh size doesn't match number of devices")
        local_devices = [device for device in devices.split(",") if device]
        everywhere = [device for device in (others[0] if others else "").split(",") if device]
        return cls(list(sizes), np.reshape(numbers, shape), local, local_devices, name, everywhere, is_spmd)

    @classmethod
    def from_proto(cls, proto: Any) -> NoReturn:
        """Raises NotImplementedError."""
        del cls, proto
        raise NotImplementedError("tf.experimental.dtensor.Mesh.from_proto: use from_string.")

    def as_proto(self) -> NoReturn:
        """Raises NotImplementedError."""
        raise NotImplementedError("tf.experimental.dtensor.Mesh.as_proto: use to_string.")

    def to_string(self) -> str:
        """The name, the dimensions, the numbers of all devices and of the local ones, and their names."""
        if self._single:
            return self._single
        dims = ",".join(f"{name}={size}" for name, size in self._dims)
        parts = [self._name, dims, *(",".join(map(str, ids)) for ids in (self._ids, self._local_ids))]
        parts += [",".join(names) for names in (self._devices, self._all_devices) if names]
        return "|".join([*parts, _SPMD] if self._is_spmd else parts)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dim_names(self) -> list[str]:
        """The names of the dimensions."""
        return [dim.name for dim in self._dims]

    @property
    def size(self) -> int:
        """The number of devices; 0 for a mesh of a single device."""
        return len(self._ids)

    @property
    def strides(self) -> list[int]:
        """The distances of the numbers of devices that are neighbours along each dimension."""
        return [math.prod(self.shape()[k + 1 :]) for k in range(len(self._dims))]

    @property
    def single_device(self) -> str:
        """The device, if the mesh was made by `from_device`, else an empty text."""
        return self._single

    def shape(self) -> list[int]:
        """The sizes of the dimensions."""
        return [dim.size for dim in self._dims]

    def dim_size(self, dim_name: str) -> int:
        """The size of the dimension `dim_name`. Raises ValueError for other names, TypeError unless it is a text."""
        return self[dim_name].size

    def contains_dim(self, dim_name: str) -> bool:
        """Whether there is a dimension `dim_name`. Raises TypeError unless that is a text."""
        return text_of(dim_name) in self.dim_names

    def device_type(self) -> str:
        """CPU, GPU or TPU."""
        return self._kind

    def global_device_ids(self) -> np.ndarray:
        """The numbers of all devices, in the shape of the mesh."""
        return np.array(self._ids, np.int64).reshape(self.shape())

    def local_device_ids(self) -> list[int]:
        """The numbers of the devices of this process."""
        return list(self._local_ids)

    def local_devices(self) -> list[str]:
        """The names of the devices of this process."""
        return list(self._devices)

    def global_devices(self) -> list[str]:
        """The names of the devices of all processes, if they were given."""
        return list(self._all_devices)

    def num_local_devices(self) -> int:
        """The number of devices of this process."""
        return len(self._devices)

    def min_global_device_id(self) -> int:
        """The smallest number of a device."""
        return self._ids[0]

    def is_remote(self) -> bool:
        """Whether all devices belong to other processes."""
        return not self._devices and not self._single

    def is_single_device(self) -> bool:
        """Whether it was made by `from_device`."""
        return bool(self._single)

    def use_xla_spmd(self) -> bool:
        """As given."""
        return self._is_spmd

    def host_mesh(self) -> Mesh:
        """The same mesh of CPUs, without the name and the devices of other processes."""
        devices: list[Any] = [device.replace(f":{self._kind}:", ":CPU:") for device in self._devices]
        return Mesh(self.dim_names, self.global_device_ids(), self.local_device_ids(), devices)

    def unravel_index(self) -> dict[int, dict[str, int]]:
        """The place of each device along the dimensions, by its number."""
        places = itertools.product(*map(range, self.shape()))
        return {k: dict(zip(self.dim_names, place, strict=True)) for k, place in enumerate(places)}

    def device_location(self, device_id: int) -> list[int]:
        """The place of the device with the number `device_id` along the dimensions."""
        return list(self.unravel_index()[device_id - self._ids[0]].values())

    def local_device_locations(self) -> list[dict[str, int]]:
        """The places of the devices of this process."""
        places = self.unravel_index()
        return [places[k] for k in self._local_ids]

    def coords(self, device_idx: Any) -> Tensor:
        """The place of the device with the number `device_idx`, as a vector of int32."""
        return Tensor(np.array((np.asarray(device_idx) // self.strides) % self.shape(), np.int32))

    @functools.cached_property
    def _on_jax(self) -> jax.sharding.Mesh:
        """The mesh of JAX's devices. Raises InvalidArgumentError if a device does not exist."""
        found: list[Any] = []
        for name in self._devices:
            spec = DeviceSpec.from_string(name)
            device = find(self._kind, spec.device_index or 0)
            if device is None:
                raise InvalidArgumentError.of(f"tf.experimental.dtensor: the device {name!r} of the mesh is missing.")
            found.append(device)
        if len(set(found)) < len(found):
            raise NotImplementedError(f"tf.experimental.dtensor.Mesh: a device occurs twice, {self._devices}.")
        mesh = jax.sharding.Mesh(np.array(found).reshape(self.shape()), tuple(self.dim_names))
        meshes.known[mesh] = self
        return mesh

    def __contains__(self, dim_name: str) -> bool:
        return self.contains_dim(dim_name)

    def __getitem__(self, dim_name: str) -> MeshDimension:
        name = text_of(dim_name)
        for dim in self._dims:
            if dim.name == name:
                return dim
        known = ",".join(self.dim_names)
        raise ValueError(f"Dimension {dim_name} does not exist in mesh.Available dimensions: {known}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return NotImplemented
        return self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __reduce__(self) -> tuple[Any, ...]:
        return Mesh.from_string, (self.to_string(),)

    def __repr__(self) -> str:
        return f"Mesh.from_string({self.to_string()})"


class _Meshes:
    """The meshes that are in use.

    Attributes:
      known: the latest one for each mesh of JAX, which has no name.
    """

    def __init__(self) -> None:
        self.known: dict[jax.sharding.Mesh, Mesh] = {}

    def clear(self) -> None:
        """Forgets all meshes."""
        self.known.clear()

    def of(self, mesh: jax.sharding.Mesh) -> Mesh:
        """The mesh that `mesh` of JAX represents."""
        if mesh not in self.known:
            names: list[Any] = list(map(full_name, mesh.devices.ravel()))
            ids = np.arange(mesh.devices.size)
            self.known[mesh] = Mesh(list(mesh.axis_names), ids.reshape(mesh.devices.shape), ids.tolist(), names)
        return self.known[mesh]


meshes = _Meshes()


def text_of(name: Any) -> str:
    """`name`, a text that may be bytes, as the name of a mesh or of a dimension. Raises TypeError for other values."""
    if isinstance(name, bytes):
        return name.decode()
    if not isinstance(name, str):
        raise TypeError(f"tf.experimental.dtensor: the names of meshes and their dimensions are texts, got {name!r}.")
    return str(name)


def _text(device: Any) -> str:
    return device.to_string() if isinstance(device, DeviceSpec) else device


def _kind_of(devices: Sequence[str]) -> str:
    """The type of `devices`. Raises ValueError if they have none, or several."""
    kinds = {DeviceSpec.from_string(device).device_type for device in devices}
    if None in kinds:
        raise ValueError("device_type is required")
    if len(kinds) > 1:
        raise ValueError(f"Devices containing multiple device_types : {kinds}")
    return str(kinds.pop())
