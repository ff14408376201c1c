"""The gradients of depthwise convolutions, as operations of their own."""

from __future__ import annotations

from typing import Any

import jax

from tfcompat._core.calls.declare import Array, Ints, Shape, op, shape
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._ops.sliding.convolution import CONVOLVED, aligned, require_room
from tfcompat._ops.sliding.depthwise import by_channel
from tfcompat._ops.sliding.window import Window, is_channels_first, padded, spatial


@op("nn.depthwise_conv2d_backprop_input", dtypes=CONVOLVED)
def _backprop_input(
    filter: Array,
    out_backprop: Array,
    sizes: Shape,
    strides: Ints,
    dilations: Ints,
    padding: Ints,
    channels_first: bool,
) -> Array:
    """`depthwise_conv2d_backprop_input` with resolved arguments."""
    window = Window(filter.shape[:2], strides, dilations, padding)
    image = jax.numpy.zeros(sizes, filter.dtype)
    return jax.vjp(lambda array: by_channel(array, filter, window, channels_first), image)[1](out_backprop)[0]


@op("nn.depthwise_conv2d_backprop_filter", dtypes=CONVOLVED)
def _backprop_filter(
    input: Array, out_backprop: Array, sizes: Shape, strides: Ints, dilations: Ints, padding: Ints, channels_first: bool
) -> Array:
    """`depthwise_conv2d_backprop_filter` with resolved arguments."""
    window = Window(sizes[:2], strides, dilations, padding)
    filters = jax.numpy.zeros(sizes, input.dtype)
    return jax.vjp(lambda filters: by_channel(input, filters, window, channels_first), filters)[1](out_backprop)[0]


def _window(
    name: str,
    image: tuple[int, ...],
    filters: tuple[int, ...],
    slope: Tensor,
    strides: Any,
    padding: Any,
    data_format: str,
    dilations: Any,
) -> tuple[Window, bool]:
    channels_first = is_channels_first(name, data_format, 2)
    if len(image) != 4 or len(filters) != 4 or image[1 if channels_first else -1] != filters[2]:
        raise InvalidArgumentError.of(
            f"tf.{name}: the image and the filters must have rank 4 and equal channels, got {image} and {filters}."
        )
    extents = image[2:] if channels_first else image[1:-1]
    steps = spatial(name, "strides", strides, 2, channels_first)
    spread = spatial(name, "dilations", dilations, 2, channels_first)
    window = padded(name, padding, extents, Window(filters[:2], steps, spread, ()), channels_first, True)
    require_room(name, window, extents)
    count, channels = window.counts(extents), filters[2] * filters[3]
    wanted = (image[0], channels, *count) if channels_first else (image[0], *count, channels)
    if slope._aval.shape != wanted:
        raise InvalidArgumentError.of(
            f"tf.{name}: out_backprop must have the shape of the convolution, {wanted}, got {slope._aval.shape}."
        )
    return window, channels_first


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006  # TensorFlow's default; it is only read
    name: str | None = None,
) -> Any:
    """The gradient of a depthwise convolution for its input; `out_backprop` is the gradient for its result.

    Shapes: [4], [rows, columns, in, multiplier], that of the result -> `input_sizes`.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.nn.depthwise_conv2d_backprop_input`.
    """
    del name
    kernel, slope = aligned(filter, out_backprop)
    sizes = shape(input_sizes) or ()
    place = "nn.depthwise_conv2d_backprop_input"
    window, first = _window(place, sizes, kernel._aval.shape, slope, strides, padding, data_format, dilations)
    return _backprop_input(kernel, slope, sizes, window.strides, window.dilations, window.padding, first)


def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006  # TensorFlow's default; it is only read
    name: str | None = None,
) -> Any:
    """The gradient of a depthwise convolution of `input` for its filter; `out_backprop` is the gradient for its result.

    Shapes: [batch, height, width, in], [4], that of the result -> `filter_sizes`.
    Dtypes: bfloat16, float16, float32, float64 -> same dtype.
    Raises: InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.nn.depthwise_conv2d_backprop_filter`.
    """
    del name
    array, slope = aligned(input, out_backprop)
    sizes = shape(filter_sizes) or ()
    place = "nn.depthwise_conv2d_backprop_filter"
    window, first = _window(place, array._aval.shape, sizes, slope, strides, padding, data_format, dilations)
    return _backprop_filter(array, slope, sizes, window.strides, window.dilations, window.padding, first)
