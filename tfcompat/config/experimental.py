"""`tf.config.experimental`: devices, their memory, and their numerics."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.device import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from tfcompat._dropin.device import (
    get_memory_growth,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_memory_growth,
    set_visible_devices,
)
from tfcompat._dropin.device_detail import (
    get_device_details,
    get_memory_info,
    get_memory_usage,
    reset_memory_stats,
)
from tfcompat._dropin.logical_device import get_logical_device_configuration as get_virtual_device_configuration
from tfcompat._dropin.logical_device import set_logical_device_configuration as set_virtual_device_configuration
from tfcompat._dropin.setting import (
    disable_mlir_bridge,
    enable_mlir_bridge,
    enable_op_determinism,
    enable_tensor_float_32_execution,
    get_device_policy,
    get_synchronous_execution,
    set_device_policy,
    set_synchronous_execution,
    tensor_float_32_execution_enabled,
)

__all__ = [
    "VirtualDeviceConfiguration",
    "disable_mlir_bridge",
    "enable_mlir_bridge",
    "enable_op_determinism",
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
