"""`tf.compat.v1.dtypes`: what of it still means something."""

import typing as _typing

from tfcompat import (
    DType,
    as_dtype,
    as_string,
    bfloat16,
    bool,
    cast,
    complex,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    resource,
    saturate_cast,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from tfcompat._dropin.absence import absence as _absence
from tfcompat.compat.v1.dtypes import experimental

__all__ = [
    "DType",
    "as_dtype",
    "as_string",
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
