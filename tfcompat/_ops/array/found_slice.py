"""Slices whose lengths the program of a function finds: `x[:n]`, where it computes `n`, and slices of found rows."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import jax.numpy as jnp

from tfcompat._core.calls.convert import as_tensor, convert_to_tensor
from tfcompat._core.calls.declare import Array, Check, op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import settled, size_value
from tfcompat._core.tracing.sizes import sizes_tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import INDEX, int16, int32, int64
from tfcompat._jaxpr.padded.bound import least_of
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.array.creation import range as numbers_from
from tfcompat._ops.array.distance import distance
from tfcompat._ops.array.gathering import picked_along, where
from tfcompat._ops.array.true_place import is_bounded
from tfcompat._ops.elementwise.algebraic import add, maximum, minimum, subtract
from tfcompat._ops.elementwise.comparison import less
from tfcompat._ops.elementwise.rounding import cast

INDEX_DTYPES = frozenset((int16, int32, int64))


def without_found_slices(tensor: Tensor, items: Sequence[Any]) -> tuple[Tensor, tuple[Any, ...]]:
    """The subscript `items` of `tensor`, one for each axis, with found slices cut from the tensor that is returned."""
    found, axis = list(items), 0
    for k, item in enumerate(items):
        if isinstance(item, slice) and _is_found(item, tensor._aval.shape[axis]):
            tensor, found[k] = _cut(tensor, item, axis), slice(None)
        axis += item is not None
    return tensor, tuple(found)


def window_along(tensor: Tensor, start: Any, size: Any, axis: int) -> Tensor:
    """The elements of `tensor` from the place `start` on along `axis`: `size` many, or all if that is -1.

    `start` or `size` is computed.
    """
    count = sizes_tensor(tensor._aval.shape[axis], int64)
    first = _begin(cast(convert_to_tensor(start), int64), count)
    places = add(numbers_from(0, count, dtype=int64), first)
    length = subtract(count, first)
    if is_computed(size) or size != -1:
        length = _length(cast(convert_to_tensor(size), int64), length)
    (taken,) = here.graph.first_rows([places], length, "the length of a slice")
    return picked_along(tensor, taken, axis)


def _is_outside(begin: Array, count: Array) -> Array:
    return (begin < 0) | (begin > count)


@op(
    "slice",
    dtypes=INDEX,
    differentiable=False,
    check=Check(("begin", "count"), _is_outside, "begin must be in [0, n] for n elements of the axis"),
)
def _begin(begin: Array, count: Array) -> Array:
    """The place `begin`, from 0 to `count`; 0 if it is outside."""
    return jnp.where(_is_outside(begin, count), 0, begin)


def _is_too_long(size: Array, rest: Array) -> Array:
    return (size < -1) | (size > rest)


@op(
    "slice",
    dtypes=INDEX,
    differentiable=False,
    check=Check(("size", "rest"), _is_too_long, "size must be -1, or in [0, n] for n elements from begin on"),
)
def _length(size: Array, rest: Array) -> Array:
    """The length of a window of `size`, which is -1 for the `rest` of the elements; that, too, if it is too long."""
    return jnp.where((size == -1) | _is_too_long(size, rest), rest, size)


def slice_end(bound: Any) -> Any:
    """An end of a slice in a function that is being traced, with its value if that follows from constants."""
    tensor = as_tensor(bound) if hasattr(type(bound), "_as_tensor") else bound
    if type(tensor) is not Tensor:
        return tensor
    is_size = tensor._is_symbolic() and not tensor.ndim and tensor.dtype in INDEX_DTYPES
    value = size_value(tensor) if is_size else None
    return value.item() if value is not None and value.dtype == object else settled(tensor)


def is_computed(bound: Any) -> bool:
    """Whether an end of a slice is an integer scalar without a value."""
    return type(bound) is Tensor and bound._is_symbolic() and bound.ndim == 0 and bound.dtype in INDEX_DTYPES


def _is_found(item: slice, size: Any) -> bool:
    """Whether the program has to find the length of the slice `item` of an axis of `size`."""
    if not (item.step is None or (isinstance(item.step, Integral) and item.step == 1)) or not is_bounded(size):
        return False
    start, stop = slice_end(item.start), slice_end(item.stop)
    if is_computed(start) or is_computed(stop):
        width = distance(0 if start is None else start, size if stop is None else stop)
        return not (width is not None and width >= 0 and is_computed(start))
    if not here.graph.is_found(size) or is_open(start) or is_open(stop) or start is stop is None:
        return False
    least = least_of(str(size))
    return not (stop is None and -least <= start < 0) and not (start in (None, 0) and 0 <= (stop or -1) <= least)


def _cut(tensor: Tensor, item: slice, axis: int) -> Tensor:
    """The slice `item` of `tensor` along `axis`."""
    count = sizes_tensor(tensor._aval.shape[axis], int64)
    first, length = _extent(slice_end(item.start), slice_end(item.stop), count)
    places = add(numbers_from(0, count, dtype=int64), first)
    (taken,) = here.graph.first_rows([places], length, "the length of a slice")
    return picked_along(tensor, taken, axis)


def _extent(start: Any, stop: Any, count: Tensor) -> tuple[Any, Tensor]:
    """The first element of a slice of `count` elements, and its length.

    Slices that are equally long for every count have the same steps, such as `x[1:]` and `x[:-1]`.
    """
    if not (is_computed(start) or is_computed(stop)):
        first, last = 0 if start is None else int(start), None if stop is None else int(stop)
        if first >= 0 and (last is None or last < 0):
            return first, maximum(subtract(count, first - (last or 0)), 0)
        if first == 0 and last is not None:
            return 0, minimum(count, last)
        if last is None:
            return maximum(add(count, first), 0), minimum(count, -first)
    begin = 0 if start is None else _within(start, count)
    end = count if stop is None else _within(stop, count)
    return begin, maximum(subtract(end, begin), 0)


def _within(bound: Any, count: Tensor) -> Tensor:
    """The place that an end of a slice of `count` elements stands for."""
    place = cast(convert_to_tensor(bound), int64)
    return minimum(maximum(where(less(place, 0), add(place, count), place), 0), count)
