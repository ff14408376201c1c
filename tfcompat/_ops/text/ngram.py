"""N-grams: runs of neighbouring strings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import string
from tfcompat._ops.array.known import known
from tfcompat._ops.ragged.constant import constant as ragged_constant
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.text.element import array_of, strings


@by_row("data", specs=lambda data, **_: _runs_of(data))
def ngrams(
    data: Any,
    ngram_width: Any,
    separator: Any = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """All runs of `ngram_width` strings (a number, or several) in each row of `data`, joined with `separator`.

    Each row is padded with `pad_values` (two values, or one for both ends) `padding_width` times, but every run
    contains a string of the row. With `preserve_short_sequences`, a row that is too short for a run becomes one run.

    Shapes: [*rows, n] -> [*rows, runs]; ragged tensors stay ragged.
    Dtypes: string -> string.
    Raises: ValueError for a scalar, a width below 1, or padding_width below 1 or without pad_values; TypeError if
      pad_values or separator is not a string.
    Source: TF 2.21 `tf.strings.ngrams`.
    """
    del name
    widths = tuple(ngram_width) if isinstance(ngram_width, (list, tuple)) else (ngram_width,)
    ends = padding(pad_values, padding_width)
    if any(width < 1 for width in widths):
        raise ValueError(f"tf.strings.ngrams: all ngram_widths must be greater than 0, got {ngram_width}.")
    if not isinstance(separator, (str, bytes)):
        raise TypeError(f"tf.strings.ngrams: separator must be a Python string, got {separator!r}.")
    between = separator.encode() if isinstance(separator, str) else separator
    most = 0 if ends is None else max(widths) if padding_width is None else padding_width

    def runs(row: Sequence[bytes]) -> list[bytes]:
        found = [between.join(run) for width in widths for run in _runs(row, width, ends, most)]
        if not found and preserve_short_sequences and len(row):
            found = [between.join(_padded(row, ends, most))]
        return found

    rows = data if isinstance(data, RaggedTensor) else strings("strings.ngrams", data, "data")
    texts = rows.flat_values if isinstance(rows, RaggedTensor) else rows
    # TensorFlow's kernel pads empty rows only beside others.
    return _over_rows(rows, runs if 0 not in texts.shape else lambda _: [])


def _runs_of(data: Any) -> Any:
    if isinstance(data, RaggedTensor):
        return data._type_spec
    shape = convert_to_tensor(data).shape
    return TensorSpec([*shape[:-1], None], string)


def _over_rows(data: Any, runs: Callable[[Sequence[bytes]], list[bytes]]) -> Any:
    """`runs` applied to each of the innermost rows."""
    if isinstance(data, RaggedTensor):
        if data.ragged_rank > 1 or data.flat_values.ndim > 1:
            return data.with_values(_over_rows(data.values, runs))
        bounds, words = known(data.row_splits, "tf.strings.ngrams"), np.asarray(data.values)
        return ragged_constant([runs(words[begin:end].tolist()) for begin, end in pairwise(bounds)], string, 1)
    if data.ndim == 0:
        raise ValueError("tf.strings.ngrams: Data must have rank>0.")
    *dims, size = data._aval.shape
    rows = [runs(row.tolist()) for row in np.asarray(data).reshape(math.prod(dims), size)]
    return Tensor(array_of([run for row in rows for run in row], (*dims, len(rows[0]) if rows else 0)))


def padding(pad_values: Any, padding_width: int | None) -> tuple[bytes, bytes] | None:
    """The padding before and after each row, which the arguments of `ngrams` give; None without."""
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"tf.strings.ngrams: padding_width must be positive, got {padding_width}.")
    if pad_values is None:
        if padding_width is not None:
            raise ValueError("tf.strings.ngrams: pad_values must be provided if padding_width is set.")
        return None
    pair = (pad_values, pad_values) if isinstance(pad_values, (str, bytes)) else pad_values
    if not isinstance(pair, (list, tuple)) or not all(isinstance(value, (str, bytes)) for value in pair):
        raise TypeError(f"tf.strings.ngrams: pad_values must be a string, a tuple of two, or None, got {pad_values!r}.")
    first, last = (value.encode() if isinstance(value, str) else value for value in (pair[0], pair[1]))
    return first, last


def _padded(row: Sequence[bytes], ends: tuple[bytes, bytes] | None, count: int) -> list[bytes]:
    return list(row) if ends is None else [ends[0]] * count + list(row) + [ends[1]] * count


def _runs(row: Sequence[bytes], width: int, ends: tuple[bytes, bytes] | None, most: int) -> Iterator[Sequence[bytes]]:
    padded = _padded(row, ends, min(most, width - 1))
    return (padded[k : k + width] for k in range(len(padded) - width + 1))
