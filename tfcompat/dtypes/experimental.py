"""`tf.dtypes.experimental`: narrow element types."""

import typing as _typing

from tfcompat._core.dtype import float8_e4m3fn, float8_e5m2, int4, uint4
from tfcompat._dropin.absence import absence as _absence

__all__ = ["float8_e4m3fn", "float8_e5m2", "int4", "uint4"]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
