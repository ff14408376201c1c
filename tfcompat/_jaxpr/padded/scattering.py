"""Scatters: updates behind the logical part are dropped, and so are those that do not fit the logical operand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._jaxpr.padded.equation import Rule, applied, sizes_in
from tfcompat._jaxpr.padded.extreme import highest, lowest
from tfcompat._jaxpr.padded.indexing import as_wide, clamped, last_starts, roomy
from tfcompat._jaxpr.padded.padding import Padding
from tfcompat._jaxpr.padded.placement import resized
from tfcompat._jaxpr.padded.reduction import one, zero
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.size import is_open

DROP = lax.GatherScatterMode.FILL_OR_DROP


def _scatter(identity: Callable[[Any], Any] | None) -> Rule:
    """The rule of a scatter that combines with a function of this identity, or that overwrites."""

    def scatter(padding: Padding, equation: Any, array: Any, indices: Any, updates: Any) -> Any:
        sizes, places = sizes_in(equation, 0), sizes_in(equation, 1)
        axes = equation.params["dimension_numbers"].scatter_dims_to_operand_dims
        windows = _windows(equation)
        shape = array.shape
        array = roomy(padding, array, windows, [axis for axis in axes if is_open(windows[axis])])
        if any(is_open(size) and size != sizes[axis] for axis, size in windows.items()):
            updates = _within(padding, equation, identity, array, indices, updates)
        if not any(map(is_open, (*places[:-1], *(size for axis in axes for size in (sizes[axis], windows[axis]))))):
            return applied(equation, array, indices, updates)
        if not axes:
            raise NoRule(equation.primitive.name, f"updates without places for {sizes}")
        indices = _dropped(padding, equation, indices, last_starts(padding, sizes, windows, axes))
        changed = {"mode": DROP, "unique_indices": False, "indices_are_sorted": False}
        return resized(applied(equation, array, indices, updates, **changed), shape)

    return scatter


def _windows(equation: Any) -> dict[int, Any]:
    """For each axis of the operand how much of it an update covers."""
    numbers = equation.params["dimension_numbers"]
    single = (*numbers.inserted_window_dims, *numbers.operand_batching_dims)
    updated = sizes_in(equation, 2)
    rest = iter(numbers.update_window_dims)
    return {axis: 1 if axis in single else updated[next(rest)] for axis in range(len(sizes_in(equation, 0)))}


def _dropped(padding: Padding, equation: Any, indices: Any, bound: Any) -> Any:
    """`indices` in 32 bits, -1 for updates that are dropped."""
    sizes = sizes_in(equation, 1)
    rows = range(len(sizes) - 1)
    if equation.params["mode"] == lax.GatherScatterMode.CLIP:
        indices = clamped(indices, jnp.broadcast_to(bound, indices.shape))
    wide = as_wide(indices)
    kept = (wide >= 0) & (wide <= bound.astype(wide.dtype))
    mask = padding.mask(sizes, rows, indices.shape)
    kept = kept if mask is None else kept & mask
    return jnp.where(kept, jnp.where(kept, wide, jnp.zeros((), wide.dtype)).astype(jnp.int32), jnp.int32(-1))


def _within(padding: Padding, equation: Any, identity: Any, array: Any, indices: Any, updates: Any) -> Any:
    """`updates` that change nothing behind the logical part of their windows."""
    numbers = equation.params["dimension_numbers"]
    sizes = sizes_in(equation, 2)
    if identity is not None:
        return padding.filled(updates, sizes, numbers.update_window_dims, identity(updates.dtype))
    if math.prod(indices.shape[:-1]) != 1:
        raise NoRule("scatter", f"windows of {sizes} that may overlap")
    reading = lax.GatherDimensionNumbers(
        offset_dims=numbers.update_window_dims,
        collapsed_slice_dims=numbers.inserted_window_dims,
        start_index_map=numbers.scatter_dims_to_operand_dims,
        operand_batching_dims=numbers.operand_batching_dims,
        start_indices_batching_dims=numbers.scatter_indices_batching_dims,
    )
    axes = numbers.scatter_dims_to_operand_dims
    windows = _windows(equation)
    bound = last_starts(padding, sizes_in(equation, 0), windows, axes)
    places = clamped(indices, jnp.broadcast_to(bound, indices.shape))
    shape = tuple(padding.physical(windows[axis]) for axis in range(array.ndim))
    old = lax.gather(array, places, reading, shape, mode=lax.GatherScatterMode.CLIP)
    mask = padding.mask(sizes, numbers.update_window_dims, updates.shape)
    return updates if mask is None else lax.select(mask, updates, old)


RULES: dict[str, Rule] = {
    "scatter": _scatter(None),
    "scatter-add": _scatter(zero),
    "scatter-max": _scatter(lowest),
    "scatter-min": _scatter(highest),
    "scatter-mul": _scatter(one),
    "scatter-sub": _scatter(zero),
}
