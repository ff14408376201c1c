"""Depthwise convolutions, alone and followed by a pointwise convolution."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_derivatives import SymbolicZero

from tfcompat._core.calls.declare import Array, Ints, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._jaxpr.platform import on_platform
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.sliding.atrous import with_space_to_batch
from tfcompat._ops.sliding.convolution import CONVOLVED, aligned, conv2d, convolve, require_filters, require_room
from tfcompat._ops.sliding.product_sum import along_array, along_filters, by_image, plain
from tfcompat._ops.sliding.window import Window, empty, explicit_padding, is_channels_first, padded, spatial

_Form = Callable[[Array, Array, Window], Array]
# On a CPU, XLA's convolution by channel takes time for each pair of channels: 15 ms for 8x32x32x64 and 3x3 filters.
# Sums of products take 0.4. Sums of more products than this take too long to compile.
_MOST_PRODUCTS = 49
# JAX's gradient for the array adds a padded array for each element of the window. If the window has more than these,
# another form is faster (8x14x14x480, 5x5 filters: 1.8 ms instead of 7; 8x28x28x240 with strides: 1.6 instead of 12).
_MOST_PADDED = 9


def by_channel(array: Array, filters: Array, window: Window, channels_first: bool) -> Array:
    """The convolution of each channel of `array` with its own filters, [rows, columns, channels, multiplier]."""
    counts = window.found(array.shape[2:] if channels_first else array.shape[1:-1])
    if 0 in counts:
        out = filters.shape[-2] * filters.shape[-1]
        sizes = (array.shape[0], out, *counts) if channels_first else (array.shape[0], *counts, out)
        return empty(sizes, array, filters)
    is_small = math.prod(window.size) * filters.shape[-1] <= _MOST_PRODUCTS and not any(
        map(is_open, (*array.shape, *filters.shape))
    )
    if channels_first or not is_small or 0 in array.shape:
        return _grouped(array, filters, window, channels_first)
    return _by_channel(array, filters, window)


def _grouped(array: Array, filters: Array, window: Window, channels_first: bool = False) -> Array:
    return convolve(array, filters.reshape(*filters.shape[:2], 1, -1), window, channels_first)


def _on_stored(array: Array, filters: Array, form: _Form, window: Window) -> Array:
    """`form` in a branch that is always taken: else XLA computes the array again for each position.

    XLA simplifies branches before it removes the barrier. A condition on the arrays would not be one value where they
    are mapped over rows, and JAX can't transpose such a branch.
    """
    sizes = (array.shape[0], *window.counts(array.shape[1:-1]), math.prod(filters.shape[2:]))
    return lax.cond(
        lax.optimization_barrier(np.True_),
        lambda array, filters: form(array, filters, window),
        lambda *_: jnp.zeros(sizes, array.dtype),
        array,
        filters,
    )


def _on_a_cpu(array: Array, filters: Array, form: _Form, window: Window) -> Array:
    """The convolution with channels last: in the given form on a CPU, elsewhere a convolution in groups."""
    return on_platform(
        array,
        filters,
        cpu=functools.partial(_on_stored, form=form, window=window),
        default=functools.partial(_grouped, window=window),
    )


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _by_channel(array: Array, filters: Array, window: Window) -> Array:
    return _on_a_cpu(array, filters, by_image, window)


def _by_channel_jvp(window: Window, primals: tuple[Array, Array], tangents: tuple[Any, Any]) -> tuple[Array, Any]:
    (array, filters), (moved_array, moved_filters) = primals, tangents
    out = _by_channel(array, filters, window)
    change: Any = None
    if not isinstance(moved_array, SymbolicZero):
        is_alone = 1 in (math.prod(window.strides), math.prod(window.dilations))
        form = along_array if is_alone and math.prod(window.size) > _MOST_PADDED else plain
        change = _on_a_cpu(moved_array, filters, form, window)
    if not isinstance(moved_filters, SymbolicZero):
        term = _on_a_cpu(array, moved_filters, along_filters, window)
        change = term if change is None else change + term
    return out, jnp.zeros_like(out) if change is None else change


_by_channel.defjvp(_by_channel_jvp, symbolic_zeros=True)


@op("nn.depthwise_conv2d", dtypes=CONVOLVED)
def _depthwise_conv2d(
    input: Array, filter: Array, strides: Ints, dilations: Ints, padding: Ints, channels_first: bool
) -> Array:
    """`depthwise_conv2d` with resolved arguments."""
    window = Window(filter.shape[:2], strides, dilations, padding)
    return by_channel(input, filter, window, channels_first)


@op("nn.separable_conv2d", dtypes=CONVOLVED)
def _separable_conv2d(
    input: Array,
    depthwise_filter: Array,
    pointwise_filter: Array,
    strides: Ints,
    dilations: Ints,
    padding: Ints,
    channels_first: bool,
) -> Array:
    """`separable_conv2d` with resolved arguments."""
    window = Window(depthwise_filter.shape[:2], strides, dilations, padding)
    channels = by_channel(input, depthwise_filter, window, channels_first)
    point = Window((1, 1), (1, 1), (1, 1), ((0, 0), (0, 0)))
    return convolve(channels, pointwise_filter, point, channels_first)


def _window(
    name: str,
    shape: tuple[int, ...],
    kernel: Tensor,
    strides: Any,
    padding: Any,
    data_format: str | None,
    dilations: Any = None,
) -> tuple[Window, bool]:
    channels_first = is_channels_first(name, data_format, 2)
    filters = kernel._aval.shape
    for what, value, lengths in (("strides", strides, (4,)), ("dilations", dilations, (1, 2))):
        if isinstance(value, int):
            raise TypeError(f"tf.{name}: {what} must be a list, got {value}.")
        if value is not None and len(value) not in lengths:
            raise ValueError(f"tf.{name}: {what} must have length {lengths[-1]}, got {value}.")
    require_filters(name, kernel, 2)
    if len(shape) != 4 or shape[1 if channels_first else -1] != filters[2]:
        raise InvalidArgumentError.of(
            f"tf.{name}: input must have rank 4 and as many channels as the filter, got shapes {shape} and {filters}."
        )
    steps = spatial(name, "strides", strides, 2, channels_first)
    spread = spatial(name, "dilations", dilations, 2, channels_first)
    extents = shape[2:] if channels_first else shape[1:-1]
    window = padded(name, padding, extents, Window(filters[:2], steps, spread, ()), channels_first, True)
    require_room(name, window, extents)
    return window, channels_first


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The convolution of each channel of `input` with its own filters in `filter`; `strides` is a list of four.

    Shapes: [batch, height, width, in], [rows, columns, in, multiplier] -> [batch, rows of windows, columns of windows,
      in * multiplier]; "NCHW": channels before height.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit; TypeError if `strides` or `dilations` is not a list.
    Source: TF 2.21 `tf.nn.depthwise_conv2d`.
    """
    del name
    array, kernel = aligned(input, filter)
    if _is_strided_and_dilated(strides, dilations):
        return _dilated("nn.depthwise_conv2d", array, kernel, strides, padding, data_format, dilations)
    place = "nn.depthwise_conv2d", array._aval.shape
    window, channels_first = _window(*place, kernel, strides, padding, data_format, dilations)
    return _depthwise_conv2d(array, kernel, window.strides, window.dilations, window.padding, channels_first)


def _is_strided_and_dilated(strides: Any, dilations: Any) -> bool:
    """Whether both are greater than 1."""
    is_list = isinstance(strides, (list, tuple)) and isinstance(dilations, (list, tuple))
    return is_list and max(strides, default=1) > 1 and max(dilations, default=1) > 1


def _dilated(
    name: str, array: Tensor, kernel: Tensor, strides: Any, padding: Any, data_format: str | None, dilations: Any
) -> Any:
    """The strided convolution of every n-th element: TensorFlow's combination of strides and dilations."""

    def strided(part: Tensor, ndim: int, padding: Any) -> Any:
        del ndim
        window, channels_first = _window(name, part._aval.shape, kernel, strides, padding, data_format)
        return _depthwise_conv2d(part, kernel, window.strides, window.dilations, window.padding, channels_first)

    channels_first = is_channels_first(name, data_format, 2)
    if isinstance(padding, (list, tuple)):
        padding = explicit_padding(name, padding, 2, channels_first)
    size = kernel._aval.shape[:2]
    return with_space_to_batch(array, dilations, padding, strided, size, data_format=data_format)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """A convolution of each channel of `input` with `depthwise_filter`, then one over the channels with 1x1 filters.

    Shapes: [batch, height, width, in], [rows, columns, in, multiplier], [1, 1, in * multiplier, out] -> [batch, rows of
      windows, columns of windows, out]; "NCHW": channels before height.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: as `depthwise_conv2d`, and InvalidArgumentError if `pointwise_filter` doesn't fit.
    Source: TF 2.21 `tf.nn.separable_conv2d`.
    """
    del name
    array, kernel, point = aligned(input, depthwise_filter, pointwise_filter)
    place = "nn.separable_conv2d"
    if _is_strided_and_dilated(strides, dilations):
        channels = _dilated(place, array, kernel, strides, padding, data_format, dilations)
        return conv2d(channels, point, 1, "VALID", data_format or "NHWC")
    window, channels_first = _window(place, array._aval.shape, kernel, strides, padding, data_format, dilations)
    require_filters(place, point, 2)
    *_, channels, multiplier = kernel._aval.shape
    if point._aval.shape[:3] != (1, 1, channels * multiplier):
        raise InvalidArgumentError.of(
            f"tf.{place}: pointwise_filter must be [1, 1, channels of the depthwise result, out], got shape "
            f"{tuple(point.shape)} for depthwise_filter of shape {tuple(kernel.shape)}."
        )
    steps = (window.strides, window.dilations, window.padding)
    return _separable_conv2d(array, kernel, point, *steps, channels_first)
