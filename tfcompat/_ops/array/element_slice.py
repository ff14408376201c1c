"""Slices of an element whose ends are computed from it, in functions of elements: the host takes them by NumPy.

In a program each end would be a symbol of its own, and most ends are new: a random crop starts anywhere, often at 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import ElementTrace
from tfcompat._core.calls.convert import as_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, UntraceableError
from tfcompat._core.types.dtype import string
from tfcompat._jaxpr.size import is_open
from tfcompat._ops.array.distance import distance
from tfcompat._ops.array.found_slice import INDEX_DTYPES, is_computed, slice_end

_OTHER: Any = object()


def sliced_by_row(trace: ElementTrace, tensor: Tensor, items: Sequence[Any]) -> Tensor | None:
    """The part of `tensor` that `items` select, one for each axis and None for a new one.

    None if no slice has an end that is computed, if its length is known, or if a program has to take it.
    """
    shape = tensor._aval.shape
    axes = [item for item in items if item is not None]
    is_cut = trace.cuts_on_host and any(map(_is_open_cut, axes, shape))
    if tensor.dtype is string or not (is_cut or any(map(_is_computed, axes, shape))):
        return None
    inputs: list[Tensor] = [tensor]
    dims: list[Any] = []
    key: list[Any] = []
    sizes = iter(shape)
    for item in items:
        if item is None:
            key.append(None)
            dims.append(1)
            continue
        size = next(sizes)
        if isinstance(item, slice):
            ends = [_end(each, inputs, is_cut) for each in (item.start, item.stop, item.step)]
            key.append(tuple(ends))
            dims.append(_length(ends, size))
        else:
            ends = [_end(item, inputs, is_cut)]
            key += ends
        if _OTHER in ends:
            return None

    def picked_from(array: Any, *found: Any) -> Any:
        def number(end: Any) -> Any:
            return int(found[end.place]) if isinstance(end, _Input) else end

        return array[tuple([slice(*map(number, item)) if type(item) is tuple else number(item) for item in key])]

    def compute(values: Mapping[str, int], array: np.ndarray, *found: np.ndarray) -> list[np.ndarray]:
        del values
        try:
            return [np.asarray(picked_from(array, *found))]
        except IndexError as refused:
            raise InvalidArgumentError.of(f"tf.strided_slice: slice index out of bounds: {refused}.") from refused
        except ValueError as refused:
            raise InvalidArgumentError.of(f"tf.strided_slice: {refused}.") from refused

    def spelled(end: Any) -> Any:
        return inputs[end.place + 1] if isinstance(end, _Input) else end

    arguments = {"items": [slice(*map(spelled, item)) if type(item) is tuple else spelled(item) for item in key]}
    try:
        outputs = [(dims, tensor.dtype)]
        return trace.attempt(
            lambda: trace.hosted("strided_slice", compute, inputs, outputs, arguments=arguments, op=picked_from)[0]
        )
    except UntraceableError:
        return None


class _Input:
    """An end that is an input of the step, number `place`."""

    def __init__(self, place: int) -> None:
        self.place = place


def _is_open_cut(item: Any, size: Any) -> bool:
    """Whether `item`, of an axis of `size`, is a slice of an open size."""
    return isinstance(item, slice) and item != slice(None) and is_open(size)


def _is_computed(item: Any, size: Any) -> bool:
    """Whether `item`, of an axis of `size`, is a slice with an end that is computed, and no constant length."""
    if not isinstance(item, slice):
        return False
    start, stop, step = map(slice_end, (item.start, item.stop, item.step))
    if not any(map(is_computed, (start, stop, step))):
        return False
    return step not in (None, 1) or distance(0 if start is None else start, size if stop is None else stop) is None


def _end(given: Any, inputs: list[Tensor], may_be_open: bool) -> Any:
    """An index, or an end of a slice: None, an integer, or an input; `_OTHER` for any other value.

    An input `may_be_open`: an expression of sizes.
    """
    end = slice_end(given)
    if end is None or (isinstance(end, Integral) and not isinstance(end, bool)):
        return None if end is None else int(end)
    tensor = as_tensor(given if may_be_open else end)
    if (is_open(end) and not may_be_open) or tensor is None or tensor.ndim or tensor.dtype not in INDEX_DTYPES:
        return _OTHER
    inputs.append(tensor)
    return _Input(len(inputs) - 2)


def _length(ends: Sequence[Any], size: Any) -> Any:
    """The length of a slice of an axis of `size`, if it is known."""
    if all(end is None for end in ends):
        return size
    is_known = type(size) is int and not any(isinstance(end, _Input) for end in ends)
    return len(range(size)[slice(*ends)]) if is_known else None
