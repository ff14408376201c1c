"""Reductions over replicas, of which there is one: `tf.distribute.ReduceOp` and its effect on a value."""

from __future__ import annotations

import enum
from typing import Any

from tfcompat._core.convert import convert_to_tensor
from tfcompat._ops.array.extent import shape
from tfcompat._ops.elementwise.algebraic import truediv
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._state.variable import VariableAggregation


class ReduceOp(enum.Enum):
    """How the values of replicas are reduced. Source: TF 2.21 `tf.distribute.ReduceOp`."""

    SUM = "SUM"
    MEAN = "MEAN"


def reduce_op_of(value: Any) -> ReduceOp:
    """The member for a member, or for its name in any case. Raises ValueError otherwise."""
    return value if isinstance(value, ReduceOp) else ReduceOp(value.upper() if isinstance(value, str) else value)


def reduce_op_for(aggregation: VariableAggregation) -> ReduceOp:
    """The reduction that `aggregation` asks for. Raises ValueError if it asks for none."""
    if aggregation is VariableAggregation.SUM:
        return ReduceOp.SUM
    if aggregation is VariableAggregation.MEAN:
        return ReduceOp.MEAN
    raise ValueError(
        f"Could not convert from `tf.VariableAggregation` VariableAggregationV2.{aggregation.name} to"
        "`tf.distribute.ReduceOp` type"
    )


def reduced(op: ReduceOp, value: Any, axis: int | None) -> Any:
    """`value`, reduced along `axis`; the same value if `axis` is None. A mean of integers is float64."""
    if axis is None:
        return value
    tensor = convert_to_tensor(value)
    total = reduce_sum(tensor, axis)
    return total if op is ReduceOp.SUM else truediv(total, cast(shape(tensor)[axis], total.dtype))
