"""`tf.experimental.dtensor`: tensors divided over a mesh of devices."""

import sys as _sys
import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.publication import publish as _publish
from tfcompat._mesh.checkpoint import DTensorCheckpoint
from tfcompat._mesh.creation import barrier, create_distributed_mesh, create_mesh, create_tpu_mesh
from tfcompat._mesh.dataset import DTensorDataset
from tfcompat._mesh.layout import MATCH, UNSHARDED, Layout
from tfcompat._mesh.machine import (
    client_id,
    device_name,
    full_job_name,
    heartbeat_enabled,
    initialize_accelerator_system,
    job_name,
    jobs,
    local_devices,
    num_clients,
    num_global_devices,
    num_local_devices,
    preferred_device_type,
    shutdown_accelerator_system,
)
from tfcompat._mesh.machine import initialize_accelerator_system as initialize_multi_client
from tfcompat._mesh.machine import initialize_accelerator_system as initialize_tpu_system
from tfcompat._mesh.machine import shutdown_accelerator_system as shutdown_tpu_system
from tfcompat._mesh.mesh import Mesh
from tfcompat._mesh.scope import call_with_layout, default_mesh, get_default_mesh, run_on
from tfcompat._mesh.transfer import (
    check_layout,
    copy_to_mesh,
    fetch_layout,
    is_dtensor,
    pack,
    relayout,
    relayout_like,
    unpack,
)
from tfcompat._mesh.variable import DVariable, enable_save_as_bf16

__all__ = [
    "MATCH",
    "UNSHARDED",
    "DTensorCheckpoint",
    "DTensorDataset",
    "DVariable",
    "Layout",
    "Mesh",
    "barrier",
    "call_with_layout",
    "check_layout",
    "client_id",
    "copy_to_mesh",
    "create_distributed_mesh",
    "create_mesh",
    "create_tpu_mesh",
    "default_mesh",
    "device_name",
    "enable_save_as_bf16",
    "fetch_layout",
    "full_job_name",
    "get_default_mesh",
    "heartbeat_enabled",
    "initialize_accelerator_system",
    "initialize_multi_client",
    "initialize_tpu_system",
    "is_dtensor",
    "job_name",
    "jobs",
    "local_devices",
    "num_clients",
    "num_global_devices",
    "num_local_devices",
    "pack",
    "preferred_device_type",
    "relayout",
    "relayout_like",
    "run_on",
    "shutdown_accelerator_system",
    "shutdown_tpu_system",
    "unpack",
]

_publish(_sys.modules[__name__])

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
