"""`tf.compat`: conversions of strings, paths and dimensions, and the classes that count as numbers and strings."""

from __future__ import annotations

import codecs
import numbers
import os
from typing import Any

import numpy as np

from tfcompat._core.dimension import Dimension
from tfcompat._core.shape import TensorShape

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """The bytes `bytes_or_text`, or those that encode it as text.

    Raises: TypeError if it is neither; LookupError for an unknown encoding.
    Source: TF 2.21 `tf.compat.as_bytes`.
    """
    name = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(name)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f"tf.compat.as_bytes: Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """The text `bytes_or_text`, or that which it encodes as bytes.

    Raises: TypeError if it is neither; LookupError for an unknown encoding; UnicodeDecodeError if it encodes none.
    Source: TF 2.21 `tf.compat.as_text`.
    """
    name = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(name)
    raise TypeError(f"tf.compat.as_text: Expected binary or unicode string, got {bytes_or_text!r}")


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """The text that `value` encodes if it is bytes, else `str(value)`.

    Raises: UnicodeDecodeError if bytes encode no text.
    Source: TF 2.21 `tf.compat.as_str_any`.
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """The text of `path` if it stands for a place in the file system, else itself.

    Source: TF 2.21 `tf.compat.path_to_str`.
    """
    return as_str_any(os.fspath(path)) if isinstance(path, os.PathLike) else path


def dimension_value(dimension: Any) -> Any:
    """The number, or None, that `dimension` holds; itself if it is no `Dimension`.

    Source: TF 2.21 `tf.compat.dimension_value`.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """The dimension of `shape` at `index`; an unknown one if the rank is not known.

    Raises: AssertionError if shape is no `tf.TensorShape`; IndexError if it has no such dimension.
    Source: TF 2.21 `tf.compat.dimension_at_index`.
    """
    assert isinstance(shape, TensorShape), (
        f"tf.compat.dimension_at_index: shape must be a tf.TensorShape, got {shape!r}."
    )
    return Dimension(None) if shape.dims is None else shape.dims[index]
