"""`tf.compat.v1.dtypes.experimental`: what of it still means something."""

import typing as _typing

from tfcompat._dropin.absence import absence as _absence
from tfcompat.dtypes.experimental import (
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
