"""Reductions over replicas, of which there is one: `tf.distribute.ReduceOp` and its effect on a value."""

from __future__ import annotations

import enum
from typing import Any

from tfcompat._core import nest
from tfcompat._ops.fold.reduction import reduce_mean, reduce_sum


class ReduceOp(enum.Enum):
    """How the values of replicas are reduced. Source: TF 2.21 `tf.distribute.ReduceOp`."""

    SUM = "SUM"
    MEAN = "MEAN"


def reduce_op_of(value: Any) -> ReduceOp:
    """The member for a member, or for its name in any case. Raises ValueError otherwise."""
    return value if isinstance(value, ReduceOp) else ReduceOp(value.upper() if isinstance(value, str) else value)


def reduced(op: ReduceOp, values: Any, axis: int | None) -> Any:
    """Each value reduced along `axis`; the same values if `axis` is None."""
    if axis is None:
        return values
    reduce = reduce_sum if op is ReduceOp.SUM else reduce_mean
    return nest.map_structure(lambda value: reduce(value, axis), values)
