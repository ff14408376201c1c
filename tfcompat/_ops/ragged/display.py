"""Ragged tensors as text."""

from __future__ import annotations

from typing import Any

import numpy as np


def ragged_text(rows: Any) -> str:
    """Rows as TensorFlow prints them: NumPy's text of nested arrays, with commas."""
    with np.printoptions(formatter={"all": _text}):
        return _text(rows)


def _text(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    # NumPy prints no empty rows inside of an empty array.
    return np.array2string(value, separator=", ") if value.size else repr(value.tolist())
