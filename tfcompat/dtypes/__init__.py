"""`tf.dtypes`: element types."""

import typing as _typing

from tfcompat._core.types.dtype import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tfcompat._core.types.dtype import bool_ as bool
from tfcompat._core.types.dtype import float16 as half
from tfcompat._core.types.dtype import float64 as double
from tfcompat._dropin.absence import absence as _absence
from tfcompat._ops.elementwise.complex_number import complex
from tfcompat._ops.elementwise.rounding import cast, saturate_cast
from tfcompat.dtypes import experimental

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "cast",
    "complex",
    "complex64",
    "complex128",
    "double",
    "experimental",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "resource",
    "saturate_cast",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "variant",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
