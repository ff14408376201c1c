"""Ragged tensors as text."""

from __future__ import annotations

from typing import Any

import numpy as np


def ragged_text(rows: Any) -> str:
    """Rows in TensorFlow's format: NumPy's text of nested arrays, with commas."""
    with np.printoptions(formatter={"all": _text}):
        return _text(rows)


def _text(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    # NumPy omits empty rows inside an empty array.
    return np.array2string(value, separator=", ") if value.size else repr(value.tolist())


def summary_of(rows: Any, count: int) -> str:
    """Nested lists in the format of `tf.print`: `count` elements at either end of an axis; if negative, all."""
    if not isinstance(rows, list):
        return _element(rows)
    items = rows if count < 0 or len(rows) <= 2 * count else [*rows[:count], None, *rows[len(rows) - count :]]
    return f"[{', '.join('...' if item is None else summary_of(item, count) for item in items)}]"


def _element(value: Any) -> str:
    """One element, as `tf.strings.as_string` writes it."""
    if isinstance(value, bytes):
        return f"'{value.decode(errors='backslashreplace')}'"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, complex):
        return f"({value.real:.6f},{value.imag:.6f})"
    return f"{value:.6f}" if isinstance(value, float) else str(value)
