"""Arguments of ops on files: a string, and whole numbers."""

from __future__ import annotations

from typing import Any

from tfcompat._core.declare import integer
from tfcompat._core.error import InvalidArgumentError
from tfcompat._ops.text.element import strings


def content_of(function: str, contents: Any) -> bytes:
    """The bytes of `contents`, a scalar string."""
    text = strings(function, contents, "contents")
    if text.ndim:
        raise InvalidArgumentError.of(f"tf.{function}: `contents` must be scalar but got shape {text.shape}.")
    return text.numpy()


def whole(function: str, what: str, value: Any) -> int:
    """`value`, the argument `what`, as an integer."""
    found = integer(value)
    if found is None:
        raise TypeError(f"tf.{function}: {what} must be an integer, got None.")
    return found
