"""Formatting of a template with the values of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor, is_tensor
from tfcompat._core.calls.host_call import computed
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import string
from tfcompat._ops.debugging.printing import summary
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.text.element import array_of
from tfcompat._ops.text.number import as_string


def format(template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None) -> Tensor:
    """The string `template` with the tensors of the list `inputs` written in place of the `placeholder`s.

    `summarize` elements are shown at either end of each axis, all if it is negative.

    Shapes: any -> [].
    Dtypes: any -> string.
    Raises: ValueError if the numbers of inputs and placeholders differ.
    Source: TF 2.21 `tf.strings.format`.
    """
    del name
    listed = [inputs] if is_tensor(inputs) else inputs
    if template.count(placeholder) != len(listed):
        raise ValueError(
            f"tf.strings.format: the template expects {template.count(placeholder)} tensors, but the inputs only has "
            f"{len(listed)}."
        )
    tensors = [_written(one, int(summarize)) for one in listed]
    texts = template.split(placeholder)

    def compute(*arrays: np.ndarray) -> np.ndarray:
        shown = [
            array.item().decode() if isinstance(one, RaggedTensor) else summary(Tensor(array), int(summarize))
            for one, array in zip(listed, arrays, strict=True)
        ]
        pieces = [piece for pair in zip(texts, [*shown, ""], strict=True) for piece in pair]
        return array_of(["".join(pieces).encode()], ())

    return computed("strings.format", compute, tensors, (), string)


def _written(value: Any, summarize: int) -> Tensor:
    """`value` as a tensor; a ragged tensor as its text."""
    if not isinstance(value, RaggedTensor):
        return convert_to_tensor(value)
    spelled = value if value.dtype is string else as_string(value)
    return Tensor(array_of([_rows(spelled.to_list(), summarize, value.dtype is string).encode()], ()))


def _rows(value: Any, ends: int, is_quoted: bool) -> str:
    if not isinstance(value, list):
        text = value.decode(errors="backslashreplace")
        return f"'{text}'" if is_quoted else text
    shown = [_rows(row, ends, is_quoted) for row in value]
    if 0 <= 2 * ends < len(shown):
        shown = [*shown[:ends], "...", *shown[len(shown) - ends :]]
    return f"[{', '.join(shown)}]"
