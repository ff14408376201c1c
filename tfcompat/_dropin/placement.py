"""`tf.device`: the device of the ops in a context."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Generator
from typing import Any

import jax

from tfcompat._core.system.device_spec import DeviceSpec
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._dropin.device import Device, LogicalDevice, choice, default_device, find, list_logical_devices


def device(device_name: Any) -> contextlib.AbstractContextManager[None]:
    """A context whose ops are computed on the device called `device_name`: "/GPU:0", "/device:CPU:0", or None for any.

    The default device replaces a device that does not exist, unless `tf.config.set_soft_device_placement(False)`.

    Raises: RuntimeError for a function; on entering, ValueError if `device_name` is not a valid device name,
      InvalidArgumentError if it names another process, or, without soft placement, a device that doesn't exist.
    Source: TF 2.21 `tf.device`.
    """
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    return _Placement(_name_of(device_name))


def is_current(name: str) -> bool:
    """Whether the ops of the running code are computed on the device `name`. Errors: those of `device`."""
    chosen = jax.config.jax_default_device  # pyright: ignore[reportAttributeAccessIssue]
    return _resolve(name) == (chosen or default_device())


def device_of(device_name: Any) -> Device:
    """JAX's device that `device_name` stands for in `device`, with the errors of that context."""
    return _resolve(_name_of(device_name))


def current_spec() -> DeviceSpec:
    """The device that the nearest `device` context has chosen; an empty specification outside of all, or for any."""
    chosen = jax.config.jax_default_device  # pyright: ignore[reportAttributeAccessIssue]
    if chosen is None:
        return DeviceSpec()
    return DeviceSpec("localhost", 0, 0, chosen.platform.upper(), chosen.id)


class _Placement:
    """The context that `device` returns. It may be entered again."""

    def __init__(self, name: Any) -> None:
        self._name = name
        self._entered: list[contextlib.AbstractContextManager[None]] = []

    def __enter__(self) -> None:
        target = _resolve(self._name)
        chosen = jax.config.jax_default_device  # pyright: ignore[reportAttributeAccessIssue]
        current = chosen or default_device()
        context = contextlib.nullcontext() if target == current else _computing_on(target)
        context.__enter__()
        self._entered.append(context)

    def __exit__(self, *raised: Any) -> None:
        self._entered.pop().__exit__(*raised)


@contextlib.contextmanager
def _computing_on(target: Device) -> Generator[None]:
    """A context on `target` that flushes the trace at its beginning and end."""
    here.trace.flush("device")
    with jax.default_device(target):
        try:
            yield
        finally:
            here.trace.flush("device")


def _name_of(device_name: Any) -> Any:
    if isinstance(device_name, LogicalDevice):
        return device_name.name
    return device_name.to_string() if isinstance(device_name, DeviceSpec) else device_name


# A strategy enters its device for each step.
_spec = functools.cache(DeviceSpec.from_string)


def _resolve(name: Any) -> Device:
    if name is None:
        return default_device()
    if not isinstance(name, str):
        raise ValueError(f"tf.device: Expecting a string device name. Got {type(name)}({name})")
    spec = _spec(name)
    if spec.job not in (None, "localhost") or spec.replica or spec.task:
        raise InvalidArgumentError.of(f"tf.device: {name!r} is an unknown device; only devices of this process exist.")
    if spec.device_type is None:
        return default_device()
    found = find(spec.device_type, spec.device_index or 0)
    if found is None and not choice.is_soft:
        present = ", ".join(device.name for device in list_logical_devices())
        raise InvalidArgumentError.of(f"Could not satisfy device specification {name!r}; available devices: {present}.")
    return found or default_device()
