"""Counts of values: bincount, histograms, the confusion matrix."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.by_row import by_row
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, Dtype, integer, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.dtype import COMPLEX, FLOATING, INDEX, NUMERIC, REAL, DType, as_dtype, bool_, int32, int64
from tfcompat._ops.array.creation import ones
from tfcompat._ops.array.known import known
from tfcompat._ops.array.layout import reshape
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.reduction import reduce_max


def _spec_of_counts(arr: Any, weights: Any, dtype: Any, axis: Any, binary_output: bool, **_: Any) -> TensorSpec:
    """The spec of the counts of numbers whose greatest is not known."""
    numbers = convert_to_tensor(arr)
    has_rows = integer(axis) == -1 and numbers.ndim != 1
    kind = as_dtype(dtype) if weights is None or binary_output else convert_to_tensor(weights).dtype
    return TensorSpec([numbers.shape[0], None] if has_rows else [None], kind)


@dispatched
@by_row("arr", "weights", specs=_spec_of_counts, if_refused=True)
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """The count of each number in `arr`, or the sum of its `weights`; with `axis` -1, for each row separately.

    The greatest number is read on the host: it determines the number of counts, between `minlength` and `maxlength`.
    In the trace of a function that computes `arr` these two are equal, or calls are expected to have the same greatest
    number. With `binary_output` a count is 1 if the number occurs.

    Shapes: [*dims] -> [max(arr) + 1]; [rows, n] -> [rows, max(arr) + 1] for axis -1.
    Dtypes: arr int32, int64 (other non-integers are truncated); weights REAL -> same; without weights dtype.
    Gradient: LookupError.
    Raises: InvalidArgumentError if a number is negative, or the shapes do not fit.
    Source: TF 2.21 `tf.math.bincount`.
    """
    numbers = convert_to_tensor(arr)
    if integer(axis) not in (None, 0, -1):
        raise ValueError(f"tf.math.bincount: axis must be 0, -1 or None, got {axis}.")
    has_rows = integer(axis) == -1 and numbers.ndim == 2
    least, most = integer(minlength), integer(maxlength)
    if numbers._is_symbolic():
        counted = cast(numbers, int32) if numbers.dtype in FLOATING | COMPLEX | {bool_} else numbers
        is_fixed = least is not None and least == most
        size = least if is_fixed else _bounded(known(reduce_max(counted), "tf.math.bincount").item(), least, most)
    else:
        values = _counted(numbers)
        counted, size = Tensor(values), length(values, least, most)
    if not has_rows:
        counted = reshape(counted, (-1,))
    if weights is None or binary_output:
        return _bincount(counted, size, binary_output, as_dtype(dtype), name=name)
    weight = convert_to_tensor(weights)
    if weight._aval.shape != numbers._aval.shape:
        raise InvalidArgumentError.of(
            f"tf.math.bincount: weights must have the shape of arr, {numbers.shape}, got {weight.shape}."
        )
    return _weighted_bincount(counted, weight, size, name=name)


def _counted(numbers: Tensor) -> np.ndarray:
    """The numbers on the host, as integers."""
    values = np.asarray(numbers)
    if numbers.dtype in FLOATING | COMPLEX | {bool_}:
        return np.real(values).astype(np.int32)
    if numbers.dtype not in INDEX:
        raise InvalidArgumentError.of(f"tf.math.bincount: arr must be int32 or int64, got {numbers.dtype.name}.")
    if (values < 0).any():
        raise found_early(f"tf.math.bincount: arr must not be negative, got {values.tolist()}.")
    return values


def length(values: np.ndarray, least: int | None, most: int | None) -> int:
    """The number of counts."""
    return _bounded(int(values.max()) if values.size else -1, least, most)


def _bounded(greatest: int, least: int | None, most: int | None) -> int:
    """The number of counts of numbers whose `greatest` is given, which is negative without numbers."""
    size = max(greatest + 1, least or 0)
    return size if most is None else min(size, most)


_NONE_NEGATIVE = Check(("arr",), lambda arr, **_: arr < 0, "arr must not be negative")


@op("math.bincount", dtypes=INDEX, check=_NONE_NEGATIVE)
def _bincount(arr: Array, size: int, binary_output: bool, dtype: Dtype) -> Array:
    counts = _summed(arr, jnp.ones(arr.shape, dtype.as_numpy_dtype), size)
    return jnp.minimum(counts, 1) if binary_output else counts


@op(
    "math.bincount",
    dtypes={"arr": INDEX, "weights": REAL},
    same=("weights",),
    no_gradient="DenseBincount",
    check=_NONE_NEGATIVE,
)
def _weighted_bincount(arr: Array, weights: Array, size: int) -> Array:
    return _summed(arr, weights.reshape(arr.shape), size)


def _summed(places: Array, weights: Array, size: int) -> Array:
    """The weights summed by value in each row; values beyond `size` are dropped."""
    counts = jnp.zeros((*places.shape[:-1], size), weights.dtype)
    rows = (jnp.arange(places.shape[0])[:, None],) if places.ndim > 1 else ()
    return counts.at[(*rows, places)].add(weights, mode="drop")


def _histogram(name: str) -> Any:
    """The validation of an op that counts values in equal bins of a range."""

    def validate(values: Any, value_range: Any, nbins: int, dtype: DType) -> None:
        del values
        if np.shape(value_range) != (2,):
            raise InvalidArgumentError.of(
                f"tf.{name}: value_range must be a vector of 2 elements, got shape {np.shape(value_range)}."
            )
        if nbins <= 0:
            raise InvalidArgumentError.of(f"tf.{name}: nbins must be positive, got {nbins}.")
        if dtype not in INDEX:
            raise InvalidArgumentError.of(f"tf.{name}: dtype must be int32 or int64, got {dtype.name}.")

    return validate


_validate_histogram = _histogram("histogram_fixed_width")


def _is_bad_histogram(values: Array, value_range: Array, nbins: int, dtype: DType) -> Array:
    _validate_histogram(values, value_range, nbins, dtype)
    return ((values != values).any() | (value_range[0] >= value_range[1])).reshape(1)


@op(
    "histogram_fixed_width",
    dtypes=REAL,
    validate=_validate_histogram,
    check=Check(("values", "value_range"), _is_bad_histogram, "values must not be nan, and value_range must increase"),
    no_gradient="HistogramFixedWidth",
)
def histogram_fixed_width(values: Array, value_range: Array, nbins: int = 100, dtype: Dtype = int32) -> Array:
    """The number of `values` in each of `nbins` equal bins of `value_range`; values outside count in the end bins.

    Shapes: [*dims], [2] -> [nbins].
    Dtypes: REAL, both the same -> dtype (int32 or int64).
    Gradient: LookupError.
    Raises: InvalidArgumentError if value_range does not increase, a value is nan, or nbins is not positive.
    Source: TF 2.21 `tf.histogram_fixed_width`.
    """
    bins = _bins(values.ravel(), value_range, nbins)
    return _summed(bins, jnp.ones(bins.shape, dtype.as_numpy_dtype), nbins)


@op("histogram_fixed_width_bins", dtypes=REAL, validate=_histogram("histogram_fixed_width_bins"), differentiable=False)
def histogram_fixed_width_bins(values: Array, value_range: Array, nbins: int = 100, dtype: Dtype = int32) -> Array:
    """The index of each value's bin, among `nbins` equal bins of `value_range`; values outside go to the end bins.

    Shapes: [*dims], [2] -> [*dims].
    Dtypes: REAL, both the same -> dtype (int32 or int64).
    Gradient: None.
    Raises: InvalidArgumentError if value_range does not have two elements, or nbins is not positive.
    Source: TF 2.21 `tf.histogram_fixed_width_bins`.
    """
    return _bins(values, value_range, nbins).astype(dtype.as_numpy_dtype)


def _bins(values: Array, value_range: Array, count: int) -> Array:
    if jnp.issubdtype(values.dtype, jnp.integer):
        values, value_range = values.astype(jnp.float64), value_range.astype(jnp.float64)
    step = (value_range[1] - value_range[0]) / count
    return jnp.clip(jnp.floor((values - value_range[0]) / step), 0, count - 1).astype(jnp.int32)


@dispatched
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = int32,
    name: str | None = None,
) -> Tensor:
    """The count of each pair of `labels` (rows) and `predictions` (columns), or the sum of its `weights`.

    Without `num_classes`, labels and predictions are read on the host: the greatest of them determines it.

    Shapes: [n], [n] (or one of them [n, 1]) -> [num_classes, num_classes].
    Dtypes: numbers, which are truncated -> dtype.
    Raises: InvalidArgumentError if a number is negative or not below num_classes, or the shapes do not fit; ValueError
      if weights has another shape.
    Source: TF 2.21 `tf.math.confusion_matrix`.
    """
    rows, columns = (cast(convert_to_tensor(part), int64) for part in (labels, predictions))
    if rows.ndim == columns.ndim + 1 and rows.shape[-1] == 1:
        rows = reshape(rows, columns._aval.shape)
    elif columns.ndim == rows.ndim + 1 and columns.shape[-1] == 1:
        columns = reshape(columns, rows._aval.shape)
    if rows._aval.shape != columns._aval.shape or rows.ndim != 1:
        raise InvalidArgumentError.of(
            f"tf.math.confusion_matrix: labels and predictions must be vectors of the same length, "
            f"got shapes {rows.shape} and {columns.shape}."
        )
    count = integer(num_classes)
    wanted = as_dtype(dtype)
    weight = ones(rows._aval.shape, wanted) if weights is None else convert_to_tensor(weights)
    if weight._aval.shape != rows._aval.shape:
        raise ValueError(f"tf.math.confusion_matrix: Shapes {rows.shape} and {weight.shape} are incompatible.")
    return _confusion_matrix(
        rows, columns, weight, _classes(rows, columns) if count is None else count, wanted, name=name
    )


def _classes(rows: Tensor, columns: Tensor) -> int:
    """The number of classes, for labels and predictions that are known or are expected to have one greatest class."""
    greatest = [
        known(reduce_max(each), "tf.math.confusion_matrix").item() for each in (rows, columns) if each._aval.size
    ]
    if not greatest:
        raise InvalidArgumentError.of("tf.math.confusion_matrix: num_classes must be given for empty labels.")
    return max(*greatest, 0) + 1


def _is_no_class(labels: Array, predictions: Array, weights: Array, num_classes: int, dtype: DType) -> Array:
    del weights, dtype
    return (labels < 0) | (labels >= num_classes) | (predictions < 0) | (predictions >= num_classes)


@op(
    "math.confusion_matrix",
    dtypes={"labels": frozenset((int64,)), "predictions": frozenset((int64,)), "weights": NUMERIC},
    same=("weights",),
    check=Check(
        ("labels", "predictions"),
        _is_no_class,
        "`labels` and `predictions` must not contain negative values, nor values out of bound num_classes",
    ),
)
def _confusion_matrix(labels: Array, predictions: Array, weights: Array, num_classes: int, dtype: Dtype) -> Array:
    counts = jnp.zeros((num_classes, num_classes), dtype.as_numpy_dtype)
    return counts.at[labels, predictions].add(weights.astype(dtype.as_numpy_dtype))
