"""The axes of reductions, cumulative ops and normalisations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfcompat._core.system.error import InvalidArgumentError, found_early
from tfcompat._core.types.aval import Aval, aval_of
from tfcompat._ops.axis import require_axes

Axes = int | tuple[int, ...] | None


def folded_axes(
    name: str, axis: Axes, ndim: int, error: Callable[[str], Exception] = InvalidArgumentError.of
) -> tuple[int, ...]:
    """The non-negative axes that `axis` of `tf.name` selects in a tensor of rank `ndim`; all if None.

    Raises: `error` if one is out of range, InvalidArgumentError if one is repeated.
    """
    if axis is None:
        return tuple(range(ndim))
    return require_axes(name, (axis,) if isinstance(axis, int) else axis, ndim, error, found_early)


def count(array: Any, axis: Axes) -> int:
    """The number of elements of `array` that are reduced to one."""
    return math.prod(array.shape[k] for k in folded_axes("", axis, array.ndim))


def reduced(input_tensor: Aval, axis: Axes, keepdims: bool) -> Aval:
    """The type of a reduction that keeps the dtype."""
    folded = folded_axes("", axis, input_tensor.ndim)
    sizes = enumerate(input_tensor.shape)
    kept = [1 if k in folded else size for k, size in sizes if keepdims or k not in folded]
    return aval_of(tuple(kept), input_tensor.dtype)


def axis_exists(name: str, error: Callable[[str], Exception] = InvalidArgumentError.of) -> Callable[..., None]:
    """The validation of an op that reduces its first tensor along its attribute `axis`. Raises `error`."""

    def validate(**arguments: Any) -> None:
        array = next(iter(arguments.values()))
        folded_axes(name, arguments["axis"], array.ndim, error)

    return validate
