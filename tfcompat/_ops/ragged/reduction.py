"""Reductions of ragged tensors: sums, means and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.dispatch import register
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import COMPLEX, int32
from tfcompat._ops.array.creation import ones_like
from tfcompat._ops.elementwise import algebraic
from tfcompat._ops.elementwise.comparison import not_equal
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.elementwise.transcendental import exp, log
from tfcompat._ops.fold import reduction, segment
from tfcompat._ops.network import activation
from tfcompat._ops.ragged.joining import held
from tfcompat._ops.ragged.layout import expand_dims
from tfcompat._ops.ragged.partition import Partition, of_lengths, spans
from tfcompat._ops.ragged.tensor import RaggedTensor

Function = Callable[..., Any]


def segmented(reduce: Function, data: Any, segment_ids: Tensor, num_segments: int) -> Any:
    """The rows of a tensor or a ragged tensor with the same number in `segment_ids`, reduced by `reduce`.

    Rows of different lengths are aligned at their starts.
    """
    if not isinstance(data, RaggedTensor):
        return reduce(data, segment_ids, num_segments)
    lengths = data.row_lengths()
    longest = np.zeros(num_segments, np.asarray(lengths).dtype)
    ids = np.asarray(segment_ids)
    np.maximum.at(longest, ids, np.asarray(lengths))
    rows = of_lengths(longest)
    places = spans(rows.host()[:-1][ids], np.asarray(lengths))
    values = segmented(reduce, data.values, Tensor(places), int(rows.host()[-1]))
    return RaggedTensor(values, rows, internal=True)


def reduced(dense: Function, by_segment: Function, ragged: Any, axis: Any, keepdims: bool = False) -> Any:
    """A ragged tensor reduced over `axis`: by `dense` over all rows at once, else by `by_segment`.

    Raises: ValueError if an axis is out of range; InvalidArgumentError if it is repeated.
    """
    axis = _axes(axis)
    rank = len(ragged.shape)
    if axis is None:
        found = dense(ragged.flat_values)
        return _kept(found, list(range(rank))) if keepdims else found
    if isinstance(axis, int):
        found = _along(dense, by_segment, ragged, _positive(axis, rank))
        return _kept(found, [_positive(axis, rank)]) if keepdims else found
    axes = sorted(_positive(one, rank) for one in axis)
    if len(set(axes)) < len(axes):
        raise InvalidArgumentError.of(f"tf.RaggedTensor: each axis may be given only once, got {list(axis)}.")
    found = ragged
    for one in reversed(axes):
        is_dense = not isinstance(found, RaggedTensor)
        found = dense(found, one) if is_dense else _along(dense, by_segment, found, one)
    return _kept(found, axes) if keepdims else found


def _axes(axis: Any) -> Any:
    if isinstance(axis, Tensor) or (isinstance(axis, np.ndarray) and axis.ndim):
        axis = np.asarray(axis).tolist() if axis.ndim else axis
    if axis is None or isinstance(axis, (list, tuple)):
        return axis
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"tf.RaggedTensor: axis must be an int; got {type(axis).__name__}.")
    return int(axis)


def _positive(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise ValueError(f"tf.RaggedTensor: axis={axis} out of bounds: expected {-rank}<=axis<{rank}.")
    return axis % rank


def _kept(found: Any, axes: list[int]) -> Any:
    """`found` with an axis of size 1 for each reduced axis."""
    for axis in axes:
        found = expand_dims(found, axis)
    return found


def _along(dense: Function, by_segment: Function, ragged: RaggedTensor, axis: int) -> Any:
    values = ragged.values
    if axis > 1:
        inner = (
            _along(dense, by_segment, values, axis - 1) if isinstance(values, RaggedTensor) else dense(values, axis - 1)
        )
        return ragged.with_values(inner)
    if axis == 1:
        return segmented(by_segment, values, ragged.value_rowids(), ragged._row_partition.nrows)
    lengths = np.asarray(ragged.row_lengths())
    columns = spans(np.zeros_like(lengths), lengths)
    return segmented(by_segment, values, Tensor(columns), int(lengths.max(initial=0)))


def _reducer(dense: Function, by_segment: Function) -> Function:
    def reduce(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
        del name
        return reduced(dense, by_segment, input_tensor, axis, keepdims)

    return reduce


reduce_sum = _reducer(reduction.reduce_sum, segment.unsorted_segment_sum)
reduce_prod = _reducer(reduction.reduce_prod, segment.unsorted_segment_prod)
reduce_min = _reducer(reduction.reduce_min, segment.unsorted_segment_min)
reduce_max = _reducer(reduction.reduce_max, segment.unsorted_segment_max)


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The sum of the ragged tensor `input_tensor` over `axis` divided by the number of its elements; 0 / 0 is nan."""
    del name
    total = reduce_sum(input_tensor, axis, keepdims)
    count = reduce_sum(input_tensor.with_flat_values(ones_like(input_tensor.flat_values)), axis, keepdims)
    return algebraic.truediv(total, count)


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The mean square minus the squared mean of the ragged tensor `input_tensor` over `axis`."""
    del name
    if input_tensor.dtype in COMPLEX:
        raise ValueError("tf.math.reduce_variance: complex ragged tensors are not supported; take tf.math.real first.")
    mean_of_squares = reduce_mean(algebraic.square(input_tensor), axis, keepdims)
    square_of_mean = algebraic.square(reduce_mean(input_tensor, axis, keepdims))
    return algebraic.maximum(algebraic.subtract(mean_of_squares, square_of_mean), 0)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The square root of the variance of the ragged tensor `input_tensor` over `axis`."""
    del name
    return algebraic.sqrt(reduce_variance(input_tensor, axis, keepdims))


def _of_truth(by_number: Function) -> Function:
    """A reduction of booleans, computed by one of integers."""

    def reduce(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
        del name
        return not_equal(by_number(cast(input_tensor, int32), axis, keepdims), 0)

    return reduce


def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Whether any element of the ragged tensor `input_tensor` over `axis` is true."""
    return _of_truth(reduce_sum)(input_tensor, axis, keepdims, name)


def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Whether every element of the ragged tensor `input_tensor` over `axis` is true."""
    return _of_truth(reduce_prod)(input_tensor, axis, keepdims, name)


def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The logarithm of the sum of the exponentials of the ragged tensor `input_tensor` over `axis`."""
    del name
    if axis is None:
        return reduced(reduction.reduce_logsumexp, segment.unsorted_segment_sum, input_tensor, None, keepdims)
    largest = reduce_max(input_tensor, axis, keepdims=True)
    total = reduce_sum(exp(algebraic.subtract(input_tensor, largest)), axis, keepdims)
    return algebraic.add(log(total), largest if keepdims else reduce_max(input_tensor, axis))


def softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Any:
    """The exponentials of the ragged tensor `logits` divided by their sum along `axis`, the last one if None."""
    del name
    along = -1 if axis is None else axis
    largest = reduce_max(logits, along, keepdims=True)
    exponentials = exp(algebraic.subtract(logits, largest))
    return algebraic.truediv(exponentials, reduce_sum(exponentials, along, keepdims=True))


def _require_same_rows(title: str, one: Partition, other: Partition) -> None:
    """Raises ValueError if row splits have different dtypes, InvalidArgumentError if they are known and differ."""
    if one.dtype is not other.dtype:
        raise ValueError(f"{title}: row splits must have one dtype, got {one.dtype.name} and {other.dtype.name}.")
    is_open = one.splits._is_symbolic() or other.splits._is_symbolic()
    if not is_open and not np.array_equal(one.host(title), other.host(title)):
        raise InvalidArgumentError.of(f"{title}: segment_ids must have the row splits of data.")


def _segments(dense: Function) -> Function:
    """An unsorted segment reduction, extended to ragged rows."""
    title = f"tf.math.{dense.__name__}"

    def reduce(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        del name
        data, ids = held(data), held(segment_ids)
        if isinstance(ids, RaggedTensor):
            if not isinstance(data, RaggedTensor):
                raise ValueError(f"{title}: data must be ragged if segment_ids are.")
            _require_same_rows(title, data._row_partition, ids._row_partition)
            return reduce(data.values, ids.values, num_segments)
        if ids.ndim != 1 and isinstance(data, RaggedTensor):
            raise ValueError(f"{title}: segment_ids must be a vector, got shape {ids.shape}.")
        return segmented(dense, data, ids, int(convert_to_tensor(num_segments)))

    return reduce


for _dense, _ragged in (
    *((reduction.reduce_sum, reduce_sum), (reduction.reduce_prod, reduce_prod), (reduction.reduce_min, reduce_min)),
    *((reduction.reduce_max, reduce_max), (reduction.reduce_mean, reduce_mean), (reduction.reduce_any, reduce_any)),
    *((reduction.reduce_all, reduce_all), (reduction.reduce_variance, reduce_variance), (activation.softmax, softmax)),
    *((reduction.reduce_std, reduce_std), (reduction.reduce_logsumexp, reduce_logsumexp)),
):  # fmt: skip
    register(_dense, RaggedTensor, _ragged)
for _dense in (
    *(segment.unsorted_segment_sum, segment.unsorted_segment_prod, segment.unsorted_segment_min),
    *(segment.unsorted_segment_max, segment.unsorted_segment_mean, segment.unsorted_segment_sqrt_n),
):  # fmt: skip
    register(_dense, RaggedTensor, _segments(_dense))
