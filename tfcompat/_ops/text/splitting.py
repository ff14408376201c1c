"""Splitting of strings at separators and into bytes."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.declare import integer
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.text.element import strings
from tfcompat._ops.text.row import cut, rows_of


@by_row("input", "sep", specs=lambda input, **_: rows_of(input))
def split(input: Any, sep: Any = None, maxsplit: Any = -1, name: str | None = None) -> Any:
    """The parts of each string of `input` between separators `sep`; at runs of white space if it is None or empty.

    Only the first `maxsplit` separators are used, unless it is negative.

    Shapes: [] -> [parts]; [*dims] -> [*dims, (parts)], a ragged tensor.
    Dtypes: string -> string.
    Raises: InvalidArgumentError if sep is not a scalar.
    Source: TF 2.21 `tf.strings.split`.
    """
    del name
    separator = strings("strings.split", b"" if sep is None else sep, "sep")
    if separator.ndim:
        raise InvalidArgumentError.of(f"tf.strings.split: sep must be a scalar, got shape {separator.shape}.")
    mark, count = separator.numpy(), integer(maxsplit)
    most = -1 if count is None else count
    return cut("strings.split", input, lambda text: text.split(mark, most) if mark else _words(text, most))


def _words(text: bytes, most: int) -> list[bytes]:
    """The parts of `text` between white space. The rest after the last split counts even if it is empty."""
    if most == 0:
        return [text]
    words = text.split(None, most)
    return [*words, b""] if len(words) == most else words


@by_row("input", specs=lambda input, **_: rows_of(input))
def bytes_split(input: Any, name: str | None = None) -> Any:
    """The bytes of each string of `input`, as strings.

    Shapes: [] -> [bytes]; [*dims] -> [*dims, (bytes)], a ragged tensor.
    Dtypes: string -> string.
    Raises: InvalidArgumentError for another dtype.
    Source: TF 2.21 `tf.strings.bytes_split`.
    """
    del name
    return cut("strings.bytes_split", input, lambda text: [bytes((byte,)) for byte in text])
