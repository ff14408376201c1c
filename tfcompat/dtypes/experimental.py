"""`tf.dtypes.experimental`: narrow element types."""

import typing as _typing

from tfcompat._core.types.dtype import (
    float4_e2m1fn,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    int2,
    int4,
    uint2,
    uint4,
)
from tfcompat._dropin.absence import absence as _absence

__all__ = [
    "float4_e2m1fn",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "int2",
    "int4",
    "uint2",
    "uint4",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
