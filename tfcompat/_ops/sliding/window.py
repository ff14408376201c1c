"""Sliding windows: strides, dilations, paddings and data formats for an input of a known shape."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.calls.declare import Array, integers
from tfcompat._core.system.error import InvalidArgumentError, UnimplementedError, found_early
from tfcompat._core.tracing.known_size import is_known_while_traced
from tfcompat._core.types.dtype import as_dtype
from tfcompat._jaxpr.size import are_below, is_open

Pairs = tuple[tuple[int, int], ...]
FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


@dataclass(frozen=True)
class Window:
    """A window that slides over the spatial axes of an array; each tuple has one entry per axis.

    Attributes:
      size: number of elements of the window.
      strides: the distance between neighbouring windows.
      dilations: the distance between neighbouring elements of a window.
      padding: number of elements added before and after; None for those that "SAME" adds, which depend on the extent of
        the input where the stride is above 1.
    """

    size: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: tuple[tuple[int, int] | None, ...]

    def margins(self, extents: tuple[int, ...]) -> Pairs:
        """The padding of an input with `extents`."""
        axes = zip(extents, self.reach, self.strides, strict=True)
        return tuple([_same(*axis) if pair is None else pair for pair, axis in zip(self.padding, axes, strict=True)])

    @property
    def reach(self) -> tuple[int, ...]:
        """The distance from the first to the last element of a window, both included."""
        return tuple((n - 1) * dilation + 1 for n, dilation in zip(self.size, self.dilations, strict=True))

    def over_all(self, channels_first: bool) -> Window:
        """The same window with an entry for each axis of the array, batch and channels included."""

        def extended(entries: tuple[Any, ...], one: Any) -> tuple[Any, ...]:
            return (one, one, *entries) if channels_first else (one, *entries, one)

        size, strides, dilations = (extended(entries, 1) for entries in (self.size, self.strides, self.dilations))
        return Window(size, strides, dilations, extended(self.padding, (0, 0)))

    def spatial(self, channels_first: bool) -> Window:
        """The same window, which is over all axes of the array, with an entry for each spatial axis."""
        axes = slice(2, None) if channels_first else slice(1, -1)
        return Window(self.size[axes], self.strides[axes], self.dilations[axes], self.padding[axes])

    def along(self, axis: int) -> Window:
        """The window with this one's extent along `axis`, and one element along every other axis."""

        def alone(entries: tuple[Any, ...], one: Any) -> tuple[Any, ...]:
            return tuple(entry if k == axis else one for k, entry in enumerate(entries))

        size, strides, dilations = (alone(entries, 1) for entries in (self.size, self.strides, self.dilations))
        return Window(size, strides, dilations, alone(self.padding, (0, 0)))

    def elements(self, array: Array, fill: Any) -> Iterator[Array]:
        """For each position in the window, which is over all axes, the element of each window at that position."""
        pairs, counts = self.margins(array.shape), self.counts(array.shape)
        if any(map(adds, pairs)):
            array = lax.pad(array, jnp.asarray(fill, array.dtype), [(*pair, 0) for pair in pairs])
        for place in itertools.product(*map(range, self.size)):
            start = [k * dilation for k, dilation in zip(place, self.dilations, strict=True)]
            limit = [s + (n - 1) * stride + 1 for s, n, stride in zip(start, counts, self.strides, strict=True)]
            yield lax.slice(array, start, limit, self.strides)

    def counts(self, extents: tuple[int, ...]) -> tuple[int, ...]:
        """The number of windows along each axis of an input with `extents`; not positive if none fits."""
        axes = zip(extents, self.padding, self.reach, self.strides, strict=True)
        return tuple([_count(*axis) for axis in axes])

    def found(self, extents: tuple[int, ...]) -> tuple[int, ...]:
        """The number of windows along each axis, 0 if none fits."""
        return tuple([count if is_open(count) else max(count, 0) for count in self.counts(extents)])

    def has_room(self, extents: tuple[int, ...]) -> bool:
        """Whether TensorFlow accepts the window for an input with `extents`.

        Where it knows the sizes while it traces, the padded input must be as large as a window. Its kernels find no
        windows if less than two strides are missing.
        """
        is_strict = is_known_while_traced()
        for extent, pair, reach, stride in zip(extents, self.padding, self.reach, self.strides, strict=True):
            if pair is None or (not is_open(extent) and extent == 0 and sum(pair) == reach - 1):
                continue  # "SAME", in the second case of no elements
            least = reach if is_strict else reach - 2 * stride + 1
            if are_below((extent + sum(pair),), least):
                return False
        return True

    def closed(self, array: Array) -> tuple[Array, Window]:
        """The part of `array`, padded, that the windows cover along each axis whose size has symbols, and its window.

        JAX differentiates a convolution with strides if its windows cover all elements.
        """
        config = [(0, 0, 0)] * array.ndim
        padding = list(self.margins(array.shape))
        counts = self.counts(array.shape)
        for axis, (size, stride) in enumerate(zip(array.shape, self.strides, strict=True)):
            pair = padding[axis]
            if is_open(size) and (stride > 1 or any(map(is_open, pair))):
                covered = (counts[axis] - 1) * stride + self.reach[axis]
                config[axis] = (pair[0], covered - size - pair[0], 0)
                padding[axis] = (0, 0)
        if any(map(any, config)):
            array = lax.pad(array, jnp.zeros((), array.dtype), config)
        return array, Window(self.size, self.strides, self.dilations, tuple(padding))


def empty(shape: tuple[int, ...], *arrays: Array) -> Array:
    """The array of `shape`, which has no elements, as a function of `arrays`: their gradients are zeros."""
    return jnp.broadcast_to(sum(array.sum(dtype=array.dtype) for array in arrays), shape)


def adds(pair: tuple[int, int] | None) -> bool:
    """Whether a window with this padding along an axis can add elements."""
    return pair is None or any(is_open(count) or count for count in pair)


def is_channels_first(name: str, data_format: str | None, ndim: int) -> bool:
    """Whether `data_format` puts the channels before the `ndim` spatial axes."""
    last, first = FORMATS[ndim]
    if data_format is None or data_format == last:
        return False
    if data_format != first:
        raise InvalidArgumentError.of(f"tf.{name}: data_format must be {last!r} or {first!r}, got {data_format!r}.")
    return True


def truncated(value: Any) -> Any:
    """A static integer, or a list of them as a tuple. Fractions are cut off, as TensorFlow does: 2.5 is 2."""
    if isinstance(value, (list, tuple)):
        return tuple([_cut(each) for each in value])
    return integers(int(value) if isinstance(value, (float, bool, np.floating)) else value)


def _cut(value: Any) -> Any:
    dtype = as_dtype(value.dtype) if hasattr(value, "dtype") else None
    is_number = dtype is not None and (dtype.is_floating or dtype.is_bool)
    return int(np.asarray(value)) if is_number or isinstance(value, (float, bool)) else integers(value)


def spatial(
    name: str, what: str, value: Any, ndim: int, channels_first: bool, *, is_for_kernel: bool = False
) -> tuple[int, ...]:
    """`value` (a number, or a list of 1, `ndim` or `ndim` + 2) as a positive integer for each of `ndim` spatial axes.

    If it `is_for_kernel`, TensorFlow does not check while it traces whether it is positive.

    Raises: ValueError for another length; InvalidArgumentError if an integer isn't positive; UnimplementedError if it
      isn't 1 for the batch or the channels.
    """
    given = truncated(1 if value is None else value)
    found = (given,) if isinstance(given, int) else given
    if len(found) == 1:
        found *= ndim
    if len(found) == ndim + 2:
        channel = 1 if channels_first else ndim + 1
        if found[0] != 1 or found[channel] != 1:
            raise UnimplementedError.of(f"tf.{name}: {what} must be 1 for the batch and the channels, got {value}.")
        found = found[2:] if channels_first else found[1:-1]
    if len(found) != ndim:
        raise ValueError(
            f"tf.{name}: {what} must have length 1, {ndim} or {ndim + 2}, got {value} of length {len(found)}."
        )
    if min(found) < 1:
        refuse = found_early if is_for_kernel else InvalidArgumentError.of
        raise refuse(f"tf.{name}: {what} must be positive, got {value}.")
    return found


def explicit_padding(name: str, padding: Any, ndim: int, channels_first: bool) -> Pairs:
    """The (before, after) pairs of the spatial axes in a list of pairs for every axis."""
    pairs = integers(padding)
    if len(pairs) != ndim + 2:
        raise ValueError(
            f"tf.{name}: a list as padding must have length {ndim + 2}, got {padding} of length {len(pairs)}."
        )
    if any(isinstance(pair, int) or len(pair) != 2 for pair in pairs):
        raise ValueError(f"tf.{name}: a list as padding must consist of pairs, got {padding}.")
    if min(min(pair) for pair in pairs) < 0:
        raise InvalidArgumentError.of(f"tf.{name}: padding must not be negative, got {padding}.")
    channel = 1 if channels_first else ndim + 1
    if pairs[0] != (0, 0) or pairs[channel] != (0, 0):
        raise InvalidArgumentError.of(f"tf.{name}: padding must be 0 for the batch and the channels, got {padding}.")
    return pairs[2:] if channels_first else pairs[1:-1]


def padded(
    name: str, padding: Any, extents: tuple[int, ...], window: Window, channels_first: bool, allows_explicit: bool
) -> Window:
    """`window` with the padding for "SAME", "VALID" or a list of pairs, for an input with `extents`."""
    ndim = len(extents)
    if isinstance(padding, (list, tuple)) and allows_explicit:
        pairs = explicit_padding(name, padding, ndim, channels_first)
    elif not isinstance(padding, str):
        raise TypeError(f'tf.{name}: padding must be "SAME" or "VALID", got {padding!r}.')
    elif padding == "SAME":
        axes = zip(extents, window.reach, window.strides, strict=True)
        pairs = tuple([None if axis[-1] > 1 else _same(*axis) for axis in axes])
    elif padding == "VALID":
        pairs = ((0, 0),) * ndim
    elif padding == "EXPLICIT" and allows_explicit:
        raise ValueError(f"tf.{name}: explicit padding must be a list of pairs, got {padding!r}.")
    else:
        raise InvalidArgumentError.of(f'tf.{name}: padding must be "SAME" or "VALID", got {padding!r}.')
    return Window(window.size, window.strides, window.dilations, pairs)


def _same(extent: int, reach: int, stride: int) -> tuple[int, int]:
    """The padding for which an axis of `extent` has ceil(extent / stride) windows; an odd element goes to the end."""
    missing = ((extent + stride - 1) // stride - 1) * stride + reach - extent
    if not is_open(missing):
        missing = max(missing, 0)
    elif reach < stride:  # then it is at least 1 - stride and less than stride, and so this the larger of it and 0
        missing = missing * (missing // stride + 1)
    return missing // 2, missing - missing // 2


def _count(extent: int, pair: tuple[int, int] | None, reach: int, stride: int) -> int:
    """The number of windows along an axis of `extent`."""
    if pair is None:
        return (extent + stride - 1) // stride
    return (extent + sum(pair) - reach) // stride + 1
