"""Sliding windows: strides, dilations, paddings and data formats for an input of a known shape."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.declare import Array, integers
from tfcompat._core.error import InvalidArgumentError, UnimplementedError

Pairs = tuple[tuple[int, int], ...]
FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


@dataclass(frozen=True)
class Window:
    """A window that slides over the spatial axes of an array; each tuple has one entry per axis.

    Attributes:
      size: number of elements of the window.
      strides: the distance between neighbouring windows.
      dilations: the distance between neighbouring elements of a window.
      padding: number of elements added before and after.
    """

    size: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: Pairs

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

    def along(self, axis: int) -> Window:
        """The window with this one's extent along `axis`, and one element along every other axis."""

        def alone(entries: tuple[Any, ...], one: Any) -> tuple[Any, ...]:
            return tuple(entry if k == axis else one for k, entry in enumerate(entries))

        size, strides, dilations = (alone(entries, 1) for entries in (self.size, self.strides, self.dilations))
        return Window(size, strides, dilations, alone(self.padding, (0, 0)))

    def elements(self, array: Array, fill: Any) -> Iterator[Array]:
        """For each position in the window, which is over all axes, the element of each window at that position."""
        counts = self.counts(array.shape)
        if any(map(any, self.padding)):
            array = lax.pad(array, jnp.asarray(fill, array.dtype), [(*pair, 0) for pair in self.padding])
        for place in itertools.product(*map(range, self.size)):
            start = [k * dilation for k, dilation in zip(place, self.dilations, strict=True)]
            limit = [s + (n - 1) * stride + 1 for s, n, stride in zip(start, counts, self.strides, strict=True)]
            yield lax.slice(array, start, limit, self.strides)

    def counts(self, extents: tuple[int, ...]) -> tuple[int, ...]:
        """The number of windows along each axis of an input with `extents`; not positive if none fits."""
        pairs = zip(extents, self.padding, self.reach, self.strides, strict=True)
        return tuple(
            (extent + before + after - reach) // stride + 1 for extent, (before, after), reach, stride in pairs
        )


def is_channels_first(name: str, data_format: str | None, ndim: int) -> bool:
    """Whether `data_format` puts the channels before the `ndim` spatial axes."""
    last, first = FORMATS[ndim]
    if data_format is None or data_format == last:
        return False
    if data_format != first:
        raise InvalidArgumentError.of(f"tf.{name}: data_format must be {last!r} or {first!r}, got {data_format!r}.")
    return True


def spatial(name: str, what: str, value: Any, ndim: int, channels_first: bool) -> tuple[int, ...]:
    """`value` (an integer, or a list of 1, `ndim` or `ndim` + 2) as a positive integer for each of `ndim` spatial axes.

    Raises: ValueError for another length; InvalidArgumentError if an integer isn't positive; UnimplementedError if it
      isn't 1 for the batch or the channels.
    """
    given = integers(1 if value is None else value)
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
        raise InvalidArgumentError.of(f"tf.{name}: {what} must be positive, got {value}.")
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
    """`window` with the explicit padding for "SAME", "VALID" or a list of pairs, for an input with `extents`."""
    ndim = len(extents)
    if isinstance(padding, (list, tuple)) and allows_explicit:
        pairs = explicit_padding(name, padding, ndim, channels_first)
    elif not isinstance(padding, str):
        raise TypeError(f'tf.{name}: padding must be "SAME" or "VALID", got {padding!r}.')
    elif padding == "SAME":
        pairs = tuple(map(_same, extents, window.reach, window.strides))
    elif padding == "VALID":
        pairs = ((0, 0),) * ndim
    elif padding == "EXPLICIT" and allows_explicit:
        raise ValueError(f"tf.{name}: explicit padding must be a list of pairs, got {padding!r}.")
    else:
        raise InvalidArgumentError.of(f'tf.{name}: padding must be "SAME" or "VALID", got {padding!r}.')
    return Window(window.size, window.strides, window.dilations, pairs)


def _same(extent: int, reach: int, stride: int) -> tuple[int, int]:
    """The padding for which an axis of `extent` has ceil(extent / stride) windows; an odd element goes to the end."""
    missing = max((-(-extent // stride) - 1) * stride + reach - extent, 0)
    return missing // 2, missing - missing // 2
