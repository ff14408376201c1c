"""Functions that split each string into a row: a tensor becomes a ragged tensor with one more axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType, string
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.text.element import array_of, strings


def cut(name: str, input: Any, into: Callable[[bytes], Sequence[Any]], dtype: DType = string) -> Any:
    """`into` applied to every string of `input`: a vector for a scalar, else rows of a ragged tensor."""
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(cut(name, input.flat_values, into, dtype))
    texts = strings(name, input)
    if texts.ndim > 1:
        around = RaggedTensor.from_tensor(texts, ragged_rank=texts.ndim - 1)
        return around.with_flat_values(cut(name, reshape(texts, [-1]), into, dtype))
    rows = [into(text) for text in texts.__array__().flat]
    pieces = [piece for row in rows for piece in row]
    values = Tensor(array_of(pieces, (len(pieces),), dtype))
    if texts.ndim == 0:
        return values
    return RaggedTensor.from_row_lengths(values, np.array([len(row) for row in rows], np.int64), validate=False)


def rows_of(input: Any, dtype: DType = string) -> Any:
    """The type of the rows of numbers or strings that are made of each string of `input`."""
    if not isinstance(input, RaggedTensor):
        input = convert_to_tensor(input)
    rank = input.shape.rank
    if rank == 0:
        return TensorSpec([None], dtype)
    return RaggedTensorSpec([*input.shape, None], dtype, ragged_rank=rank)
