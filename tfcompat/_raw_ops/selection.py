"""Kernels that select boxes, and distinct slices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import as_dtype, float32, float64, int32, int64
from tfcompat._ops.array.extent import shape
from tfcompat._ops.array.known import known
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.array.padding import pad
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.image.suppression import non_max_suppression_with_scores
from tfcompat._ops.order.sorting import searchsorted, unique_with_counts

# The dtypes of numbers that are put into buckets.
_BUCKETED = frozenset((int32, int64, float32, float64))


class _Suppression(NamedTuple):
    """The positions and scores of the boxes that are kept, and how many are valid."""

    selected_indices: Tensor
    selected_scores: Tensor
    valid_outputs: Tensor


class _Distinct(NamedTuple):
    """The distinct slices, and for each slice its index among them."""

    y: Tensor
    idx: Tensor


class _Counted(NamedTuple):
    """The distinct slices, for each slice its index among them, and how often each occurs."""

    y: Tensor
    idx: Tensor
    count: Tensor  # pyright: ignore[reportIncompatibleMethodOverride]


def Bucketize(*, input: Any, boundaries: Any, name: Any = None) -> Tensor:
    """For each element of `input` the number of `boundaries`, which are sorted, that are not above it.

    Shapes: [*dims] -> the same.
    Dtypes: int32, int64, float32, float64 -> int32.
    Gradient: None.
    Raises: InvalidArgumentError for other dtypes, or if `boundaries` is not sorted.
    Source: TF 2.21 `tf.raw_ops.Bucketize`.
    """
    del name
    values = convert_to_tensor(input)
    if values.dtype not in _BUCKETED:
        raise InvalidArgumentError.of(
            "tf.raw_ops.Bucketize: input must be int32, int64, float32 or float64, got "
            f"{values.dtype.name} {values.shape}."
        )
    bounds = np.asarray(boundaries, np.float32).astype(np.float64)
    if np.any(bounds[1:] < bounds[:-1]):
        raise InvalidArgumentError.of(f"tf.raw_ops.Bucketize: Expected sorted boundaries, got {boundaries}.")
    flat = reshape(cast(values, float64), [-1])
    return reshape(searchsorted(bounds, flat, side="right"), shape(values))


def NonMaxSuppressionV5(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any,
    score_threshold: Any,
    soft_nms_sigma: Any,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> _Suppression:
    """`tf.image.non_max_suppression_with_scores`, with the number of boxes, and with zero padding.

    Shapes: [n, 4], [n], [], [], [], [] -> twice [up to max_output_size], all of it with `pad_to_max_output_size`; [].
    Dtypes: float16, float32 -> int32, the same, int32.
    Gradient: None.
    Raises: InvalidArgumentError as `tf.image.non_max_suppression_with_scores`.
    Source: TF 2.21 `tf.raw_ops.NonMaxSuppressionV5`.
    """
    places, values = non_max_suppression_with_scores(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma, name
    )
    count = places._aval.size
    if pad_to_max_output_size:
        margin = [[0, int(known(convert_to_tensor(max_output_size), "tf.raw_ops.NonMaxSuppressionV5")) - count]]
        places, values = pad(places, margin), pad(values, margin)
    return _Suppression(places, values, convert_to_tensor(count))


def UniqueV2(x: Any, axis: Any, out_idx: Any = int32, name: str | None = None) -> _Distinct:
    """The distinct slices of `x` along its axis `axis[0]` in order of first occurrence, and each slice's index.

    Shapes: [*dims], [0 or 1] -> [*dims] with their count in place of the axis, [size of the axis].
    Dtypes: any but complex -> the same, out_idx.
    Gradient: None.
    Raises: InvalidArgumentError if `axis` is not a vector or is out of range; if it is empty and `x` is not a vector.
    Source: TF 2.21 `tf.raw_ops.UniqueV2`.
    """
    del name
    return _Distinct(*_distinct("UniqueV2", x, axis, out_idx)[:2])


def UniqueWithCountsV2(x: Any, axis: Any, out_idx: Any = int32, name: str | None = None) -> _Counted:
    """As `UniqueV2`, and how often each distinct slice occurs.

    Shapes: [*dims], [0 or 1] -> [*dims] with the count of distinct slices in place of the axis, [size of the axis],
      [count].
    Dtypes: any but complex -> the same, out_idx, out_idx.
    Gradient: None.
    Raises: InvalidArgumentError if `axis` is not a vector or is out of range; if it is empty and `x` is not a vector.
    Source: TF 2.21 `tf.raw_ops.UniqueWithCountsV2`.
    """
    del name
    return _Counted(*_distinct("UniqueWithCountsV2", x, axis, out_idx))


def _distinct(kernel: str, x: Any, axis: Any, out_idx: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The distinct slices, the index of each slice, and counts."""
    name = f"tf.raw_ops.{kernel}"
    tensor, axes = convert_to_tensor(x), known(convert_to_tensor(axis), name)
    if axes.ndim != 1 or axes.size > 1:
        raise InvalidArgumentError.of(f"{name}: axis expects a 1D vector of one element or none.")
    if tensor.ndim == 1 and (not axes.size or axes[0] in (0, -1)):
        return unique_with_counts(tensor, out_idx)
    if not axes.size:
        raise InvalidArgumentError.of(f"{name}: unique expects a 1D vector.")
    chosen = int(axes[0])
    if not -tensor.ndim <= chosen < tensor.ndim:
        raise InvalidArgumentError.of(f"{name}: axis has to be between [0, {tensor.ndim}), got {chosen}.")
    host = np.moveaxis(known(tensor, name), chosen, 0)
    numbers: dict[bytes, int] = {}
    places = [numbers.setdefault(repr(part.tolist()).encode(), len(numbers)) for part in host]
    first = np.array([places.index(number) for number in range(len(numbers))], np.int64)
    kept = np.moveaxis(host[first], 0, chosen)
    integers = as_dtype(out_idx).as_numpy_dtype
    counts = np.bincount(places, minlength=len(numbers)).astype(integers)
    return convert_to_tensor(kept, tensor.dtype), convert_to_tensor(np.array(places, integers)), Tensor(counts)
