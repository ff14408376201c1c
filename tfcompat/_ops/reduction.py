"""Functions that fold axes away: sums, means, products, extremes."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from tfcompat._core.declare import Array, Axes, op
from tfcompat._core.dtype import BOOL, NUMERIC, REAL
from tfcompat._ops.fold import axis_exists, count, folded_axes


@op(dtypes=NUMERIC, validate=axis_exists("reduce_sum"))
def reduce_sum(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Sums `input_tensor` over `axis`, or over every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: numbers -> the same (an int8 sum stays int8).
    Raises: InvalidArgumentError if an axis is out of range or comes twice.
    Source: TF 2.21 `tf.reduce_sum`.
    """
    return jnp.sum(input_tensor, axis, keepdims=keepdims, dtype=input_tensor.dtype)


@op(dtypes=NUMERIC, validate=axis_exists("reduce_mean"))
def reduce_mean(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The mean of `input_tensor` over `axis`, or over every axis when `axis` is None.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: numbers -> the same (a mean of integers is cut towards zero; one of float16 overflows where the sum does).
    Raises: InvalidArgumentError if an axis is out of range or comes twice.
    Source: TF 2.21 `tf.reduce_mean`.
    """
    dtype, size = input_tensor.dtype, count(input_tensor, axis)
    if not jnp.issubdtype(dtype, jnp.integer):
        return jnp.sum(input_tensor, axis, keepdims=keepdims, dtype=dtype) / jnp.asarray(size, dtype)
    wide = jnp.uint64 if dtype == jnp.uint64 else jnp.int64
    total = jnp.sum(input_tensor, axis, keepdims=keepdims, dtype=wide)
    return (jnp.sign(total) * (jnp.abs(total) // wide(max(size, 1)))).astype(dtype)


def _extreme(function: Any, array: Any, axis: Any, keepdims: bool, identity: Any) -> Any:
    """`function`, and `identity` of nothing."""
    folded = folded_axes("", axis, array.ndim)
    if count(array, axis):
        return function(array, folded, keepdims=keepdims)
    dims = [1 if k in folded else n for k, n in enumerate(array.shape) if keepdims or k not in folded]
    return jnp.full(dims, identity, array.dtype)


def _limit(dtype: Any, which: str) -> Any:
    if jnp.issubdtype(dtype, jnp.floating):
        return {"min": -math.inf, "max": math.inf}[which]
    return getattr(jnp.iinfo(dtype), which)


@op(dtypes=REAL, validate=axis_exists("reduce_max"))
def reduce_max(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The largest element of `input_tensor` along `axis`, or of all when `axis` is None; nan if there is one.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: real numbers -> the same (of nothing -inf, or the smallest integer).
    Gradient: the largest elements share it evenly.
    Raises: InvalidArgumentError if an axis is out of range or comes twice.
    Source: TF 2.21 `tf.reduce_max`.
    """
    return _extreme(jnp.max, input_tensor, axis, keepdims, _limit(input_tensor.dtype, "min"))


@op(dtypes=REAL, validate=axis_exists("reduce_min"))
def reduce_min(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """The smallest element of `input_tensor` along `axis`, or of all when `axis` is None; nan if there is one.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: real numbers -> the same (of nothing inf, or the largest integer).
    Gradient: the smallest elements share it evenly.
    Raises: InvalidArgumentError if an axis is out of range or comes twice.
    Source: TF 2.21 `tf.reduce_min`.
    """
    return _extreme(jnp.min, input_tensor, axis, keepdims, _limit(input_tensor.dtype, "max"))


@op(dtypes=BOOL, validate=axis_exists("reduce_all"))
def reduce_all(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether all of `input_tensor` along `axis`, or every element when `axis` is None, is True.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: bool -> bool (of nothing True).
    Raises: InvalidArgumentError if an axis is out of range or comes twice.
    Source: TF 2.21 `tf.reduce_all`.
    """
    return jnp.all(input_tensor, axis, keepdims=keepdims)


@op(dtypes=BOOL, validate=axis_exists("reduce_any"))
def reduce_any(input_tensor: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether any of `input_tensor` along `axis`, or any element when `axis` is None, is True.

    Shapes: [*dims] -> dims without `axis`; with 1 in its place if `keepdims`.
    Dtypes: bool -> bool (of nothing False).
    Raises: InvalidArgumentError if an axis is out of range or comes twice.
    Source: TF 2.21 `tf.reduce_any`.
    """
    return jnp.any(input_tensor, axis, keepdims=keepdims)
