"""The axes that reductions, running folds and normalisations work along."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfcompat._ops.axis import require_axes

Axes = int | tuple[int, ...] | None


def folded_axes(name: str, axis: Axes, ndim: int) -> tuple[int, ...]:
    """The axes that `axis` of `tf.name` means for a tensor of rank `ndim`, none of them negative; all if None.

    Raises: InvalidArgumentError if one is out of range or comes twice.
    """
    if axis is None:
        return tuple(range(ndim))
    return require_axes(name, (axis,) if isinstance(axis, int) else axis, ndim)


def count(array: Any, axis: Axes) -> int:
    """How many elements of `array` are folded into one."""
    return math.prod(array.shape[k] for k in folded_axes("", axis, array.ndim))


def axis_exists(name: str) -> Callable[..., None]:
    """What an op validates whose first tensor is folded along its attribute `axis`."""

    def validate(**arguments: Any) -> None:
        array = next(iter(arguments.values()))
        folded_axes(name, arguments["axis"], array.ndim)

    return validate
