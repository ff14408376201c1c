"""Primitives that move elements by place: broadcasts, slices, pads, joins, reversals."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._jaxpr.padded.equation import Rule, applied, sizes_in, sizes_out, unchanged
from tfcompat._jaxpr.padded.padding import Padding
from tfcompat._jaxpr.padded.placement import grown, resized, shifted, spread, window
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open


def _broadcast_in_dim(padding: Padding, equation: Any, array: Any) -> Any:
    return applied(equation, array, shape=padding.shape(sizes_out(equation)))


def _iota(padding: Padding, equation: Any) -> Any:
    return applied(equation, shape=padding.shape(sizes_out(equation)))


def _dim_as_value(padding: Padding, equation: Any) -> Any:
    return jnp.asarray(padding.value(equation.params["dim"]), equation.outvars[0].aval.dtype)


def _slice(padding: Padding, equation: Any, array: Any) -> Any:
    given = equation.params
    strides = given["strides"] or (1,) * array.ndim
    for axis, (start, stride, size) in enumerate(
        zip(given["start_indices"], strides, sizes_out(equation), strict=True)
    ):
        count = padding.physical(size)
        extent = (count - 1) * stride + 1 if count else 0
        if is_open(start):
            array = window(array, axis, padding.value(start), extent, padding.bounds(start)[1])
            start = 0
        array = grown(array, axis, max(int(start) + extent - array.shape[axis], 0))
        array = lax.slice_in_dim(array, int(start), int(start) + extent, stride, axis)
    return array


def _pad(padding: Padding, equation: Any, array: Any, value: Any) -> Any:
    array = padding.filled(array, sizes_in(equation), range(array.ndim), value)
    for axis, ((low, _, between), size) in enumerate(
        zip(equation.params["padding_config"], sizes_out(equation), strict=True)
    ):
        count = padding.physical(size)
        array = spread(array, axis, 0, 0, between, value)
        if is_open(low):
            array = shifted(array, axis, padding.value(low), *padding.bounds(low), count, value)
        else:
            array = spread(array, axis, int(low), count - int(low) - array.shape[axis], 0, value)
    return array


def _concatenate(padding: Padding, equation: Any, *arrays: Any) -> Any:
    axis = equation.params["dimension"]
    sizes = [sizes_in(equation, k)[axis] for k in range(len(arrays))]
    shape = padding.shape(sizes_out(equation))
    if not any(map(is_open, sizes[:-1])):
        return resized(applied(equation, *arrays), shape)
    # Each array overwrites what lies behind the one before it.
    total = max(sum(array.shape[axis] for array in arrays), shape[axis])
    joined = jnp.zeros((*shape[:axis], total, *shape[axis + 1 :]), arrays[0].dtype)
    offset: Any = 0
    for array, size in zip(arrays, sizes, strict=True):
        joined = lax.dynamic_update_slice_in_dim(joined, array, offset, axis)
        offset = offset + padding.value(size)
    return resized(joined, shape)


def _split(padding: Padding, equation: Any, array: Any) -> list[Any]:
    axis, sizes = equation.params["axis"], equation.params["sizes"]
    if not any(map(is_open, sizes)):
        return applied(equation, array)
    parts: list[Any] = []
    offset: Any = 0
    for size in sizes:
        count = padding.physical(size)
        parts.append(window(array, axis, offset, count, array.shape[axis]))
        offset = offset + padding.value(size)
    return parts


def _rev(padding: Padding, equation: Any, array: Any) -> Any:
    array = applied(equation, array)
    for axis in equation.params["dimensions"]:
        size = sizes_in(equation)[axis]
        if is_open(size):
            count = array.shape[axis]
            array = window(array, axis, count - padding.value(size), count, count)
    return array


def _tile(padding: Padding, equation: Any, array: Any) -> Any:
    repeats, sizes = equation.params["reps"], sizes_in(equation)
    array = applied(equation, array, reps=tuple(map(padding.physical, repeats)))
    for axis, (size, repeat) in enumerate(zip(sizes, repeats, strict=True)):
        if is_open(size) and (is_open(repeat) or repeat != 1):
            places = lax.rem(lax.iota(jnp.int32, array.shape[axis]), jnp.maximum(padding.value(size), 1))
            array = jnp.take(array, places, axis, mode="clip")
    return resized(array, padding.shape(sizes_out(equation)))


def _squeeze(padding: Padding, equation: Any, array: Any) -> Any:
    if any(array.shape[axis] != 1 for axis in equation.params["dimensions"]):
        raise NoRule("squeeze", f"an axis of {sizes_in(equation)} is padded to more than 1")
    return unchanged(padding, equation, array)


RULES: dict[str, Rule] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "concatenate": _concatenate,
    "dim_as_value": _dim_as_value,
    "iota": _iota,
    "pad": _pad,
    "rev": _rev,
    "slice": _slice,
    "split": _split,
    "squeeze": _squeeze,
    "stack": unchanged,
    "tile": _tile,
    "transpose": unchanged,
    "unstack": unchanged,
}
