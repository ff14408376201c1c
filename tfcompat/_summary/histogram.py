"""`tf.summary.histogram`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UnimplementedError
from tfcompat._core.types.dtype import int32, string
from tfcompat._summary.event import Label, metadata_of
from tfcompat._summary.state import observed, require_step, state, tag_of
from tfcompat._summary.writing import content_of, false, put, recording_condition

_BUCKETS = 30


def histogram(name: Any, data: Any, step: Any = None, buckets: Any = None, description: str | None = None) -> Tensor:
    """Writes a histogram of the elements of `data` to the default writer; returns whether it was recorded.

    It has `buckets` (30) buckets of equal width: float64 [buckets, 3], the left edge, the right edge and the count of
    each. If all elements are equal, only the last bucket has a count; without elements all numbers are 0.

    Shapes: any -> [].
    Dtypes: numbers and bool -> bool.
    Raises: ValueError if there is a writer and no step, or buckets is not a scalar; TypeError unless buckets is an
      int32; UnimplementedError for strings.
    Source: TF 2.21 `tf.summary.histogram`.
    """
    values = data.flat_values if hasattr(type(data), "with_flat_values") else observed(data)
    metadata = metadata_of("histograms", description)
    tag = tag_of(name, "histogram_summary")
    if step is not None:
        require_step(step)
    if state.writer is None or (condition := recording_condition()) is False:
        return false()
    count = _BUCKETS if buckets is None else convert_to_tensor(buckets)
    if isinstance(count, Tensor):
        if count.shape.rank:
            raise ValueError(f"Expected scalar shape, saw shape: {count.shape}.")
        if count.dtype is not int32:
            raise TypeError(f"tensor must be of type tf.int32; got tf.{count.dtype.name}")
    if values.dtype is string:
        raise UnimplementedError.of("Cast string to double is not supported")
    return put(
        _histogram_content,
        (Label(tag.encode(), metadata), values, count),
        step,
        size=values._aval.nbytes,
        condition=condition,
    )


def _histogram_content(label: Label, data: np.ndarray, count: Any) -> bytes:
    with np.errstate(all="ignore"):
        values = data.ravel()
        values = (np.real(values) if values.dtype.kind == "c" else values).astype(np.float64)
        return content_of(label, _buckets(values, max(0, int(count))))


def _buckets(values: np.ndarray, count: int) -> np.ndarray:
    """The left edge, the right edge and the count of each bucket, computed in the order in which TensorBoard does."""
    if not values.size or not count:
        return np.zeros((count, 3))
    low, high = values.min(), values.max()
    if high - low == 0:
        edges = np.full(count, high)
        return np.stack([edges, edges, np.append(np.zeros(count - 1), values.size)], 1)
    places = np.floor((values - low) / ((high - low) / np.float64(count))).astype(np.int32)
    places = np.minimum(places, count - 1)
    counts = np.bincount(places[places >= 0], minlength=count).astype(np.float64)
    # As `tf.linspace` computes it.
    edges = np.concatenate([[low], low + (high - low) / np.float64(count) * np.arange(1, count), [high]])
    return np.stack([edges[:-1], edges[1:], counts], 1)
