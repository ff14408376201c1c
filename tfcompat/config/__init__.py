"""`tf.config`: devices; and, with `settings` and `immediate`, how programs are recorded."""

import typing as _typing

from tfcompat._core.config import immediate, settings
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.device import (
    LogicalDevice,
    PhysicalDevice,
    get_soft_device_placement,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_soft_device_placement,
    set_visible_devices,
)
from tfcompat._function.mode import functions_run_eagerly, run_functions_eagerly
from tfcompat.config import experimental

__all__ = [
    "LogicalDevice",
    "PhysicalDevice",
    "experimental",
    "functions_run_eagerly",
    "get_soft_device_placement",
    "get_visible_devices",
    "immediate",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_soft_device_placement",
    "set_visible_devices",
    "settings",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
