"""Strings in control flow: they are on the host, and a program only computes which of them is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.host_call import computed, is_later
from tfcompat._core.calls.text import is_text
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import string


def shown(text: Tensor) -> str:
    """The strings of `text`, for messages."""
    return "a string known only at run time" if is_later(text) else repr(np.asarray(text._value()).tolist())


def is_same_text(one: Any, other: Any) -> bool:
    """Whether both are tensors of the same strings, known while tracing."""
    if one is other:
        return True
    if not is_text(one) or not is_text(other) or one._aval is not other._aval or is_later(one) or is_later(other):
        return False
    return np.array_equal(np.asarray(one._value()), np.asarray(other._value()))


def chosen_text(op: str, index: Tensor, texts: Sequence[Tensor], parts: Sequence[Sequence[Tensor]]) -> Tensor:
    """The element `index` of `texts`, string tensors of one shape; the last if `index` is out of range.

    `parts` are, for each text, the tensors that it is computed from and that have values only in a call.
    """
    makers: list[Callable[..., np.ndarray]] = [
        text._trace.compute if is_later(text) else np.asarray(text._value()).copy for text in texts
    ]
    counts = [len(inputs) for inputs in parts]

    def choose(number: np.ndarray, *arrays: np.ndarray) -> np.ndarray:
        k = int(number) if 0 <= int(number) < len(makers) else len(makers) - 1
        first = sum(counts[:k])
        return makers[k](*arrays[first : first + counts[k]])

    inputs = [index, *[x for tensors in parts for x in tensors]]
    return computed(op, choose, inputs, texts[0]._aval.shape, string)
