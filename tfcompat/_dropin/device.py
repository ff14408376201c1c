"""TensorFlow's names for JAX's devices: `tf.config.list_physical_devices` and its relatives."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax

from tfcompat._core.system.device import start
from tfcompat._core.tracing.trace import here

# jax.Device, which type checkers do not accept as a type.
Device = Any

_GROWTH = "XLA_PYTHON_CLIENT_PREALLOCATE"
_GPU_PLATFORMS = ("gpu", "cuda", "rocm")


class PhysicalDevice(NamedTuple):
    """A device of this machine, `/physical_device:GPU:0`. Source: TF 2.21 `tf.config.PhysicalDevice`."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """The configuration of a logical device; `memory_limit` is in MiB.

    Source: TF 2.21 `tf.config.LogicalDeviceConfiguration`.
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


class LogicalDevice(NamedTuple):
    """A device that programs may use, `/device:GPU:0`. Source: TF 2.21 `tf.config.LogicalDevice`."""

    name: str
    device_type: str


@dataclass
class _Choice:
    """The choices of the program.

    Attributes:
      visible: for each restricted type, the devices that may be used.
      default: the device of ops outside `tf.device`; None for JAX's default.
      is_soft: whether the default replaces a device that does not exist.
      parts: the logical devices into which physical devices were divided.
      is_reset: whether logical devices may be chosen again, for the devices that JAX has.
    """

    visible: dict[str, list[PhysicalDevice]]
    parts: dict[PhysicalDevice, list[LogicalDeviceConfiguration]]
    default: Device | None = None
    is_soft: bool = True
    is_reset: bool = False


choice = _Choice({}, {})


class _Found(NamedTuple):
    """JAX's visible devices, by the types that have been looked up.

    Attributes:
      every, visible: all devices and the visible ones, from which `devices` were found.
    """

    every: Any
    visible: Any
    devices: dict[str, list[Device]]


class _Latest:
    found = _Found(None, None, {})


_latest = _Latest()


def default_device() -> Device:
    """The device of ops outside `tf.device`."""
    start()
    return choice.default or jax.local_devices()[0]


def find(device_type: str, index: int) -> Device | None:
    """JAX's device for `/device:TYPE:INDEX`, if it exists and is visible."""
    found = _latest.found
    if found.every is not every() or found.visible is not choice.visible:
        found = _latest.found = _Found(every(), choice.visible, {})
    chosen = found.devices.get(device_type)
    if chosen is None:  # a strategy asks at each step
        chosen = [part for device in get_visible_devices(device_type) for part in every()[device]]
        found.devices[device_type] = chosen
    return chosen[index] if index < len(chosen) else None


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine, or those whose type is `device_type`: CPU, GPU or TPU.

    Source: TF 2.21 `tf.config.list_physical_devices`.
    """
    return [device for device in every() if device_type in (None, device.device_type)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that programs may use, or those whose type is `device_type`.

    Source: TF 2.21 `tf.config.list_logical_devices`.
    """
    counts: dict[str, int] = {}
    found: list[LogicalDevice] = []
    for device in get_visible_devices(device_type):
        kind = device.device_type
        for _ in every()[device]:
            found.append(LogicalDevice(f"/device:{kind}:{counts.setdefault(kind, 0)}", kind))
            counts[kind] += 1
    return found


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine that programs may use, or those whose type is `device_type`.

    Source: TF 2.21 `tf.config.get_visible_devices`.
    """
    devices = list_physical_devices(device_type)
    return [device for device in devices if device in choice.visible.get(device.device_type, devices)]


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Restricts programs to `devices`, of all types or only of the type `device_type`.

    The first of them, an accelerator before a CPU, becomes JAX's default device.

    Raises: ValueError for a device of another machine or type; RuntimeError if no device would be visible.
    Source: TF 2.21 `tf.config.set_visible_devices`.
    """
    chosen: Sequence[Any] = devices if isinstance(devices, list) else [devices]
    for device in chosen:
        if device not in list_physical_devices(device_type):
            raise ValueError(f"tf.config.set_visible_devices: Unrecognized device: {device!r}")
    kinds = {device.device_type for device in every()} if device_type is None else {device_type}
    visible = choice.visible | {kind: [device for device in chosen if device.device_type == kind] for kind in kinds}
    usable = [device for device in every() if device in visible.get(device.device_type, (device,))]
    if not usable:
        raise RuntimeError("tf.config.set_visible_devices: no device would be left to compute on.")
    choice.visible = visible
    first = every()[min(usable, key=lambda device: device.device_type == "CPU")][0]
    if first != default_device():
        here.trace.flush("device")
        choice.default = first
        jax.config.update("jax_default_device", first)


def get_soft_device_placement() -> bool:
    """Whether `tf.device` replaces a device that does not exist with the default device.

    Source: TF 2.21 `tf.config.get_soft_device_placement`.
    """
    return choice.is_soft


def set_soft_device_placement(enabled: bool) -> None:
    """Sets whether `tf.device` replaces a device that does not exist with the default device, or raises.

    Source: TF 2.21 `tf.config.set_soft_device_placement`.
    """
    choice.is_soft = bool(enabled)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Checks that the memory of the GPU `device` is allocated on demand, or with `enable=False` in advance.

    JAX makes this choice for all GPUs when it starts. Programs that list the devices first get allocation on demand,
    unless the environment variable XLA_PYTHON_CLIENT_PREALLOCATE is set.

    Raises: ValueError if `device` is not a GPU of this machine; RuntimeError if JAX has started with the other setting.
    Source: TF 2.21 `tf.config.experimental.set_memory_growth`.
    """
    if get_memory_growth(device) != bool(enable):
        remedy = f"set the environment variable {_GROWTH}={'false' if enable else 'true'} before the program starts"
        raise RuntimeError(f"Physical devices cannot be modified after being initialized; {remedy}.")


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Whether the memory of the GPU `device` is allocated on demand.

    Raises: ValueError if `device` is not a GPU of this machine.
    Source: TF 2.21 `tf.config.experimental.get_memory_growth`.
    """
    if device not in every():
        raise ValueError(f"tf.config.experimental: Unrecognized device: {device!r}")
    if device.device_type != "GPU":
        raise ValueError(f"tf.config.experimental: cannot set memory growth on non-GPU devices, got {device!r}.")
    return os.environ.get(_GROWTH, "true").lower() in ("false", "0")


@functools.cache
def every() -> dict[PhysicalDevice, list[Device]]:
    """This machine's devices, CPUs first, each with its JAX devices."""
    os.environ.setdefault(_GROWTH, "false")
    start()
    found: dict[PhysicalDevice, list[Device]] = {}
    counts: dict[str, int] = {}
    for parts in (*_cpus(), *([device] for device in jax.local_devices() if device.platform != "cpu")):
        kind = "GPU" if parts[0].platform in _GPU_PLATFORMS else parts[0].platform.upper()
        found[PhysicalDevice(f"/physical_device:{kind}:{counts.setdefault(kind, 0)}", kind)] = parts
        counts[kind] += 1
    return found


def _cpus() -> list[list[Device]]:
    """The JAX devices of each CPU."""
    try:
        devices = jax.local_devices(backend="cpu")
    except RuntimeError:
        # JAX_PLATFORMS does not contain the CPU.
        return []
    counts = [len(parts) for device, parts in choice.parts.items() if device.device_type == "CPU"]
    # After a reset there may be more logical devices than JAX has; they share JAX's.
    return [(devices * max(1, *counts))[: max(1, *counts)]] if counts else [[device] for device in devices]
