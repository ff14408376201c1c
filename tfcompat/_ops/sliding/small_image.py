"""Convolutions and transposed convolutions as products of matrices, which are faster for small images on a CPU.

XLA's compiler for CPUs exchanges images and filters if the window has more positions than the images, and then computes
the result element by element: 130 ms instead of 5 for 8x2x2x512 with 512 3x3 filters.

Patches are taken, and added up where they overlap, along one axis after the other. So the number of ops is the sum of
the window's sizes, and not their product, whose compilation would take seconds. The one is the transpose of the other.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from tfcompat._core.calls.declare import Array
from tfcompat._ops.sliding.window import Window

# The elements of a window along all axes, added up: an op is compiled for each.
_MOST_ELEMENTS = 32
# XLA's form of a derivative needs a copy of the filters with exchanged axes. If there are at least as many elements in
# the filters and at most as many rows to be multiplied, the copy takes much of the time (512x512 3x3 filters and 1x4x4
# places: 8.4 ms instead of 2.2, 8x7x7 places: 30 instead of 21, 32x8x8 places with 256x256 filters: as long).
_MANY_WEIGHTS, _FEW_ROWS = 1 << 18, 400
# The gradient for the filters has to have fewer (512x512 3x3 filters and 1x4x4 places: 1.2 ms instead of 3.5, 8x4x4
# places: as long).
_VERY_FEW_ROWS = 64


def is_exchanged(size: tuple[int, ...], extents: tuple[int, ...]) -> bool:
    """Whether XLA would take images of `extents` for the filters, since a window of `size` is larger."""
    return math.prod(size) > math.prod(extents) and has_few_elements(size)


def has_few_elements(size: tuple[int, ...]) -> bool:
    """Whether the product of matrices for windows of `size` is compiled fast."""
    return sum(size) <= _MOST_ELEMENTS


def is_mostly_filters(filters: Array, rows: int) -> bool:
    """Whether a copy of `filters` would take much of the time for their product with the `rows` of a matrix."""
    return rows <= _FEW_ROWS and filters.size >= _MANY_WEIGHTS and has_few_elements(filters.shape[:-2])


def is_slope_of_filters(filters: Array, rows: int) -> bool:
    """Whether the copy would take much of the time for the gradient for `filters`, too."""
    return rows <= _VERY_FEW_ROWS and is_mostly_filters(filters, rows)


def convolution(array: Array, filters: Array, window: Window) -> Array:
    """The convolution of `array`, [batch, *spatial, in], with `filters`, [*window, in, out]."""
    extents = array.shape[1:-1]
    rows = array
    for axis, (count, (low, _)) in enumerate(zip(window.counts(extents), window.margins(extents), strict=True)):
        rows = _taken(rows, axis, count, low, window)
    rows = rows.reshape(*rows.shape[: array.ndim - 1], -1)
    return _product(rows, filters.reshape(-1, filters.shape[-1]), 0)


def transposed_convolution(array: Array, filters: Array, window: Window, extents: tuple[int, ...]) -> Array:
    """The transpose of the convolution of images of `extents` with `filters`, [*window, out, in]."""
    found = _product(array, filters.reshape(-1, filters.shape[-1]), 1)
    found = found.reshape(*array.shape[:-1], *filters.shape[:-1])
    for axis, (extent, (low, _)) in enumerate(zip(extents, window.margins(extents), strict=True)):
        found = _added(found, axis, extent, low, window)
    return found


def _product(rows: Array, weights: Array, contracted: int) -> Array:
    """The product of the last axis of `rows` with the axis `contracted` of `weights`."""
    flat = rows.reshape(-1, rows.shape[-1])
    found = lax.dot_general(flat, weights, (((1,), (contracted,)), ((), ())), preferred_element_type=rows.dtype)
    return found.reshape(*rows.shape[:-1], -1)


def _taken(array: Array, axis: int, count: int, low: int, window: Window) -> Array:
    """The elements of `count` windows along the spatial `axis` of `array`, in a new axis before the last one."""
    places, stride, axis = _places(axis, window), window.strides[axis], axis + 1
    length = count + max(start for start, _ in places)
    parts = [_extended(array, axis, low, length * stride - low - array.shape[axis])]
    if stride > 1:
        whole = parts[0].reshape(*array.shape[:axis], length, stride, *array.shape[axis + 1 :])
        parts = _divided(whole, axis + 1)
    return jnp.stack([lax.slice_in_dim(parts[phase], k, k + count, axis=axis) for k, phase in places], -2)


def _added(array: Array, axis: int, extent: int, low: int, window: Window) -> Array:
    """The sum of the windows along the spatial `axis`, whose elements are in the first axis after the spatial ones."""
    places, stride = _places(axis, window), window.strides[axis]
    elements, axis = _divided(array, 1 + len(window.size)), axis + 1
    reach = max(start for start, _ in places)
    parts: list[Array | None] = [None] * stride
    for element, (start, phase) in zip(elements, places, strict=True):
        part, total = _extended(element, axis, start, reach - start), parts[phase]
        parts[phase] = part if total is None else total + part
    length = array.shape[axis] + reach
    sizes = (*elements[0].shape[:axis], length, *elements[0].shape[axis + 1 :])
    filled = [jnp.zeros(sizes, array.dtype) if part is None else part for part in parts]
    whole = jnp.stack(filled, axis + 1).reshape(*sizes[:axis], length * stride, *sizes[axis + 1 :])
    return _extended(whole, axis, -low, extent + low - length * stride)


def _places(axis: int, window: Window) -> list[tuple[int, int]]:
    """For each element of the window along `axis`, its position divided by the stride, and the remainder."""
    return [divmod(k * window.dilations[axis], window.strides[axis]) for k in range(window.size[axis])]


def _divided(array: Array, axis: int) -> list[Array]:
    """The elements along `axis`; their transpose joins them."""
    parts = lax.split(array, (1,) * array.shape[axis], axis)
    return [lax.squeeze(part, (axis,)) for part in parts]


def _extended(array: Array, axis: int, before: int, after: int) -> Array:
    """`array` with zeros added along `axis`, or elements removed."""
    config = [(before, after, 0) if k == axis else (0, 0, 0) for k in range(array.ndim)]
    return lax.pad(array, jnp.zeros((), array.dtype), config) if before or after else array
