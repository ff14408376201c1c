"""`tf.test.experimental`: waiting for devices."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._testing.machine import sync_devices

__all__ = ["sync_devices"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
