"""`tf.compat`: conversions for old and new Python, and TensorFlow 2 under its longer name."""

import typing as _typing

import tfcompat as v2
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.compatibility import (
    as_bytes,
    as_str_any,
    as_text,
    bytes_or_text_types,
    complex_types,
    dimension_at_index,
    dimension_value,
    integral_types,
    path_to_str,
    real_types,
)
from tfcompat._dropin.compatibility import as_text as as_str

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "dimension_at_index",
    "dimension_value",
    "integral_types",
    "path_to_str",
    "real_types",
    "v2",
]

if not _typing.TYPE_CHECKING:
    __getattr__ = _absence(__name__)
