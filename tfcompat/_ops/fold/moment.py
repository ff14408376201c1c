"""Mean and variance computed together, their weighted forms, and sufficient statistics."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Axes, integers, op
from tfcompat._core.calls.dispatch import dispatched
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DENSE, INEXACT, int32, int64
from tfcompat._ops.derivative import quotient_or_zero, squared_difference
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.elementwise.row import no_bool
from tfcompat._ops.fold.axes import axis_exists, folded_axes
from tfcompat._ops.fold.reduction import mean_over

_NO_BOOL = no_bool("nn.sufficient_statistics")


@op("nn.moments", dtypes=INEXACT | {int32, int64}, validate=axis_exists("nn.moments"), structure=tuple)
def _moments(x: Array, axis: Axes, keepdims: bool = False) -> tuple[Array, Array]:
    """`moments` as a recorded op."""
    precise = x.astype(jnp.float32) if x.dtype == jnp.float16 else x
    mean = mean_over(precise, axis, True)
    variance = mean_over(squared_difference(precise, lax.stop_gradient(mean)), axis, keepdims)
    if not keepdims:
        mean = lax.squeeze(mean, folded_axes("nn.moments", axis, x.ndim))
    return mean.astype(x.dtype), variance.astype(x.dtype)


@dispatched
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of `x` over `axes`, or over every axis when it is None.

    `shift` has no effect, as in TensorFlow.

    Shapes: [*dims] -> dims without `axes`, twice; with 1 in their place if `keepdims`.
    Dtypes: floating, complex, int32, int64 -> the same; float16 is summed in float32.
    Raises: InvalidArgumentError for another dtype, or if an axis is out of range or repeated.
    Source: TF 2.21 `tf.nn.moments`.
    """
    del shift
    return _moments(x, axes, keepdims, name)


@op("nn.sufficient_statistics", dtypes=DENSE, validate=_NO_BOOL, structure=tuple)
def _sums(x: Array, shift: Array, axes: Axes, keepdims: bool) -> tuple[Array, Array]:
    return (
        jnp.sum(x - shift, axes, keepdims=keepdims, dtype=x.dtype),
        jnp.sum(squared_difference(x, shift), axes, keepdims=keepdims, dtype=x.dtype),
    )


@op("nn.sufficient_statistics", dtypes=DENSE, validate=_NO_BOOL, structure=tuple)
def _plain_sums(x: Array, axes: Axes, keepdims: bool) -> tuple[Array, Array]:
    return (
        jnp.sum(x, axes, keepdims=keepdims, dtype=x.dtype),
        jnp.sum(x * x, axes, keepdims=keepdims, dtype=x.dtype),
    )


@dispatched
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """The number of elements of `x` along `axes`, the sum of `x - shift`, the sum of its squares, and `shift`.

    Shapes: [*dims] -> [], dims without `axes` twice (1 in their place if `keepdims`), that of `shift`.
    Dtypes: numbers -> same.
    Raises: TypeError for bool, or if `axes` is not a list; InvalidArgumentError if an axis is out of range.
    Source: TF 2.21 `tf.nn.sufficient_statistics`.
    """
    del name
    tensor = convert_to_tensor(x)
    chosen = folded_axes("nn.sufficient_statistics", tuple(set(axes)), tensor.ndim)
    count = math.prod(tensor._aval.shape[axis] for axis in chosen)
    counts = Tensor(np.asarray(count, tensor.dtype.as_numpy_dtype))
    if shift is None:
        return counts, *_plain_sums(tensor, chosen, keepdims), None
    moved = convert_to_tensor(shift)
    return counts, *_sums(tensor, moved, chosen, keepdims), moved


@op("nn.normalize_moments", dtypes=INEXACT, structure=tuple)
def _normalized(counts: Array, mean_ss: Array, variance_ss: Array, shift: Array) -> tuple[Array, Array]:
    mean = mean_ss / counts
    return mean + shift, variance_ss / counts - mean * mean


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and variance for the result of `sufficient_statistics`; `shift` may be None.

    Shapes: [] or that of `mean_ss`; [*dims], [*dims], [*dims] -> [*dims] twice.
    Dtypes: floating, complex -> same.
    Raises: InvalidArgumentError if the dtypes differ.
    Source: TF 2.21 `tf.nn.normalize_moments`.
    """
    del name
    sums = convert_to_tensor(mean_ss)
    moved = Tensor(np.zeros((), sums.dtype.as_numpy_dtype)) if shift is None else shift
    return _normalized(counts, sums, variance_ss, moved)


@op("nn.weighted_moments", dtypes=INEXACT, structure=tuple)
def _weighted(x: Array, frequency_weights: Array, axes: Axes, keepdims: bool) -> tuple[Array, Array]:
    wide = x.astype(jnp.float32) if x.dtype == jnp.float16 else x
    weights = frequency_weights.astype(wide.dtype)
    total = jnp.sum(weights + jnp.zeros_like(wide), axes, keepdims=True)
    mean = quotient_or_zero(jnp.sum(weights * wide, axes, keepdims=True), total)
    spread = jnp.sum(weights * squared_difference(wide, mean), axes, keepdims=True)
    variance = quotient_or_zero(spread, total)
    if not keepdims:
        mean, variance = jnp.squeeze(mean, axes), jnp.squeeze(variance, axes)
    return mean.astype(x.dtype), variance.astype(x.dtype)


@dispatched
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and variance of `x` over `axes`, weighted by `frequency_weights`; 0 where the weights sum to 0.

    Shapes: [*dims], a shape that broadcasts to it -> dims without `axes`, twice; with 1 in their place if `keepdims`.
    Dtypes: floating, complex -> same; float16 is summed in float32.
    Raises: InvalidArgumentError for another dtype, or if an axis is out of range.
    Source: TF 2.21 `tf.nn.weighted_moments`.
    """
    del name
    tensor = convert_to_tensor(x)
    chosen = folded_axes("nn.weighted_moments", integers(axes), tensor.ndim)
    weights = as_tensor(frequency_weights)
    weights = convert_to_tensor(frequency_weights) if weights is None else weights
    return _weighted(tensor, cast(weights, tensor.dtype), chosen, bool(keepdims))
