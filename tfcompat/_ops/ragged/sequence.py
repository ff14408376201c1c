"""Ranges of numbers as rows, and conversion between row splits and segment ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import integer
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import FLOATING, as_dtype, int32, int64
from tfcompat._ops.array.known import known
from tfcompat._ops.ragged.partition import of_lengths, positions, spans
from tfcompat._ops.ragged.tensor import RaggedTensor

_RANGE = "tf.ragged.range"


def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> RaggedTensor:
    """The numbers from `starts[k]` up to `limits[k]`, `deltas[k]` apart, as row k; from 0 if only `starts` is given.

    Shapes: [n], [n], [n] (or scalars) -> [n, (ragged)].
    Dtypes: int32, int64, float32, float64 -> dtype, or the widest of them; row splits of row_splits_dtype.
    Raises: InvalidArgumentError if a delta is 0, or lengths differ.
    Source: TF 2.21 `tf.ragged.range`.
    """
    del name
    if limits is None:
        starts, limits = 0, starts
    parts = [convert_to_tensor(part, dtype_hint=dtype) for part in (starts, limits, deltas)]
    wanted: Any = _widest(parts) if dtype is None else as_dtype(dtype)
    first, last, step = (known(part, _RANGE).astype(wanted.as_numpy_dtype) for part in parts)
    sizes = {part.size for part in (first, last, step) if part.ndim}
    if len(sizes) > 1 or max(first.ndim, last.ndim, step.ndim) > 1:
        raise InvalidArgumentError.of(
            f"{_RANGE}: starts, limits and deltas must be scalars or vectors of one length, got shapes {first.shape}, "
            f"{last.shape} and {step.shape}."
        )
    if (step == 0).any():
        raise InvalidArgumentError.of(f"{_RANGE}: Requires delta != 0.")
    count = sizes.pop() if sizes else 1
    first, last, step = (np.broadcast_to(part.reshape(-1), (count,)) for part in (first, last, step))
    splits_dtype: Any = as_dtype(row_splits_dtype).as_numpy_dtype
    lengths = _lengths(first, last, step).astype(splits_dtype)
    return RaggedTensor(Tensor(_counted(first, lengths, step)), of_lengths(lengths), internal=True)


def _counted(first: np.ndarray, lengths: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The numbers of all rows. Fractions are accumulated by repeated addition, as in TensorFlow."""
    if as_dtype(first.dtype) not in FLOATING:
        return spans(first, lengths, step).astype(first.dtype)
    steps = np.repeat(step, lengths)
    begins = np.cumsum(lengths) - lengths
    steps[begins[lengths > 0]] = first[lengths > 0]
    rows = [np.add.accumulate(row) for row in np.split(steps, begins[1:])]
    return np.concatenate(rows) if rows else steps


def _widest(parts: list[Tensor]) -> Any:
    """The widest of the dtypes in TensorFlow's order."""
    order = ["int32", "int64", "float32", "float64"]
    names = [part.dtype.name for part in parts]
    if not set(names) <= set(order):
        raise ValueError(f"{_RANGE}: starts, limits and deltas must be one of {order}, got {names}.")
    return as_dtype(max(names, key=order.index))


def _lengths(first: np.ndarray, last: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The number of elements from `first` up to `last`."""
    is_empty = np.where(step > 0, first >= last, first <= last)
    gap = last - first
    counts = np.ceil(np.abs(gap / step)) if as_dtype(step.dtype) in FLOATING else -(-np.abs(gap) // np.abs(step))
    return np.where(is_empty, 0, counts)


def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """For each value of the rows given by `splits`, the index of its row.

    Shapes: [n + 1] -> [splits[n]].
    Dtypes: int32 or int64 -> out_type, or same.
    Raises: ValueError for another dtype, or if splits is empty.
    Source: TF 2.21 `tf.ragged.row_splits_to_segment_ids`.
    """
    del name
    bounds = positions("splits", splits)
    if bounds._aval.size == 0:
        raise ValueError("tf.ragged.row_splits_to_segment_ids: splits must not be empty.")
    host = known(bounds, "tf.ragged.row_splits_to_segment_ids")
    wanted: Any = _index_dtype(out_type, bounds.dtype).as_numpy_dtype
    return Tensor(np.repeat(np.arange(host.size - 1, dtype=wanted), np.diff(host)))


def _index_dtype(out_type: Any, otherwise: Any) -> Any:
    wanted = otherwise if out_type is None else as_dtype(out_type)
    if wanted not in (int32, int64):
        raise ValueError(f"tf.ragged: out_type must be int32 or int64, got {wanted.name}.")
    return wanted


def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """The row splits of values where value k is in the row `segment_ids[k]`; `num_segments` rows, or as many as needed.

    Values of further rows are left out.

    Shapes: [n] -> [rows + 1].
    Dtypes: int32 or int64 -> out_type, or same (int64 for plain numbers).
    Raises: TypeError if segment_ids are not integers; ValueError if they are not a vector, or out_type is not an index
      type; InvalidArgumentError if one is negative.
    Source: TF 2.21 `tf.ragged.segment_ids_to_row_splits`.
    """
    del name
    is_plain = not hasattr(segment_ids, "dtype")
    ids = convert_to_tensor(segment_ids, dtype_hint=int64 if is_plain else None)
    if not ids.dtype.is_integer:
        raise TypeError(f"tf.ragged.segment_ids_to_row_splits: segment_ids must be integers, got {ids.dtype.name}.")
    ids.shape.with_rank(1)
    host = known(ids, "tf.ragged.segment_ids_to_row_splits")
    if (host < 0).any():
        raise InvalidArgumentError.of(
            f"tf.ragged.segment_ids_to_row_splits: segment_ids must not be negative, got {host.tolist()}."
        )
    total = int(host.max(initial=-1)) + 1 if num_segments is None else integer(num_segments)
    counts = np.bincount(host, minlength=total)[:total]
    wanted: Any = _index_dtype(out_type, ids.dtype).as_numpy_dtype
    return Tensor(np.concatenate([[0], np.cumsum(counts)]).astype(wanted))
