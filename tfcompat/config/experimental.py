"""`tf.config.experimental`: devices."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.device import (
    get_memory_growth,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_memory_growth,
    set_visible_devices,
)

__all__ = [
    "get_memory_growth",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_memory_growth",
    "set_visible_devices",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
