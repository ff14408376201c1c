"""`tf.compat.v1.config.experimental`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.config import get_visible_devices, list_logical_devices, list_physical_devices, set_visible_devices
from tfcompat.config.experimental import (
    VirtualDeviceConfiguration,
    disable_mlir_bridge,
    enable_mlir_bridge,
    enable_tensor_float_32_execution,
    get_device_details,
    get_device_policy,
    get_memory_growth,
    get_memory_info,
    get_memory_usage,
    get_synchronous_execution,
    get_virtual_device_configuration,
    reset_memory_stats,
    set_device_policy,
    set_memory_growth,
    set_synchronous_execution,
    set_virtual_device_configuration,
    tensor_float_32_execution_enabled,
)

__all__ = [
    "VirtualDeviceConfiguration",
    "disable_mlir_bridge",
    "enable_mlir_bridge",
    "enable_tensor_float_32_execution",
    "get_device_details",
    "get_device_policy",
    "get_memory_growth",
    "get_memory_info",
    "get_memory_usage",
    "get_synchronous_execution",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "reset_memory_stats",
    "set_device_policy",
    "set_memory_growth",
    "set_synchronous_execution",
    "set_virtual_device_configuration",
    "set_visible_devices",
    "tensor_float_32_execution_enabled",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
