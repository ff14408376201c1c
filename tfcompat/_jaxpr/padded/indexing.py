"""Primitives that read at places which values say: the places are held against the logical sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._jaxpr.padded.equation import Rule, applied, sizes_in, sizes_out
from tfcompat._jaxpr.padded.padding import AxisSizes, Padding, Sizes
from tfcompat._jaxpr.padded.placement import grown, resized
from tfcompat._jaxpr.size import is_open


def as_wide(index: Any) -> Any:
    """`index` in at least 32 bits, so that sizes can be compared with it."""
    index = jnp.asarray(index)
    return index if index.dtype.itemsize >= 4 else index.astype(jnp.int32)


def clamped(index: Any, bound: Any) -> Any:
    """`index`, at least 0 and at most `bound`, in 32 bits."""
    wide = as_wide(index)
    least = lax.max(wide, jnp.zeros((), wide.dtype))
    return lax.min(least, jnp.asarray(bound, wide.dtype)).astype(jnp.int32)


def last_starts(padding: Padding, sizes: Sizes, windows: AxisSizes, axes: Any) -> Any:
    """The last places along `axes` at which a window fits: a vector."""
    rows = [padding.value(sizes[axis]) - padding.value(windows[axis]) for axis in axes]
    return jnp.stack([jnp.asarray(row, jnp.int32) for row in rows])


def roomy(padding: Padding, array: Any, windows: AxisSizes, axes: Any) -> Any:
    """`array` with room for a padded window at each place where the logical one fits."""
    for axis in axes:
        least, most = padding.bounds(windows[axis])
        array = grown(array, axis, most - max(least, 0))
    return array


def _gather(padding: Padding, equation: Any, array: Any, indices: Any) -> Any:
    given = equation.params
    axes = given["dimension_numbers"].start_index_map
    sizes, windows = sizes_in(equation), given["slice_sizes"]
    shape = padding.shape(windows)
    if not any(is_open(sizes[axis]) or is_open(windows[axis]) for axis in axes):
        return applied(equation, array, indices, slice_sizes=shape)
    array = roomy(padding, array, windows, axes)
    bound = last_starts(padding, sizes, windows, axes)
    if given["mode"] == lax.GatherScatterMode.FILL_OR_DROP:
        indices = _outside(indices, bound)
    else:
        indices = clamped(indices, jnp.broadcast_to(bound, indices.shape))
    return applied(equation, array, indices, slice_sizes=shape)


def _outside(indices: Any, bound: Any) -> Any:
    """`indices` in 32 bits, -1 where the window does not fit."""
    wide = as_wide(indices)
    fits = (wide >= 0) & (wide <= bound.astype(wide.dtype))
    return jnp.where(fits, wide, jnp.zeros((), wide.dtype)).astype(jnp.int32) - (~fits).astype(jnp.int32)


def _placed(padding: Padding, starts: Sequence[Any], sizes: Sizes, windows: Sizes) -> list[Any]:
    """`starts` in 32 bits, so that the windows fit."""
    return [
        clamped(start, padding.value(size) - padding.value(window))
        for start, size, window in zip(starts, sizes, windows, strict=True)
    ]


def _dynamic_slice(padding: Padding, equation: Any, array: Any, *starts: Any) -> Any:
    sizes, windows = sizes_in(equation), sizes_out(equation)
    placed = _placed(padding, starts, sizes, windows)
    array = roomy(padding, array, windows, range(array.ndim))
    return lax.dynamic_slice(array, placed, padding.shape(windows))


def _dynamic_update_slice(padding: Padding, equation: Any, array: Any, update: Any, *starts: Any) -> Any:
    sizes, windows = sizes_in(equation, 0), sizes_in(equation, 1)
    placed = _placed(padding, starts, sizes, windows)
    partial = [axis for axis in range(array.ndim) if windows[axis] != sizes[axis]]
    shape = array.shape
    array = roomy(padding, array, windows, partial)
    mask = padding.mask(windows, partial)
    if mask is not None:
        update = lax.select(mask, update, lax.dynamic_slice(array, placed, update.shape))
    return resized(lax.dynamic_update_slice(array, update, placed), shape)


RULES: dict[str, Rule] = {
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "gather": _gather,
}
