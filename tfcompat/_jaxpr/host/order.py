"""Kernels that sort."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._jaxpr.host.elementwise import order_key
from tfcompat._jaxpr.host.step import Array, Kernel, Maker, Step, is_inexact

_WORD = 4


def _key(x: Array) -> Array:
    """An array that NumPy sorts as `x` has to be: nan comes last, and the zeros are equal."""
    if x.dtype.kind != "V":
        return x
    return x.astype(np.float32)


def _sort(step: Step) -> Kernel:
    axis, count = step.params["dimension"], step.params["num_keys"]
    if len(step.inputs) == 1 and step.dtype.kind in "biuf":
        kind: Any = "stable" if step.dtype.kind == "f" else None
        return lambda x: [np.sort(x, axis, kind)]

    def kernel(*xs: Array) -> list[Array]:
        keys = [_key(x) for x in xs[:count]]
        if count == 1:
            order = np.argsort(keys[0], axis, kind="stable")
        else:
            order = np.lexsort([rank for key in reversed(keys) for rank in _ranks(key)], axis)
        return [np.take_along_axis(x, order, axis) for x in xs]

    return kernel


def _ranks(key: Array) -> list[Array]:
    """`key` for np.lexsort, the last first; it does not compare nan."""
    if key.dtype.kind == "c":
        return [*_ranks(key.imag), *_ranks(key.real)]
    if key.dtype.kind != "f":
        return [key]
    missing = np.isnan(key)
    return [np.where(missing, 0, key), missing]


def _largest(x: Array, count: int, axis: int) -> Array:
    """The places of the `count` largest elements, the largest first, of equal ones the first first.

    Floats are in their total order, where nan is the largest and 0 is larger than -0.
    """
    if x.dtype.itemsize <= _WORD:
        return _largest_words(x, count, axis)
    turned = np.flip(order_key(x) if is_inexact(x.dtype) else x, axis)
    order = np.flip(np.argsort(turned, axis, kind="stable"), axis)
    return x.shape[axis] - 1 - np.take(order, range(count), axis)


def _largest_words(x: Array, count: int, axis: int) -> Array:
    """The same for numbers of at most 32 bits: each with its place in the lower bits, so that no two are equal."""
    last = x.shape[axis] - 1
    key = np.moveaxis(order_key(x) if is_inexact(x.dtype) else x, axis, -1).astype(np.int64)
    key <<= last.bit_length()
    key |= np.arange(last, -1, -1)
    if count <= last:
        key.partition(last - count, -1)
    found = np.sort(key[..., last + 1 - count :], -1)[..., ::-1]
    return np.moveaxis(last - (found & ((1 << last.bit_length()) - 1)), -1, axis)


def _top_k(step: Step) -> Kernel:
    count, axis = step.params["k"], step.params.get("axis", -1)
    target = step.outputs[1].dtype

    def kernel(x: Array) -> tuple[Array, Array]:
        places = _largest(x, count, axis)
        return np.take_along_axis(x, places, axis), places.astype(target)

    return kernel


def _approximate(step: Step) -> Kernel:
    """The exact answer: XLA's is one on the CPU, too."""
    count, axis, is_max = step.params["k"], step.params["reduction_dimension"], step.params["is_max_k"]
    target, zero = step.outputs[1].dtype, step.dtype.type(0)

    def kernel(x: Array) -> tuple[Array, Array]:
        # Here the zeros are equal, which they are after an addition.
        places = _largest(x + zero if is_max else zero - x, count, axis)
        return np.take_along_axis(x, places, axis), places.astype(target)

    return kernel


ORDER: dict[str, Maker] = {"approx_top_k": _approximate, "sort": _sort, "top_k": _top_k}
