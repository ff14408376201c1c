"""Logical devices: several CPU devices, or a limit on a GPU's memory, set before the first computation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import jax

from tfcompat._core.system.device import started
from tfcompat._core.tracing.trace import here
from tfcompat._dropin.device import LogicalDeviceConfiguration, PhysicalDevice, choice, every
from tfcompat._jaxpr.postponement import postponed

_FRACTION = "XLA_PYTHON_CLIENT_MEM_FRACTION"
# The fraction of a GPU's memory that JAX allocates by default.
_SHARE = 0.75


def get_logical_device_configuration(device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
    """The logical devices that `set_logical_device_configuration` set for `device`; None if it was not called.

    Raises: ValueError if `device` is not a device of this machine.
    Source: TF 2.21 `tf.config.get_logical_device_configuration`.
    """
    _require_known(device)
    return choice.parts.get(device)


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Sequence[Any] | None) -> None:
    """Divides `device` into `logical_devices`: several devices for a CPU, one device with a `memory_limit` for a GPU.

    This restarts JAX, so it must precede the first computation.

    Raises: ValueError if `device` is not a device of this machine, or for a memory limit of a CPU; RuntimeError after
      the first computation; NotImplementedError for several devices of one GPU, and for priorities.
    Source: TF 2.21 `tf.config.set_logical_device_configuration`.
    """
    _require_known(device)
    parts = [LogicalDeviceConfiguration(*part) for part in logical_devices or ()]
    if parts == choice.parts.get(device, []):
        return
    if device.device_type == "CPU":
        _require_plain(parts)
        if not choice.is_reset:
            _restart()
            jax.config.update("jax_num_cpu_devices", max(len(parts), 1))
    else:
        fraction = _fraction(device, parts)
        _restart()
        os.environ[_FRACTION] = fraction
    choice.parts[device] = parts
    choice.is_reset = False
    every.cache_clear()


def reset() -> None:
    """Lets the program choose logical CPU devices again, which then share the devices that JAX has."""
    choice.is_reset = True


def _require_known(device: Any) -> None:
    if device not in every():
        raise ValueError(f"tf.config.set_logical_device_configuration: Unrecognized device: {device!r}")


def _require_plain(parts: Sequence[LogicalDeviceConfiguration]) -> None:
    for part in parts:
        for field, value in part._asdict().items():
            if value is not None:
                raise ValueError(f"Setting {field.replace('_', ' ')} on CPU virtual devices is currently not supported")


def _fraction(device: PhysicalDevice, parts: Sequence[LogicalDeviceConfiguration]) -> str:
    """The fraction of the memory of `device` for its only logical device, as JAX's environment variable."""
    if len(parts) > 1 or any(part[1:] != (None, None) for part in parts):
        raise NotImplementedError(
            "tf.config.set_logical_device_configuration: XLA cannot divide a GPU, and has no priorities; pass one "
            f"LogicalDeviceConfiguration with a memory_limit, got {parts}."
        )
    limit = parts[0].memory_limit if parts else None
    if limit is None:
        return str(_SHARE)
    whole = every()[device][0].memory_stats()["bytes_limit"] / float(os.environ.get(_FRACTION, _SHARE))
    return f"{(limit << 20) / whole:.6f}"


def _restart() -> None:
    """Makes JAX discover its devices again. Raises RuntimeError if arrays exist on devices."""
    here.trace.flush("device")
    if jax.live_arrays() or choice.default is not None:
        raise RuntimeError(
            "Virtual devices cannot be modified after being initialized; call "
            "tf.config.set_logical_device_configuration before the first computation."
        )
    with postponed():
        from jax.extend.backend import clear_backends

        started.cache_clear()
        clear_backends()
