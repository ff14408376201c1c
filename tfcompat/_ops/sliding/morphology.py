"""Dilation and erosion of greyscale images: the largest sum, or smallest difference, of a window and a filter."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.calls.declare import Array, Ints, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import REAL, UNSIGNED
from tfcompat._jaxpr.size import are_below
from tfcompat._ops.derivative import larger
from tfcompat._ops.sliding.window import Window, padded, spatial


def _largest_sum(image: Array, filters: Array, window: Window) -> Array:
    """The largest sum of the filters and the part of each window that is inside the image."""
    counts = window.found(image.shape[1:3])
    if 0 in counts:
        return jnp.zeros((image.shape[0], *counts, image.shape[3]), image.dtype)
    whole = window.over_all(False)
    lowest = -np.inf if jnp.issubdtype(image.dtype, jnp.floating) else np.iinfo(image.dtype).min
    is_inside = whole.elements(jnp.ones((1, *image.shape[1:3], 1), bool), False)
    weights = filters.reshape(-1, filters.shape[-1])
    sums = [
        jnp.where(inside, element + weight, jnp.asarray(lowest, image.dtype))
        for element, inside, weight in zip(whole.elements(image, 0), is_inside, weights, strict=True)
    ]
    return functools.reduce(larger, sums)


@op("nn.dilation2d", dtypes=REAL)
def _dilation2d(input: Array, filters: Array, strides: Ints, dilations: Ints, padding: Ints) -> Array:
    """`dilation2d` with resolved arguments."""
    return _largest_sum(input, filters, Window(filters.shape[:2], strides, dilations, padding))


def _arguments(
    name: str, array: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any
) -> tuple[Tensor, Tensor, Window]:
    """The image, the filters and the window for the arguments of a public function."""
    if data_format != "NHWC":
        raise ValueError(f"tf.{name}: data_format must be 'NHWC', got {data_format!r}.")
    image, kernel = convert_to_tensor(array), convert_to_tensor(filters)
    for what, value in (("strides", strides), ("dilations", dilations)):
        if len(value) != 4:
            raise InvalidArgumentError.of(f"tf.{name}: {what} must have length 4, got {value}.")
    shape, size = image._aval.shape, kernel._aval.shape
    if len(shape) != 4 or len(size) != 3 or shape[-1] != size[-1]:
        raise InvalidArgumentError.of(
            f"tf.{name}: the image must have rank 4, and the filters rank 3 and equal channels, got shapes {shape} "
            f"and {size}."
        )
    steps, spread = (
        spatial(name, what, value, 2, False) for what, value in (("strides", strides), ("dilations", dilations))
    )
    window = padded(name, padding, shape[1:3], Window(size[:2], steps, spread, ()), False, False)
    for extent, reach, step, pair in zip(shape[1:3], window.reach, window.strides, window.padding, strict=True):
        # TensorFlow rounds the number of windows toward zero.
        if pair is not None and are_below([extent + sum(pair)], reach - 2 * step + 1):
            raise InvalidArgumentError.of(
                f"tf.{name}: the filters must fit into the image, got shapes {shape} and {size}."
            )
    return image, kernel, window


def dilation2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, name: str | None = None
) -> Tensor:
    """The largest sum of `filters` and each window of `input`, channel by channel.

    Shapes: [batch, height, width, channels], [rows, columns, channels] -> one element for each window.
    Dtypes: real numbers -> same.
    Gradient: to the first of equal sums.
    Raises: ValueError if `data_format` isn't "NHWC"; InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.nn.dilation2d`.
    """
    del name
    image, kernel, window = _arguments("nn.dilation2d", input, filters, strides, padding, data_format, dilations)
    return _dilation2d(image, kernel, window.strides, window.dilations, window.padding)


@op("nn.erosion2d", dtypes=REAL - UNSIGNED)
def _erosion2d(value: Array, filters: Array, strides: Ints, dilations: Ints, padding: Ints) -> Array:
    """`erosion2d` with resolved arguments."""
    window = Window(filters.shape[:2], strides, dilations, padding)
    return -_largest_sum(-value, jnp.flip(filters, (0, 1)), window)


def erosion2d(
    value: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, name: str | None = None
) -> Tensor:
    """The smallest difference of each window of `value` and the reversed `filters`, channel by channel.

    Shapes: [batch, height, width, channels], [rows, columns, channels] -> one element for each window.
    Dtypes: real numbers with sign -> same.
    Gradient: to the first of equal differences.
    Raises: ValueError if `data_format` isn't "NHWC"; InvalidArgumentError if shapes don't fit.
    Source: TF 2.21 `tf.nn.erosion2d`.
    """
    del name
    image, kernel, window = _arguments("nn.erosion2d", value, filters, strides, padding, data_format, dilations)
    return _erosion2d(image, kernel, window.strides, window.dilations, window.padding)
