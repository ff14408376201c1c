"""Kernels of windows that slide over an array, and of accumulation along an axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfcompat._jaxpr.host.reduction import greatest, least, of_arrays
from tfcompat._jaxpr.host.step import Array, Kernel, Maker, Step, is_narrow


class _Sliding:
    """Windows over a padded array: for each place in a window, the elements that lie there in all windows."""

    def __init__(self, step: Step, shape: Sequence[int], windows: Sequence[int]) -> None:
        """Reads the parameters of `step`, for an array of `shape` with windows as an array of the shape `windows`."""
        params, ones = step.params, (1,) * len(shape)
        self.window = params["window_dimensions"]
        self._strides = params["window_strides"]
        self._spread = params.get("window_dilation") or ones
        self._gaps = params.get("base_dilation") or ones
        self._padding = params["padding"]
        self._windows = tuple(windows)
        reach = [max(0, (size - 1) * gap + 1) for size, gap in zip(shape, self._gaps, strict=True)]
        self.room = [low + size + high for size, (low, high) in zip(reach, self._padding, strict=True)]
        self._low = [low for low, _ in self._padding]
        # Padding may be negative: then elements are cut off.
        self._source, self._target = (
            zip(*(self._kept(k, size) for k, size in enumerate(shape)), strict=True) if shape else ((), ())
        )

    def _kept(self, axis: int, size: int) -> tuple[slice, slice]:
        low, gap, room = self._low[axis], self._gaps[axis], self.room[axis]
        begin = max(0, -(low // gap))
        end = max(begin, min(size, -((low - room) // gap)))
        start = low + begin * gap
        return slice(begin, end), slice(start, start + (end - begin - 1) * gap + 1, gap) if end > begin else slice(0, 0)

    def padded(self, x: Array, fill: Any) -> Array:
        """`x` with `fill` around and between its elements."""
        out = np.full(self.room, fill, x.dtype)
        out[self._target] = x[self._source]
        return out

    def unpadded(self, x: Array, shape: Sequence[int]) -> Array:
        """The elements of a padded array that come from an array of `shape`, and 0 for those that were cut off."""
        out = np.zeros(shape, x.dtype)
        out[self._source] = x[self._target]
        return out

    def places(self) -> Iterator[tuple[slice, ...]]:
        """For each place in a window, from first to last, where it lies in the padded array."""
        for offset in np.ndindex(*self.window):
            begins = [k * spread for k, spread in zip(offset, self._spread, strict=True)]
            yield tuple(
                [
                    slice(begin, begin + (count - 1) * stride + 1 if count else begin, stride)
                    for begin, count, stride in zip(begins, self._windows, self._strides, strict=True)
                ]
            )


def _reduced(ufunc: Any, first: Any) -> Maker:
    def make(step: Step) -> Kernel:
        sliding = _Sliding(step, step.inputs[0].shape, step.shape)
        dtype, shape = step.dtype, step.shape
        working = np.dtype(np.float32) if is_narrow(dtype) else dtype
        start = first(working)

        def kernel(x: Array) -> Array:
            padded = sliding.padded(x.astype(working), start)
            out = np.full(shape, start, working)
            for place in sliding.places():
                ufunc(out, padded[place], out=out)
            return out.astype(dtype)

        return kernel

    return make


def _reduce_window(step: Step) -> Kernel:
    """Reduces each window by any function of two sets of scalars; padding takes no part."""
    combine = of_arrays(step, step.params["jaxpr"])
    count = len(step.inputs) // 2
    sliding = _Sliding(step, step.inputs[0].shape, step.shape)
    shapes = [aval.shape for aval in step.outputs]

    def kernel(*inputs: Array) -> list[Array]:
        arrays, firsts = inputs[:count], inputs[count:]
        padded = [sliding.padded(x, first) for x, first in zip(arrays, firsts, strict=True)]
        carry = [np.broadcast_to(first, shape) for first, shape in zip(firsts, shapes, strict=True)]
        inside = sliding.padded(np.ones(arrays[0].shape, np.bool_), fill=False)
        for place in sliding.places():
            found = combine([*carry, *[x[place] for x in padded]])
            carry = [np.where(inside[place], new, old) for new, old in zip(found, carry, strict=True)]
        return carry

    return kernel


def _chosen(sliding: _Sliding, x: Array, shape: Sequence[int], compare: Any) -> Array:
    """The number of the place in each window whose element is chosen: the first, unless a later one beats it."""
    # Padding is never chosen.
    inside = sliding.padded(np.ones(x.shape, np.bool_), fill=False)
    padded = sliding.padded(x, x.dtype.type(0))
    best, number = np.zeros(shape, x.dtype), np.full(shape, -1)
    for k, place in enumerate(sliding.places()):
        value = padded[place]
        takes = inside[place] & ((number < 0) | ~compare(best, value))
        best, number = np.where(takes, value, best), np.where(takes, k, number)
    return number


def _comparison(step: Step) -> Any:
    return {"ge": np.greater_equal, "le": np.less_equal, "gt": np.greater, "lt": np.less}[
        str(step.params["select_prim"])
    ]


def _select_and_scatter_add(step: Step) -> Kernel:
    source, operand = step.inputs
    sliding = _Sliding(step, operand.shape, source.shape)
    compare, dtype = _comparison(step), step.outputs[0].dtype
    working = np.dtype(np.float32) if is_narrow(dtype) else dtype

    def kernel(source: Array, x: Array) -> Array:
        number = _chosen(sliding, x, source.shape, compare)
        source = source.astype(working)
        out = np.zeros(sliding.room, working)
        for k, place in enumerate(sliding.places()):
            out[place] += np.where(number == k, source, working.type(0))
        return sliding.unpadded(out, x.shape).astype(dtype)

    return kernel


def _select_and_gather_add(step: Step) -> Kernel:
    sliding = _Sliding(step, step.inputs[1].shape, step.shape)
    compare, shape = _comparison(step), step.shape

    def kernel(tangents: Array, x: Array) -> Array:
        number = _chosen(sliding, x, shape, compare)
        padded, out = sliding.padded(tangents, tangents.dtype.type(0)), np.zeros(shape, tangents.dtype)
        for k, place in enumerate(sliding.places()):
            out = np.where(number == k, padded[place], out)
        return out

    return kernel


def _accumulated(accumulate: Any, *, is_widened: bool = True) -> Maker:
    def make(step: Step) -> Kernel:
        axis, dtype = step.params["axis"], step.dtype
        turn = tuple(slice(None, None, -1) if k == axis else slice(None) for k in range(len(step.shape)))
        working = np.dtype(np.float32) if is_widened and is_narrow(dtype) else dtype

        def forward(x: Array) -> Array:
            return accumulate(x.astype(working), axis).astype(dtype)

        return (lambda x: forward(x[turn])[turn]) if step.params["reverse"] else forward

    return make


WINDOW: dict[str, Maker] = {
    "cumlogsumexp": _accumulated(lambda x, axis: np.logaddexp.accumulate(x, axis)),
    "cummax": _accumulated(lambda x, axis: np.maximum.accumulate(x, axis), is_widened=False),
    "cummin": _accumulated(lambda x, axis: np.minimum.accumulate(x, axis), is_widened=False),
    "cumprod": _accumulated(lambda x, axis: np.multiply.accumulate(x, axis, x.dtype)),
    "cumsum": _accumulated(lambda x, axis: np.add.accumulate(x, axis, x.dtype)),
    "reduce_window": _reduce_window,
    "reduce_window_max": _reduced(np.maximum, least),
    "reduce_window_min": _reduced(np.minimum, greatest),
    "reduce_window_sum": _reduced(np.add, lambda dtype: dtype.type(0)),
    "select_and_gather_add": _select_and_gather_add,
    "select_and_scatter_add": _select_and_scatter_add,
}
