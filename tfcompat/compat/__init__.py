"""`tf.compat`: conversions for old and new Python, and TensorFlow 1 and 2 by version."""

import typing as _typing

import tfcompat as v2
from tfcompat._dropin.absence import absence as _absence
from tfcompat._dropin.absence import directory as _directory
from tfcompat._dropin.compatibility import (
    as_bytes,
    as_str_any,
    as_text,
    bytes_or_text_types,
    complex_types,
    dimension_at_index,
    dimension_value,
    forward_compatibility_horizon,
    forward_compatible,
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
    "forward_compatibility_horizon",
    "forward_compatible",
    "integral_types",
    "path_to_str",
    "real_types",
    "v1",
    "v2",
]

if _typing.TYPE_CHECKING:
    from tfcompat.compat import v1
else:
    __getattr__, __dir__ = _absence(__name__), _directory(__name__)
