"""`tf.sysconfig`: how this was built."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.testing.machine import get_build_info

__all__ = ["get_build_info"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
