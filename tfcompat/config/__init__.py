"""`tf.config`: devices, and with `settings` and `immediate`, the recording of programs."""

import typing as _typing

from tfcompat._core.system.config import immediate, settings
from tfcompat._distribute.cluster import experimental_connect_to_cluster
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.device import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    get_soft_device_placement,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_soft_device_placement,
    set_visible_devices,
)
from tfcompat._dropin.logical_device import get_logical_device_configuration, set_logical_device_configuration
from tfcompat._function.graphs.mode import functions_run_eagerly, run_functions_eagerly
from tfcompat._function.graphs.mode import functions_run_eagerly as experimental_functions_run_eagerly
from tfcompat._function.graphs.mode import run_functions_eagerly as experimental_run_functions_eagerly
from tfcompat.config import experimental, optimizer, threading

__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_connect_to_cluster",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "immediate",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "settings",
    "threading",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
