"""Depthwise convolutions, alone and followed by a pointwise convolution."""

from __future__ import annotations

from typing import Any

from tfcompat._core.declare import Array, Ints, op
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.tensor import Tensor
from tfcompat._ops.sliding.atrous import with_space_to_batch
from tfcompat._ops.sliding.convolution import CONVOLVED, aligned, conv2d, convolve, require_filters, require_room
from tfcompat._ops.sliding.window import Window, explicit_padding, is_channels_first, padded, spatial


def by_channel(array: Array, filters: Array, window: Window, channels_first: bool) -> Array:
    """The convolution of each channel of `array` with its own filters, [rows, columns, channels, multiplier]."""
    grouped = filters.reshape(*filters.shape[:2], 1, -1)
    return convolve(array, grouped, window, channels_first)


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
