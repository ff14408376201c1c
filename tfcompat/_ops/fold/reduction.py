"""Reductions over axes: sums, means, products, extremes."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array, Axes, Dtype, op
from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.aval import Aval
from tfcompat._core.types.dtype import BOOL, FLOATING, INTEGER, MOVABLE, NUMERIC, REAL, int16, int32, int64, uint16
from tfcompat._jaxpr import lean
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.derivative import square_root, with_derivative
from tfcompat._ops.fold.axes import axis_exists, count, folded_axes, reduced
from tfcompat._ops.fold.running import running_product


def mean_over(array: Any, axis: Any, keepdims: bool) -> Any:
    """The mean of an array as TensorFlow computes it in its dtype."""
    dtype, size = array.dtype, count(array, axis)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        # 0 for no elements.
        total = jnp.sum(array, axis, keepdims=keepdims, dtype=dtype)
        return total / jnp.maximum(jnp.asarray(size, total.real.dtype), 1)
    if size == 0 and jnp.issubdtype(dtype, jnp.floating):
        # nan, with a tangent of 0.
        return jnp.sum(array, axis, keepdims=keepdims, dtype=dtype) + jnp.asarray(jnp.nan, dtype)
    if dtype == jnp.float16:
        # The compiler would keep more than 16 bits of the sum; TensorFlow's overflows.
        total = lax.reduce_precision(jnp.sum(array, axis, keepdims=keepdims, dtype=jnp.float32), 5, 10)
        return (total / size).astype(dtype)
    if dtype == jnp.bfloat16:
        return (jnp.sum(array, axis, keepdims=keepdims, dtype=jnp.float32) / size).astype(dtype)
    if not jnp.issubdtype(dtype, jnp.integer):
        return lax.div(lean.total(array, axis, keepdims), (jnp if is_open(size) else np).asarray(size, dtype))
    wide = jnp.uint64 if dtype == jnp.uint64 else jnp.int64
    total = jnp.sum(array, axis, keepdims=keepdims, dtype=wide)
    return (jnp.sign(total) * (jnp.abs(total) // wide(max(size, 1)))).astype(dtype)


def _fold(name: str, function: Any) -> Any:
    """NumPy's `function` for shapes: a reduction that keeps the dtype."""

    def folded(input_tensor: np.ndarray, axis: Axes, keepdims: bool) -> Any:
        along = folded_axes(name, axis, input_tensor.ndim)
        return np.asarray(function(input_tensor, along, keepdims=keepdims)).astype(input_tensor.dtype)

    return folded


def _fold_extreme(name: str, function: Any, which: str) -> Any:
    return _fold(name, lambda array, *axis, **kept: function(array, *axis, initial=_limit(array.dtype, which), **kept))


@op(
    dtypes=NUMERIC,
    validate=axis_exists("reduce_sum"),
    infers=reduced,
    fold=_fold("reduce_sum", np.sum),
    gradient_reads=False,
)
def reduce_sum(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Sums `input_tensor` over `axis`, or over every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: numbers -> the same (an int8 sum stays int8).
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.reduce_sum`.
    """
    dtype = input_tensor.dtype
    # As in TensorFlow, a sum of bfloat16 is rounded once. One of float16 is rounded less often than there.
    if dtype == jnp.bfloat16:
        return jnp.sum(input_tensor, axis, keepdims=keepdims, dtype=jnp.float32).astype(dtype)
    return lean.total(input_tensor, axis, keepdims)


@op(dtypes=NUMERIC, validate=axis_exists("reduce_mean"), infers=reduced, gradient_reads=False)
def reduce_mean(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The mean of `input_tensor` over `axis`, or over every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: numbers -> the same (integer means are truncated towards zero; float16 overflows where the sum does).
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.reduce_mean`.
    """
    return mean_over(input_tensor, axis, keepdims)


def _extreme(function: Any, array: Any, axis: Any, keepdims: bool, identity: Any) -> Any:
    """`function` of the elements, or `identity` of an empty array."""
    folded = folded_axes("", axis, array.ndim)
    if count(array, axis):
        return _shared_by_ties(function, folded, keepdims)(array)
    dims = [1 if k in folded else n for k, n in enumerate(array.shape) if keepdims or k not in folded]
    return jnp.full(dims, identity, array.dtype)


def _limit(dtype: Any, which: str) -> Any:
    if jnp.issubdtype(dtype, jnp.floating):
        return {"min": -math.inf, "max": math.inf}[which]
    return getattr(jnp.iinfo(dtype), which)


def _computed_once(array: Any) -> Any:
    """`array`, for comparisons with results that are computed from it.

    XLA may compute an array again for each of its uses, and round it differently: fused with other steps, or not. It
    doesn't look into branches, whose results are all equal here. (It removes an `optimization_barrier` before that.)
    """
    if not array.size or not jnp.issubdtype(array.dtype, jnp.floating):
        return array
    first = lax.slice(array, (0,) * array.ndim, (1,) * array.ndim)
    return lax.cond(jnp.any(jnp.isnan(first)), lambda x: jnp.where(jnp.isnan(x), jnp.nan, x), lambda x: x, array)


def _shared_by_ties(function: Any, folded: tuple[int, ...], keepdims: bool) -> Any:
    """`function` with a derivative that the selected elements share evenly; nan where the result is nan."""

    def tangent(t: Any, _: Any, array: Any) -> Any:
        array = _computed_once(array)
        chosen = (array == function(array, folded, keepdims=True)).astype(array.dtype)
        ties = jnp.sum(chosen, folded, keepdims=True)
        share = jnp.where(ties == 0, jnp.nan, chosen / ties)
        return jnp.sum(t * share, folded, keepdims=keepdims)

    return with_derivative(lambda array: function(array, folded, keepdims=keepdims), tangent)


@op(dtypes=REAL, validate=axis_exists("reduce_max"), infers=reduced, fold=_fold_extreme("reduce_max", np.max, "min"))
def reduce_max(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The largest element of `input_tensor` along `axis`, or of all when `axis` is None; nan if any element is nan.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: real numbers -> the same (for no elements -inf, or the smallest integer).
    Gradient: the largest elements share it evenly.
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.reduce_max`.
    """
    return _extreme(jnp.max, input_tensor, axis, keepdims, _limit(input_tensor.dtype, "min"))


@op(dtypes=REAL, validate=axis_exists("reduce_min"), infers=reduced, fold=_fold_extreme("reduce_min", np.min, "max"))
def reduce_min(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The smallest element of `input_tensor` along `axis`, or of all when `axis` is None; nan if any element is nan.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: real numbers -> the same (for no elements inf, or the largest integer).
    Gradient: the smallest elements share it evenly.
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.reduce_min`.
    """
    return _extreme(jnp.min, input_tensor, axis, keepdims, _limit(input_tensor.dtype, "max"))


@op(dtypes=BOOL, validate=axis_exists("reduce_all"), infers=reduced)
def reduce_all(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether all elements of `input_tensor` along `axis`, or all elements when `axis` is None, are True.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: bool -> bool (of nothing True).
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.reduce_all`.
    """
    return jnp.all(input_tensor, axis, keepdims=keepdims)


@op(dtypes=BOOL, validate=axis_exists("reduce_any"), infers=reduced)
def reduce_any(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether any element of `input_tensor` along `axis`, or any element at all when `axis` is None, is True.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: bool -> bool (of nothing False).
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.reduce_any`.
    """
    return jnp.any(input_tensor, axis, keepdims=keepdims)


@op(dtypes=NUMERIC, validate=axis_exists("reduce_prod"), infers=reduced, fold=_fold("reduce_prod", np.prod))
def reduce_prod(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The product of `input_tensor` over `axis`, or of all elements when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: numbers -> the same.
    Gradient: exact where there are zeros; its own derivative, as in TensorFlow, is that of `cumprod`.
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.reduce_prod`.
    """
    folded = folded_axes("reduce_prod", axis, input_tensor.ndim)

    def tangent(t: Any, _: Any, array: Any) -> Any:
        return jnp.sum(t * _product_of_others(array, folded), folded, keepdims=keepdims)

    return with_derivative(lambda x: jnp.prod(x, folded, keepdims=keepdims, dtype=x.dtype), tangent)(input_tensor)


def _product_of_others(array: Any, folded: tuple[int, ...]) -> Any:
    """For each element, the product of the other elements of its reduction."""
    if array.size == 0:
        return array
    first = jnp.moveaxis(array, folded, range(len(folded)))
    line = first.reshape(-1, *first.shape[len(folded) :])
    others = running_product(line, 0, True, False) * running_product(line, 0, True, True)
    return jnp.moveaxis(others.reshape(first.shape), range(len(folded)), folded)


@op(dtypes=FLOATING, validate=axis_exists("reduce_logsumexp"), infers=reduced)
def reduce_logsumexp(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The logarithm of the sum of the exponentials of `input_tensor` over `axis`, or over every axis when it is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: floating -> the same.
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.reduce_logsumexp`.
    """
    folded = folded_axes("reduce_logsumexp", axis, input_tensor.ndim)
    largest = jnp.max(input_tensor, folded, keepdims=True, initial=-math.inf)
    offset = lax.stop_gradient(jnp.where(jnp.isfinite(largest), largest, 0))
    total = jnp.sum(jnp.exp(input_tensor - offset), folded, keepdims=True, dtype=input_tensor.dtype)
    answer = jnp.log(total) + offset
    return answer if keepdims else jnp.squeeze(answer, folded)


def _require_inexact(name: str) -> Any:
    exists = axis_exists(name)

    def validate(input_tensor: Any, axis: Any, keepdims: bool) -> None:
        if input_tensor.dtype in INTEGER:
            raise TypeError(f"tf.{name}: input_tensor must be floating or complex, got {input_tensor.dtype.name}.")
        exists(input_tensor=input_tensor, axis=axis, keepdims=keepdims)

    return validate


def _infer_real(input_tensor: Aval, axis: Axes, keepdims: bool) -> Aval | None:
    return reduced(input_tensor, axis, keepdims) if input_tensor.dtype in FLOATING else None


def _variance(array: Any, axis: Any, keepdims: bool) -> Any:
    difference = array - mean_over(array, axis, True)
    return mean_over(jnp.real(difference * jnp.conj(difference)), axis, keepdims)


@op("math.reduce_variance", dtypes=NUMERIC, validate=_require_inexact("math.reduce_variance"), infers=_infer_real)
def reduce_variance(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The mean squared distance of `input_tensor` from its mean over `axis`, or over every axis when it is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: floating -> the same; complex -> real.
    Raises: TypeError for integers; InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.math.reduce_variance`.
    """
    return _variance(input_tensor, axis, keepdims)


@op("math.reduce_std", dtypes=NUMERIC, validate=_require_inexact("math.reduce_std"), infers=_infer_real)
def reduce_std(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The square root of the variance of `input_tensor` over `axis`, or over every axis when it is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: floating -> the same; complex -> real.
    Gradient: 0 where the upstream is 0, even at variance 0; else nan there.
    Raises: TypeError for integers; InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.math.reduce_std`.
    """
    return square_root(_variance(input_tensor, axis, keepdims))


@op("math.reduce_euclidean_norm", dtypes=NUMERIC, validate=axis_exists("math.reduce_euclidean_norm"))
def reduce_euclidean_norm(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The square root of the sum of squares of `input_tensor` over `axis`, or over every axis when it is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: numbers -> the same.
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.math.reduce_euclidean_norm`.
    """
    folded = folded_axes("math.reduce_euclidean_norm", axis, input_tensor.ndim)

    def euclidean(x: Any) -> Any:
        total = jnp.sum(x * jnp.conj(x), folded, keepdims=keepdims, dtype=x.dtype)
        return jnp.sqrt(total).astype(x.dtype)

    def tangent(t: Any, size: Any, x: Any) -> Any:
        # TensorFlow omits a conjugation.
        size = size if keepdims else jnp.expand_dims(size, folded)
        return jnp.sum(t * jnp.conj(x / size), folded, keepdims=keepdims)

    return with_derivative(euclidean, tangent)(input_tensor)


@op("math.count_nonzero", dtypes=MOVABLE, differentiable=False, validate=axis_exists("math.count_nonzero"))
def count_nonzero(input: Array, axis: Axes = None, keepdims: bool | None = None, dtype: Dtype = int64) -> Array:
    """The number of elements of `input` that are not 0 (or empty), over `axis`, or over every axis when it is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: any -> `dtype`.
    Gradient: None.
    Raises: InvalidArgumentError if an axis is out of range or repeated.
    Source: TF 2.21 `tf.math.count_nonzero`.
    """
    return jnp.sum(input != 0, axis, keepdims=bool(keepdims), dtype=dtype.as_numpy_dtype)


@op("nn.zero_fraction", differentiable=False)
def zero_fraction(value: Array) -> Array:
    """The fraction of the elements of `value` that are 0.

    Shapes: any -> [].
    Dtypes: numbers and bool -> float32 (of nothing nan).
    Gradient: None.
    Source: TF 2.21 `tf.math.zero_fraction`.
    """
    zeros = jnp.sum(value == 0, dtype=jnp.float32)
    return zeros / jnp.float32(value.size)


def _finds_index(name: str) -> Any:
    def validate(input: Any, axis: int | None, output_type: Any) -> None:
        axis = 0 if axis is None else axis
        folded_axes(name, axis, input.ndim)
        if input.shape[axis] == 0:
            raise found_early(f"tf.{name}: axis {axis} must not be empty, got shape {input.shape}.")
        if output_type not in (None, int16, uint16, int32, int64):
            raise InvalidArgumentError.of(f"tf.{name}: output_type must be an integer, got {output_type.name}.")

    return validate


@op(dtypes=REAL | BOOL, differentiable=False, validate=_finds_index("argmax"))
def argmax(input: Array, axis: int | None = None, output_type: Dtype | None = int64) -> Array:
    """The first index of the largest element of `input` along `axis` (axis 0 if None); nan counts as the least.

    Shapes: [*dims] -> dims without `axis`.
    Dtypes: real numbers and bool -> `output_type`, int64 if None.
    Gradient: None.
    Raises: InvalidArgumentError if `axis` is out of range or empty.
    Source: TF 2.21 `tf.argmax`.
    """
    return jnp.argmax(_without_nan(input, -math.inf), axis or 0).astype((output_type or int64).as_numpy_dtype)


@op(dtypes=REAL | BOOL, differentiable=False, validate=_finds_index("argmin"))
def argmin(input: Array, axis: int | None = None, output_type: Dtype | None = int64) -> Array:
    """The first index of the smallest element of `input` along `axis` (axis 0 if None); nan counts as the greatest.

    Shapes: [*dims] -> dims without `axis`.
    Dtypes: real numbers and bool -> `output_type`, int64 if None.
    Gradient: None.
    Raises: InvalidArgumentError if `axis` is out of range or empty.
    Source: TF 2.21 `tf.argmin`.
    """
    return jnp.argmin(_without_nan(input, math.inf), axis or 0).astype((output_type or int64).as_numpy_dtype)


def _without_nan(array: Any, instead: float) -> Any:
    return jnp.where(jnp.isnan(array), instead, array) if jnp.issubdtype(array.dtype, jnp.floating) else array
