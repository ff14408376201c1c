"""Arguments of ops on files: a string, and whole numbers."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integer
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import string


def content_of(function: str, contents: Any) -> bytes:
    """The bytes of `contents`, a scalar string."""
    text = convert_to_tensor(contents, string)
    if text.ndim:
        raise InvalidArgumentError.of(f"tf.{function}: `contents` must be scalar but got shape {text.shape}.")
    return text.numpy()


def whole(function: str, what: str, value: Any) -> int:
    """`value`, the argument `what`, as an integer."""
    found = integer(value)
    if found is None:
        raise TypeError(f"tf.{function}: {what} must be an integer, got None.")
    return found
