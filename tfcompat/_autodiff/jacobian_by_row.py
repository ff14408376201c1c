"""Jacobians by one backward walk for each row: custom gradients are called for each row, and may read values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.aval import Aval
from tfcompat._ops.array.joining import stack
from tfcompat._ops.array.layout import reshape

# The gradients of the target for flat sources, from the target's cotangent.
Gradients = Callable[[Tensor], Sequence[Tensor | None]]


def jacobian(gradients: Gradients, target: Aval, sources: Sequence[Aval]) -> list[Tensor | None]:
    """The jacobians of a target that has elements for each source, None where they are not connected."""
    units = np.eye(target.size, dtype=target.dtype.as_numpy_dtype).reshape((target.size, *target.shape))
    rows = [gradients(convert_to_tensor(unit)) for unit in units]
    return [
        None if column is None else reshape(column, (*target.shape, *source.shape))
        for column, source in zip(_stacked(rows, 0), sources, strict=True)
    ]


def batch_jacobian(gradients: Gradients, target: Aval, source: Aval) -> Tensor | None:
    """The jacobian of each row of a target that has elements for the same row of the source, None if unconnected."""
    batch, *shape = target.shape
    count = math.prod(shape)
    units = np.eye(count, dtype=target.dtype.as_numpy_dtype).reshape((count, 1, *shape))
    rows = [gradients(convert_to_tensor(np.broadcast_to(unit, target.shape))) for unit in units]
    found = _stacked(rows, 1)[0]
    return None if found is None else reshape(found, (batch, *shape, *source.shape[1:]))


def _stacked(rows: Sequence[Sequence[Tensor | None]], axis: int) -> list[Tensor | None]:
    """The gradients of all rows, joined for each source: all rows have one, or none has."""
    return [None if column[0] is None else stack(column, axis) for column in zip(*rows, strict=True)]
