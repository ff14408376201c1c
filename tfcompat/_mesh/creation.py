"""Makes meshes: `create_mesh`, `create_distributed_mesh`, and the barrier of a mesh."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._core.tracing.trace import sync
from tfcompat._mesh import display
from tfcompat._mesh.machine import num_clients, specs_of, system
from tfcompat._mesh.mesh import Mesh

Dims = Sequence[tuple[str, int]] | dict[str, int]


def create_mesh(
    mesh_dims: Dims | None = None,
    mesh_name: str = "",
    devices: Sequence[DeviceSpec | str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """A mesh of `devices`, by default all of `device_type`, by default CPU, with the dimensions `mesh_dims`.

    By default there is one dimension, `"x"`. The size of a single dimension may be -1: all devices.

    Raises: ValueError unless the mesh has as many places as there are devices.
    Source: TF 2.21 `tf.experimental.dtensor.create_mesh`.
    """
    specs, _ = specs_of(devices, device_type)
    dims = [("x", len(specs))] if mesh_dims is None else _listed(mesh_dims)
    if len(dims) == 1 and dims[0][1] == -1:
        dims = [(dims[0][0], len(specs))]
    sizes = [size for _, size in dims]
    if math.prod(sizes) != len(specs):
        raise ValueError(f"length of devices ({len(specs)}) must be equal to total size of the mesh of shape {sizes}")
    return _made(dims, specs, mesh_name, use_xla_spmd)


def create_distributed_mesh(
    mesh_dims: Dims,
    mesh_name: str = "",
    local_devices: Sequence[DeviceSpec | str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """A mesh of the `local_devices` of all processes, by default all of `device_type`, by default CPU.

    Raises: ValueError before `initialize_accelerator_system`, or unless the mesh has as many places as devices.
    Source: TF 2.21 `tf.experimental.dtensor.create_distributed_mesh`.
    """
    dims = _listed(mesh_dims)
    if not system.device_type:
        raise ValueError("Accelerators are uninitialized, please run dtensor.initialize_accelerator_system() first.")
    specs, _ = specs_of(local_devices, device_type)
    sizes = tuple([size for _, size in dims])
    if math.prod(sizes) != len(specs):
        raise ValueError(
            f"Global number of devices ({len(specs)} per client * {num_clients()} clients = {len(specs)}) must be "
            f"equal to total size of the mesh of shape {sizes}"
        )
    return _made(dims, specs, mesh_name, use_xla_spmd)


def create_tpu_mesh(
    mesh_dim_names: Sequence[str],
    mesh_shape: Sequence[int],
    mesh_name: str,
    ring_dims: int | None = None,
    ring_axes: Sequence[str] | None = None,
    ring_bounds: Sequence[int] | None = None,
    can_split_host_across_rings: bool = True,
    build_ring_across_rings: bool = False,
    rotate_ring_across_rings: bool = False,
    use_xla_spmd: bool = False,
) -> NoReturn:
    """Raises ValueError before a TPU is initialized, else NotImplementedError: `create_mesh` arranges TPUs.

    Source: TF 2.21 `tf.experimental.dtensor.create_tpu_mesh`.
    """
    del mesh_dim_names, mesh_shape, mesh_name, ring_dims, ring_axes, ring_bounds, can_split_host_across_rings
    del build_ring_across_rings, rotate_ring_across_rings, use_xla_spmd
    if system.device_type != "TPU":
        raise ValueError("Invalid TPU topology, run dtensor.initialize_tpu_system() first")
    raise NotImplementedError("tf.experimental.dtensor.create_tpu_mesh: use create_mesh(..., device_type='TPU').")


def barrier(mesh: Mesh, barrier_name: str | None = None, timeout_in_ms: int | None = None) -> None:
    """Waits until everything that is pending has been computed on the devices of `mesh`, and on all others.

    Source: TF 2.21 `tf.experimental.dtensor.barrier`.
    """
    del mesh, barrier_name, timeout_in_ms
    sync()


def _listed(dims: Dims) -> list[tuple[str, int]]:
    return list(dims.items()) if isinstance(dims, dict) else list(dims)


def _made(dims: Sequence[tuple[str, int]], specs: Sequence[DeviceSpec], name: str, use_xla_spmd: bool) -> Mesh:
    display.use()
    ids = np.arange(len(specs))
    shape = [size for _, size in dims]
    names = [dim for dim, _ in dims]
    return Mesh(names, ids.reshape(shape), ids.tolist(), list(specs), name, use_xla_spmd=use_xla_spmd)
