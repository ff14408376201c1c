"""`tf.experimental.dlpack`: arrays of other libraries."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.dlpack import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
