"""Subscripts of ragged tensors: `ragged[key]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import as_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.array.gathering import gather
from tfcompat._ops.array.indexing import getitem
from tfcompat._ops.array.known import known
from tfcompat._ops.ragged.partition import Partition, of_lengths, of_uniform, spans
from tfcompat._ops.ragged.tensor import RaggedTensor

_NAME = "tf.RaggedTensor.__getitem__"


def ragged_getitem(rt: RaggedTensor, key: Any) -> Any:
    """The part of `rt` selected by the subscript `key`: integers, slices, `...` and None.

    An integer is allowed for the outermost axis, and for an axis whose rows all have one length.

    Shapes: [rows, (ragged), *dims] -> as in NumPy.
    Dtypes: any -> same.
    Raises: ValueError for an integer along a ragged axis, or too many items; TypeError for an invalid index;
      IndexError if the index of a row is too large, InvalidArgumentError if another index is out of range.
    Source: TF 2.21 `tf.RaggedTensor.__getitem__`.
    """
    items = list(key) if isinstance(key, (list, tuple)) else [key]
    return _picked(rt, _spread(items, len(rt.shape)))


def _spread(items: list[Any], rank: int) -> list[Any]:
    """The items, with full slices in place of the first `...`; any further `...` is ignored."""
    dots = [k for k, item in enumerate(items) if item is Ellipsis]
    if not dots:
        return items
    named = sum(item is not None and item is not Ellipsis for item in items)
    after = [item for item in items[dots[0] :] if item is not Ellipsis]
    return [*items[: dots[0]], *[slice(None)] * (rank - named), *after]


def _picked(value: Any, items: list[Any]) -> Any:
    """The part of a tensor or a ragged tensor selected by `items`; the first item applies to its axis 0."""
    if not items:
        return value
    if isinstance(value, Tensor):
        return getitem(value, tuple(items))
    item, rest = items[0], items[1:]
    if item is None:
        inner = _picked(value, rest)
        if isinstance(inner, Tensor):
            return getitem(inner, None)
        rows = inner._row_partition
        return RaggedTensor(inner, of_uniform(rows.nrows, 1, rows.dtype), internal=True)
    if isinstance(item, slice):
        return _within(_sliced(value, item), rest)
    return _picked(_row(value, item), rest)


def _row(rt: RaggedTensor, item: Any) -> Any:
    rows, nrows = rt._row_partition, rt._row_partition.nrows
    index = _integer(item)
    if not -nrows <= index < nrows:
        # IndexError ends the iteration of code that counts rows up; TensorFlow's kernels find the other indices.
        message = f"{_NAME}: Row key {index} out of bounds, for {nrows} rows."
        raise IndexError(message) if index >= nrows else InvalidArgumentError.of(message)
    splits = rows.host(_NAME)
    return between(rt._values, int(splits[index % nrows]), int(splits[index % nrows + 1]))


def _integer(item: Any) -> int:
    tensor = as_tensor(item)
    if isinstance(item, np.ndarray) and item.ndim == 0:
        item = item[()]
    if isinstance(item, bool):
        raise ValueError(f"{_NAME}: a mask cannot be scalar; use tf.ragged.boolean_mask.")
    if tensor is None and not isinstance(item, (int, np.integer)):
        raise TypeError(
            f"{_NAME}: Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 "
            f"tensors are valid indices, got {item!r}"
        )
    return int(item if tensor is None else known(tensor, _NAME))


def between(values: Any, start: int, stop: int) -> Any:
    """The rows from `start` to `stop` of a tensor or a ragged tensor."""
    if isinstance(values, RaggedTensor):
        rows = values._row_partition
        splits = rows.host(_NAME)
        inner = between(values._values, int(splits[start]), int(splits[stop]))
        cut = Partition(Tensor(splits[start : stop + 1] - splits[start]), rows.uniform)
        return RaggedTensor(inner, cut, internal=True)
    return getitem(values, slice(start, stop))


def taken(values: Any, places: np.ndarray, pick: Callable[..., Tensor] = gather) -> Any:
    """The rows at `places` of a tensor or a ragged tensor; `pick` selects the innermost."""
    if not isinstance(values, RaggedTensor):
        return pick(values, Tensor(places))
    rows = values._row_partition
    splits = rows.host(_NAME)
    lengths = np.diff(splits)[places]
    inner = taken(values._values, spans(splits[places], lengths), pick)
    cut = of_lengths(lengths) if rows.uniform is None else of_uniform(rows.uniform, len(places), rows.dtype)
    return RaggedTensor(inner, cut, internal=True)


def _bounds(item: slice) -> slice:
    bounds = [None if bound is None else _integer(bound) for bound in (item.start, item.stop, item.step)]
    if bounds[2] == 0:
        raise InvalidArgumentError.of(f"{_NAME}: strides must be non-zero.")
    return slice(*bounds)


def _sliced(rt: RaggedTensor, item: slice) -> RaggedTensor:
    """The rows selected by a slice."""
    bounds = _bounds(item)
    if bounds == slice(None):
        return rt
    chosen = range(rt._row_partition.nrows)[bounds]
    if chosen.step == 1:
        return between(rt, chosen.start, max(chosen.start, chosen.stop))
    return taken(rt, np.array(chosen, np.int64))


def _within(value: Any, items: list[Any]) -> Any:
    """The part of each row selected by `items`: the first item applies to axis 1."""
    if not items:
        return value
    if isinstance(value, Tensor):
        return getitem(value, (slice(None), *items))
    item, rest = items[0], items[1:]
    rows = value._row_partition
    if item is None:
        return RaggedTensor(_within(value, rest), of_uniform(1, rows.nrows, rows.dtype), internal=True)
    if isinstance(item, slice):
        cut = _cut_rows(value, _bounds(item))
        return cut if not rest else cut.with_values(_within(cut._values, rest))
    index = _integer(item)
    if rows.uniform is None:
        raise ValueError(f"{_NAME}: Cannot index into an inner ragged dimension.")
    if not -rows.uniform <= index < rows.uniform:
        raise InvalidArgumentError.of(f"{_NAME}: slice index {index} out of bounds, for rows of {rows.uniform}.")
    return _within(taken(value._values, rows.host(_NAME)[:-1] + index % rows.uniform), rest)


def _cut_rows(rt: RaggedTensor, item: slice) -> RaggedTensor:
    """The part of each row selected by a slice."""
    rows = rt._row_partition
    if item == slice(None):
        return rt
    splits = rows.host(_NAME)
    chosen = [range(length)[item] for length in np.diff(splits).tolist()]
    starts = splits[:-1] + np.array([one.start for one in chosen], splits.dtype)
    lengths = np.array([len(one) for one in chosen], splits.dtype)
    step = 1 if item.step is None else item.step
    values = taken(rt._values, spans(starts, lengths, step))
    if rows.uniform is None:
        return RaggedTensor(values, of_lengths(lengths), internal=True)
    return RaggedTensor(values, of_uniform(len(range(rows.uniform)[item]), rows.nrows, rows.dtype), internal=True)
