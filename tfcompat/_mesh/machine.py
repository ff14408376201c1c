"""The devices of this process and the processes of a cluster, as environment variables describe them."""

from __future__ import annotations

import os
from typing import Any

from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._core.tracing.trace import sync
from tfcompat._dropin.device import LogicalDeviceConfiguration, list_logical_devices, list_physical_devices
from tfcompat._dropin.logical_device import set_logical_device_configuration

_KINDS = ("CPU", "GPU", "TPU")
_ONE_PROCESS = "tf.experimental.dtensor: only one process is supported; unset DTENSOR_JOBS."


class _System:
    """The accelerator system.

    Attributes:
      device_type: the type that was initialized; "" before.
    """

    device_type = ""


system = _System()


def client_id() -> int:
    """The number of this process. Raises ValueError if `DTENSOR_CLIENT_ID` is out of range.

    Source: TF 2.21 `tf.experimental.dtensor.client_id`.
    """
    number = int(os.environ.get("DTENSOR_CLIENT_ID", "0"))
    if number < 0:
        raise ValueError(f"Environment variable DTENSOR_CLIENT_ID must be >= 0, got {number}. ")
    if number >= num_clients():
        raise ValueError(f"Environment variable DTENSOR_CLIENT_ID must be < {num_clients()}, got {number}")
    return number


def num_clients() -> int:
    """The number of processes. Source: TF 2.21 `tf.experimental.dtensor.num_clients`."""
    return len(jobs()) or 1


def job_name() -> str:
    """The name of the job of all processes. Source: TF 2.21 `tf.experimental.dtensor.job_name`."""
    return os.environ.get("DTENSOR_JOB_NAME", "localhost" if num_clients() == 1 else "worker")


def full_job_name(task_id: int | None = None) -> str:
    """The name of the job of process `task_id`, by default of this one.

    Raises: ValueError if there is no such process.
    Source: TF 2.21 `tf.experimental.dtensor.full_job_name`.
    """
    task = client_id() if task_id is None else task_id
    if num_clients() == 1 and task != 0:
        raise ValueError(f"Unexpected task ID {task} in local runs")
    return f"{job_name()}/replica:0/task:{task}"


def jobs() -> list[str]:
    """The addresses of all processes in `DTENSOR_JOBS`. Source: TF 2.21 `tf.experimental.dtensor.jobs`."""
    found = os.environ.get("DTENSOR_JOBS")
    return [] if found is None else found.split(",")


def heartbeat_enabled() -> bool:
    """Whether `DTENSOR_ENABLE_HEARTBEAT` is true, its default.

    Source: TF 2.21 `tf.experimental.dtensor.heartbeat_enabled`.
    """
    return os.environ.get("DTENSOR_ENABLE_HEARTBEAT", "true").lower() in ("true", "1")


def device_name() -> str:
    """The name of the device that stands for all meshes. Source: TF 2.21 `tf.experimental.dtensor.device_name`."""
    return f"/job:{full_job_name()}/device:CUSTOM:0"


def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """The devices of `device_type` of a process, by default of this one.

    Raises: ValueError for another type than CPU, GPU and TPU.
    Source: TF 2.21 `tf.experimental.dtensor.local_devices`.
    """
    if device_type.upper() not in _KINDS:
        raise ValueError(f"Device type {device_type} is not CPU, GPU, or TPU.")
    task = client_id() if for_client_id is None else for_client_id
    count = num_local_devices(device_type)
    return [DeviceSpec(job_name(), 0, task, device_type.upper(), index) for index in range(count)]


def num_local_devices(device_type: str) -> int:
    """The number of devices of `device_type` of this process.

    Source: TF 2.21 `tf.experimental.dtensor.num_local_devices`.
    """
    return len(list_logical_devices(device_type.upper()))


def num_global_devices(device_type: str) -> int:
    """The number of devices of `device_type` of all processes.

    Source: TF 2.21 `tf.experimental.dtensor.num_global_devices`.
    """
    return num_local_devices(device_type) * num_clients()


def preferred_device_type() -> str:
    """TPU, GPU or CPU: the first of which there is a device.

    Source: TF 2.21 `tf.experimental.dtensor.preferred_device_type`.
    """
    return next((kind for kind in reversed(_KINDS) if list_physical_devices(kind)), "CPU")


def initialize_accelerator_system(
    device_type: str | None = None,
    enable_coordination_service: bool | None = True,
    num_logical_cpu_devices: int | None = None,
    experimental_reset_context: bool | None = False,
    experimental_enable_megcore: bool | None = False,
) -> str:
    """Prepares devices of `device_type`, by default the preferred one; returns it.

    The CPU is divided into `num_logical_cpu_devices`, which must precede the first computation. Existing tensors stay
    valid, so `experimental_reset_context` changes nothing, nor does a service that connects processes.

    Raises: ValueError if it is called again, or for an unknown type; RuntimeError if the CPU must be divided after the
      first computation; NotImplementedError for several processes, and for `experimental_enable_megcore`.
    Source: TF 2.21 `tf.experimental.dtensor.initialize_accelerator_system`.
    """
    del enable_coordination_service, experimental_reset_context
    if experimental_enable_megcore:
        raise NotImplementedError(
            "tf.experimental.dtensor.initialize_accelerator_system: XLA chooses the mode of TPU cores; leave out "
            "experimental_enable_megcore."
        )
    if jobs():
        raise NotImplementedError(_ONE_PROCESS)
    if system.device_type:
        raise ValueError(
            "Accelerator system has already been initialized. Call "
            "tf.experimental.dtensor.shutdown_accelerator_system() first."
        )
    kind = (device_type or preferred_device_type()).upper()
    if kind not in _KINDS:
        raise ValueError(f"Unknown device_type {kind}. Allowed values are CPU, GPU, or TPU")
    if num_logical_cpu_devices is not None:
        if kind != "CPU" and num_logical_cpu_devices < num_local_devices(kind):
            raise ValueError(
                f"If set, `num_logical_cpu_devices` (={num_logical_cpu_devices}) must be greater than or equal to the "
                f"number of local {kind} devices (={num_local_devices(kind)})"
            )
        cpu = list_physical_devices("CPU")[0]
        set_logical_device_configuration(cpu, [LogicalDeviceConfiguration()] * num_logical_cpu_devices)
    system.device_type = kind
    return kind


def shutdown_accelerator_system() -> None:
    """Ends the use of the system after everything has been computed. Raises ValueError unless it was initialized.

    Source: TF 2.21 `tf.experimental.dtensor.shutdown_accelerator_system`.
    """
    sync()
    if not system.device_type:
        raise ValueError(
            "Accelerator system is not initialized. Call tf.experimental.dtensor.initialize_accelerator_system first."
        )
    system.device_type = ""


def specs_of(devices: Any, device_type: str | None) -> tuple[list[DeviceSpec], str]:
    """Full specifications of `devices`, by default all of `device_type`, and their type.

    Raises: ValueError if `devices` are of another type.
    """
    local = DeviceSpec(job_name(), 0, client_id())
    if devices is None:
        return local_devices(device_type or "CPU"), device_type or "CPU"
    specs = [DeviceSpec.from_string(device) if isinstance(device, str) else device for device in devices]
    kind = device_type or str(specs[0].device_type)
    if kind.upper() != str(specs[0].device_type).upper():
        raise ValueError(f"Conflicting devices {specs} and device_type {device_type}")
    return [local.make_merged_spec(spec) for spec in specs], kind
