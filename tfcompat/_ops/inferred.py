"""The types of results that follow from shapes alone, for `infers` of `@op`: JAX takes milliseconds to infer them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._core.types.dtype import DType
from tfcompat._jaxpr.size import has_symbols


def like(name: str) -> Callable[..., Aval]:
    """The type of an op's result that is that of the argument `name`."""
    return lambda **arguments: arguments[name]


def broadcast(dtype_of: Callable[[DType], DType | None]) -> Callable[..., Aval | None]:
    """The type of a function of two tensors' elements, whose dtype follows from theirs; None if JAX must infer it."""

    def infer(**arguments: Any) -> Aval | None:
        first, second = arguments.values()
        dtype = dtype_of(first.dtype)
        if dtype is None or first.dtype is not second.dtype:
            return None
        if first.shape == second.shape or not second.shape:
            return aval_of(first.shape, dtype)
        if not first.shape:
            return aval_of(second.shape, dtype)
        if has_symbols((*first.shape, *second.shape)):
            return None
        try:
            return aval_of(np.broadcast_shapes(first.shape, second.shape), dtype)
        except ValueError:
            return None

    return infer
