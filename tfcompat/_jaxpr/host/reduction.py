"""Kernels that reduce axes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tfcompat._jaxpr.host.elementwise import ELEMENTWISE
from tfcompat._jaxpr.host.step import Array, Body, Kernel, Maker, Step, is_inexact, is_integer, is_narrow
from tfcompat._jaxpr.primitive import names


def least(dtype: np.dtype[Any]) -> Any:
    """The least number of a dtype: where a maximum begins."""
    if dtype == np.bool_:
        return False
    return dtype.type(-np.inf) if is_inexact(dtype) else ml_dtypes.iinfo(dtype).min


def greatest(dtype: np.dtype[Any]) -> Any:
    """The greatest number of a dtype: where a minimum begins."""
    if dtype == np.bool_:
        return True
    return dtype.type(np.inf) if is_inexact(dtype) else ml_dtypes.iinfo(dtype).max


def _accumulated(ufunc: Any) -> Maker:
    """A sum or product, of narrow floats in float32."""

    def make(step: Step) -> Kernel:
        axes, dtype = _axes(step), step.outputs[0].dtype
        if is_narrow(dtype):
            return lambda x: np.asarray(ufunc.reduce(x.astype(np.float32), axes)).astype(dtype)
        return lambda x: ufunc.reduce(x, axes, dtype)

    return make


def _axes(step: Step) -> tuple[int, ...]:
    return tuple(int(axis) for axis in step.params["axes"])


def _extreme(ufunc: Any, first: Any) -> Maker:
    def make(step: Step) -> Kernel:
        axes, start = _axes(step), first(step.dtype)
        return lambda x: ufunc.reduce(x, axes, initial=start)

    return make


def _bitwise(ufunc: Any) -> Maker:
    def make(step: Step) -> Kernel:
        axes = _axes(step)
        return lambda x: ufunc.reduce(x, axes)

    return make


def _place_of(find: Any) -> Maker:
    """The place of the first nan or else of the first extreme element."""

    def make(step: Step) -> Kernel:
        (axis,) = _axes(step)
        target = np.dtype(step.params["index_dtype"])
        if is_integer(step.dtype) or step.dtype.kind in "bf":
            return lambda x: find(x, axis).astype(target)
        return lambda x: find(x.astype(np.float32), axis).astype(target)

    return make


def of_arrays(step: Step, jaxpr: Any) -> Body:
    """A jaxpr of scalars as a function of arrays, applied to each element."""
    body = step.prepare(jaxpr)
    if names(jaxpr) <= ELEMENTWISE.keys():
        return body
    dtypes = [atom.aval.dtype for atom in jaxpr.outvars]

    def each(inputs: Any) -> list[Array]:
        arrays = np.broadcast_arrays(*inputs)
        out = [np.empty(arrays[0].shape, dtype) for dtype in dtypes]
        for place in np.ndindex(arrays[0].shape):
            for array, value in zip(out, body([x[place] for x in arrays]), strict=True):
                array[place] = value
        return out

    return each


def _reduce(step: Step) -> Kernel:
    """Reduces by any function of two sets of scalars, one element after the other."""
    axes = tuple(step.params["dimensions"])
    combine = of_arrays(step, step.params["jaxpr"])
    count = len(step.inputs) // 2
    shapes = [aval.shape for aval in step.outputs]

    def kernel(*inputs: Array) -> list[Array]:
        arrays, firsts = inputs[:count], inputs[count:]
        rows = [np.moveaxis(x, axes, range(len(axes))).reshape(-1, *shapes[0]) for x in arrays]
        carry = [np.broadcast_to(first, shape) for first, shape in zip(firsts, shapes, strict=True)]
        for row in zip(*rows, strict=True):
            carry = combine([*carry, *row])
        return carry

    return kernel


REDUCTION: dict[str, Maker] = {
    "argmax": _place_of(np.argmax),
    "argmin": _place_of(np.argmin),
    "reduce": _reduce,
    "reduce_and": _bitwise(np.bitwise_and),
    "reduce_max": _extreme(np.maximum, least),
    "reduce_min": _extreme(np.minimum, greatest),
    "reduce_or": _bitwise(np.bitwise_or),
    "reduce_prod": _accumulated(np.multiply),
    "reduce_sum": _accumulated(np.add),
    "reduce_xor": _bitwise(np.bitwise_xor),
}
