"""Reductions. Sums of small integers are computed in 64 bits, means of integers are floating."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import DType, bool_, int64, uint64
from tfcompat._ops.array.gathering import where
from tfcompat._ops.array.layout import broadcast_to, reshape
from tfcompat._ops.axis import require_axis
from tfcompat._ops.elementwise import algebraic, comparison
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold import reduction, running
from tfcompat._ops.numpy_like.promotion import asarray, chosen, default_float, floating, promoted, result_type, wide

_Fold = Callable[..., Any]
_AVERAGE = "experimental.numpy.average"


def _wide(array: Tensor) -> Tensor:
    """`array`; small integers and bool converted to wide integers."""
    wanted = wide(array.dtype.is_unsigned)
    return cast(array, wanted) if array.dtype.is_bool or _is_narrower(array.dtype, wanted) else array


def _is_narrower(dtype: DType, other: DType) -> bool:
    """Whether `dtype` is of integers with fewer bits than `other`."""
    return dtype.is_integer and dtype.size < other.size


def _folded(name: str, fold: _Fold, of_bool: _Fold, a: Any, axis: Any, dtype: Any, keepdims: bool | None) -> Tensor:
    """`fold` of `a` as `dtype`, or, without `dtype`, of widened integers; `of_bool` of it if `dtype` is bool."""
    array = asarray(a, dtype)
    if chosen(dtype) is bool_:
        return of_bool(array, _axis(name, axis), bool(keepdims))
    return fold(array if dtype else _wide(array), _axis(name, axis), bool(keepdims))


def _axis(name: str, axis: Any) -> Any:
    """The argument `axis`; the value of a tensor is read."""
    if type(axis) is not Tensor:
        return axis
    if axis.dtype.is_integer:
        return np.asarray(axis).tolist()
    raise TypeError(f"tf.experimental.numpy.{name}: axis must be made of integers, got {axis!r}.")


def _require_no_out(name: str, out: Any) -> None:
    if out is not None:
        raise ValueError(f"tf.experimental.numpy.{name}: tensors are immutable, so out must be None, got {out!r}.")


def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = None) -> Tensor:
    """The sum of `a` over `axis`, or over every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> `dtype`, else the same; int64 for bool and smaller integers, uint64 for smaller unsigned ones.
    Source: TF 2.21 `tf.experimental.numpy.sum`.
    """
    return _folded("sum", reduction.reduce_sum, reduction.reduce_any, a, axis, dtype, keepdims)


def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = None) -> Tensor:
    """The product of `a` over `axis`, or over every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> `dtype`, else the same; int64 for bool and smaller integers, uint64 for smaller unsigned ones.
    Source: TF 2.21 `tf.experimental.numpy.prod`.
    """
    return _folded("prod", reduction.reduce_prod, reduction.reduce_all, a, axis, dtype, keepdims)


def _fractions(a: Any, dtype: DType | None) -> Tensor:
    """`a` as `dtype`; without `dtype`, integers are converted to the default floating dtype."""
    array = asarray(a, dtype)
    is_whole = dtype is None and (array.dtype.is_integer or array.dtype.is_bool)
    return cast(array, default_float()) if is_whole else array


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool | None = None) -> Tensor:
    """The mean of `a` over `axis`, or over every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> `dtype`, else the same; float64 for integers and bool.
    Raises: ValueError for `out`.
    Source: TF 2.21 `tf.experimental.numpy.mean`.
    """
    _require_no_out("mean", out)
    return reduction.reduce_mean(_fractions(a, chosen(dtype)), _axis("mean", axis), bool(keepdims))


def average(a: Any, axis: int | None = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean of `a` over `axis`, or over every axis when `axis` is None, weighted by `weights`.

    With `returned`, the sum of the weights is returned, too.

    Shapes: [*dims], weights the same or [n] along `axis` -> dims without `axis`; twice if `returned`.
    Dtypes: any -> their promoted dtype; float64 for integers and bool.
    Raises: ValueError if `axis` is not an integer; InvalidArgumentError if the weights don't fit.
    Source: TF 2.21 `tf.experimental.numpy.average`.
    """
    if axis is not None and not isinstance(axis, int):
        raise ValueError(f"tf.experimental.numpy.average: axis must be an integer, got {axis!r}.")
    if weights is None:
        array = _fractions(a, None)
        found = reduction.reduce_mean(array, axis)
        total = cast(array._aval.size // (found._aval.size or 1), found.dtype)
    else:
        array, weight = promoted(*map(floating, promoted(a, weights)))
        spread = _along(array, weight, axis)
        total = reduction.reduce_sum(spread, axis)
        found = reduction.reduce_sum(array * spread, axis) / total
    return (found, broadcast_to(total, found._aval.shape)) if returned else found


def _along(array: Tensor, weights: Tensor, axis: int | None) -> Tensor:
    """`weights`, of the shape of `array` or a vector along `axis`, broadcast to the shape of `array`."""
    dims = array._aval.shape
    if weights._aval.shape == dims:
        return weights
    if axis is None or weights.ndim != 1 or weights._aval.size != dims[require_axis(_AVERAGE, axis, array.ndim)]:
        raise InvalidArgumentError.of(
            f"tf.{_AVERAGE}: weights must have the shape of a, {dims}, or be a vector along axis, got shape "
            f"{weights._aval.shape} and axis {axis}."
        )
    return broadcast_to(reshape(weights, [-1 if k == axis % array.ndim else 1 for k in range(array.ndim)]), dims)


def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool | None = None
) -> Tensor:
    """The mean squared distance of `a` from its mean over `axis`, or over every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> `dtype`, else the same; float64 for integers and bool.
    Raises: ValueError for `out`; NotImplementedError for `ddof`.
    Source: TF 2.21 `tf.experimental.numpy.var`.
    """
    _require_no_out("var", out)
    if ddof != 0:
        raise NotImplementedError("tf.experimental.numpy.var: ddof must be 0; multiply the variance by n / (n - ddof).")
    array = _fractions(a, result_type(a, dtype) if dtype else None)
    found = reduction.reduce_variance(array, _axis("var", axis), bool(keepdims))
    return asarray(found, dtype)


def std(a: Any, axis: Any = None, keepdims: bool | None = None) -> Tensor:
    """The standard deviation of `a` over `axis`, or over every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> the same; float64 for integers and bool.
    Source: TF 2.21 `tf.experimental.numpy.std`.
    """
    return reduction.reduce_std(_fractions(a, None), _axis("std", axis), bool(keepdims))


def amax(a: Any, axis: Any = None, out: Any = None, keepdims: bool | None = None) -> Tensor:
    """The largest element of `a` along `axis`, or along every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> the same.
    Raises: ValueError for `out`.
    Source: TF 2.21 `tf.experimental.numpy.amax`.
    """
    _require_no_out("amax", out)
    array = asarray(a)
    fold = reduction.reduce_any if array.dtype.is_bool else reduction.reduce_max
    return fold(array, _axis("amax", axis), bool(keepdims))


def amin(a: Any, axis: Any = None, out: Any = None, keepdims: bool | None = None) -> Tensor:
    """The smallest element of `a` along `axis`, or along every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> the same.
    Raises: ValueError for `out`.
    Source: TF 2.21 `tf.experimental.numpy.amin`.
    """
    _require_no_out("amin", out)
    array = asarray(a)
    fold = reduction.reduce_all if array.dtype.is_bool else reduction.reduce_min
    return fold(array, _axis("amin", axis), bool(keepdims))


def max(a: Any, axis: Any = None, keepdims: bool | None = None) -> Tensor:
    """The largest element of `a` along `axis`, or along every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.max`.
    """
    return amax(a, axis, keepdims=keepdims)


def min(a: Any, axis: Any = None, keepdims: bool | None = None) -> Tensor:
    """The smallest element of `a` along `axis`, or along every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> the same.
    Source: TF 2.21 `tf.experimental.numpy.min`.
    """
    return amin(a, axis, keepdims=keepdims)


def ptp(a: Any, axis: Any = None, keepdims: bool | None = None) -> Tensor:
    """The largest minus the smallest element of `a` along `axis`, or along every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: numbers -> the same.
    Source: TF 2.21 `tf.experimental.numpy.ptp`.
    """
    return algebraic.subtract(max(a, axis, keepdims), min(a, axis, keepdims))


def count_nonzero(a: Any, axis: Any = None) -> Tensor:
    """The number of non-zero elements of `a` along `axis`, or along every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`.
    Dtypes: any -> int64.
    Source: TF 2.21 `tf.experimental.numpy.count_nonzero`.
    """
    return reduction.count_nonzero(asarray(a), axis)


def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum of `a` over `axis`, or over every axis when `axis` is None, ignoring nan.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> as `tf.experimental.numpy.sum`.
    Source: TF 2.21 `tf.experimental.numpy.nansum`.
    """
    return sum(_without_nan(a, 0), axis, dtype, keepdims)


def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product of `a` over `axis`, or over every axis when `axis` is None, ignoring nan.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> as `tf.experimental.numpy.prod`.
    Source: TF 2.21 `tf.experimental.numpy.nanprod`.
    """
    return prod(_without_nan(a, 1), axis, dtype, keepdims)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool | None = None) -> Tensor:
    """The mean of `a` over `axis`, or over every axis when `axis` is None, ignoring nan.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> as `tf.experimental.numpy.mean`.
    Source: TF 2.21 `tf.experimental.numpy.nanmean`.
    """
    array = asarray(a)
    if not array.dtype.is_floating:
        return mean(array, axis, dtype, keepdims=keepdims)
    wanted = dtype or array.dtype
    counted = sum(comparison.logical_not(comparison.is_nan(array)), axis, wanted, keepdims)
    return algebraic.truediv(nansum(array, axis, wanted, bool(keepdims)), counted)


def _without_nan(a: Any, neutral: int) -> Tensor:
    array = asarray(a)
    if not array.dtype.is_floating:
        return array
    return where(comparison.is_nan(array), asarray(neutral, array.dtype), array)


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
    """The cumulative sums of `a` along `axis`, or of all elements in order when `axis` is None.

    Shapes: [*dims] -> the same; a vector when `axis` is None.
    Dtypes: numbers -> `dtype`, else the same; int64 (int32 if dtypes are converted) for others.
    Source: TF 2.21 `tf.experimental.numpy.cumsum`.
    """
    return _running(running.cumsum, a, axis, dtype)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
    """The cumulative products of `a` along `axis`, or of all elements in order when `axis` is None.

    Shapes: [*dims] -> the same; a vector when `axis` is None.
    Dtypes: numbers -> `dtype`, else the same; int64 (int32 if dtypes are converted) for others.
    Source: TF 2.21 `tf.experimental.numpy.cumprod`.
    """
    return _running(running.cumprod, a, axis, dtype)


def _running(run: _Fold, a: Any, axis: int | None, dtype: Any) -> Tensor:
    array = asarray(a, dtype)
    if dtype is None and array.dtype.is_integer:
        array = cast(array, _running_dtype(array.dtype))
    return run(reshape(array, [-1]), 0) if axis is None else run(array, axis)


def _running_dtype(kind: DType) -> DType:
    """The dtype in which integers of the dtype `kind` are added up; as in TensorFlow, a floating one for uint64."""
    if kind is uint64:
        return result_type(float)
    return kind if kind is int64 else wide(is_unsigned=False)
