"""`tf.compat`: conversions of strings, paths and dimensions, and the classes that count as numbers and strings."""

from __future__ import annotations

import codecs
import contextlib
import datetime
import numbers
import os
from collections.abc import Generator
from typing import Any

import numpy as np

from tfcompat._core.types.dimension import Dimension
from tfcompat._core.types.shape import TensorShape

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)


class _Horizon:
    """The day after which saved programs need not be readable by older versions."""

    first = datetime.date(2026, 1, 16)
    day = first


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether the date `year`, `month`, `day` is before the horizon of forward compatibility.

    Source: TF 2.21 `tf.compat.forward_compatible`.
    """
    return (_Horizon.day.year, _Horizon.day.month, _Horizon.day.day) > (year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Generator[None]:
    """A context in which the horizon of forward compatibility is the date `year`, `month`, `day`, if that is later.

    Source: TF 2.21 `tf.compat.forward_compatibility_horizon`.
    """
    _Horizon.day = max(datetime.date(year, month, day), _Horizon.first)
    try:
        yield
    finally:
        _Horizon.day = _Horizon.first


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """`bytes_or_text` itself if it is bytes, or encoded if it is text.

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
    """`bytes_or_text` itself if it is text, or decoded if it is bytes.

    Raises: TypeError if it is neither; LookupError for an unknown encoding; UnicodeDecodeError if decoding fails.
    Source: TF 2.21 `tf.compat.as_text`.
    """
    name = codecs.lookup(encoding).name
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(name)
    raise TypeError(f"tf.compat.as_text: Expected binary or unicode string, got {bytes_or_text!r}")


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """`value` decoded if it is bytes, else `str(value)`.

    Raises: UnicodeDecodeError if decoding fails.
    Source: TF 2.21 `tf.compat.as_str_any`.
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """The text of `path` if it is an `os.PathLike`, else `path` itself.

    Source: TF 2.21 `tf.compat.path_to_str`.
    """
    return as_str_any(os.fspath(path)) if isinstance(path, os.PathLike) else path


def dimension_value(dimension: Any) -> Any:
    """The number, or None, in `dimension`; `dimension` itself if it is not a `Dimension`.

    Source: TF 2.21 `tf.compat.dimension_value`.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """The dimension of `shape` at `index`; an unknown dimension if the rank is unknown.

    Raises: AssertionError if shape is not a `tf.TensorShape`; IndexError if `index` is out of range.
    Source: TF 2.21 `tf.compat.dimension_at_index`.
    """
    assert isinstance(shape, TensorShape), (
        f"tf.compat.dimension_at_index: shape must be a tf.TensorShape, got {shape!r}."
    )
    return Dimension(None) if shape.dims is None else shape.dims[index]
