"""Properties of devices: `tf.config.experimental.get_memory_info` and related functions."""

from __future__ import annotations

from typing import Any

from tfcompat._dropin.device import Device, PhysicalDevice, every, find


def get_memory_info(device: str) -> dict[str, int]:
    """The bytes in use on `device`, such as "GPU:0": now ("current"), and the most so far ("peak").

    A CPU's memory is not counted: both are 0.

    Raises: ValueError if `device` names none.
    Source: TF 2.21 `tf.config.experimental.get_memory_info`.
    """
    stats = _found("get_memory_info", device).memory_stats() or {}
    return {"current": stats.get("bytes_in_use", 0), "peak": stats.get("peak_bytes_in_use", 0)}


def get_memory_usage(device: str) -> int:
    """The bytes in use on `device`, such as "GPU:0"; 0 for a CPU.

    Raises: ValueError if `device` names none.
    Source: TF 2.21 `tf.config.experimental.get_memory_usage`.
    """
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Resets the peak in `get_memory_info` of `device`. Has no effect for a CPU, whose memory is not counted.

    Raises: ValueError if `device` names none; NotImplementedError for an accelerator, whose peak JAX cannot reset.
    Source: TF 2.21 `tf.config.experimental.reset_memory_stats`.
    """
    if _found("reset_memory_stats", device).memory_stats() is not None:
        raise NotImplementedError(
            f"tf.config.experimental.reset_memory_stats: JAX cannot reset the peak of {device!r}."
        )


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """The `device_name` and `compute_capability` of a GPU; empty for other devices.

    Raises: ValueError if `device` is not in `tf.config.list_physical_devices()`.
    Source: TF 2.21 `tf.config.experimental.get_device_details`.
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    if device not in every():
        raise ValueError(
            f"The PhysicalDevice must be one obtained from calling `tf.config.list_physical_devices`, but got: {device}"
        )
    if device.device_type != "GPU":
        return {}
    found = every()[device][0]
    details: dict[str, Any] = {"device_name": found.device_kind}
    if hasattr(found, "compute_capability"):
        details["compute_capability"] = tuple(map(int, found.compute_capability.split(".")))
    return details


def _found(name: str, device: str) -> Device:
    parts = device.removeprefix("/device:").split(":")
    if len(parts) != 2 or not parts[1].isdecimal():
        raise ValueError(
            f"tf.config.experimental.{name}: Failed parsing device name: {device!r}. It must hold a type and an index, "
            "such as 'GPU:0'."
        )
    found = find(parts[0].upper(), int(parts[1]))
    if found is None:
        raise ValueError(f"tf.config.experimental.{name}: No matching devices found for {device!r}")
    return found
