"""Reductions over replicas, of which there is one: `tf.distribute.ReduceOp` and its effect on a value."""

from __future__ import annotations

import enum
import functools
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.types.dtype import int64
from tfcompat._ops.array.extent import shape
from tfcompat._ops.elementwise.algebraic import multiply, truediv
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.fold.reduction import reduce_sum
from tfcompat._state.variable import VariableAggregation


class ReduceOp(enum.Enum):
    """How the values of replicas are reduced. Source: TF 2.21 `tf.distribute.ReduceOp`."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction that `aggregation` asks for. Raises ValueError if it asks for none."""
        return reduce_op_for(aggregation)


_NAMED = {op.name: op for op in ReduceOp}


def reduce_op_of(value: Any) -> ReduceOp:
    """The member for a member, or for its name in any case. Raises ValueError for other names."""
    op = _NAMED.get(value) or ReduceOp(value.upper()) if isinstance(value, str) else value
    assert isinstance(op, ReduceOp), f"tf.distribute: the reduction must be a tf.distribute.ReduceOp, got {value!r}"
    return op


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


def reduced(op: ReduceOp, value: Any, axis: Any) -> Any:
    """`value`, reduced along `axis`; the same value if `axis` is None.

    Dtypes: a mean of integers is float64, of those with up to 16 bits float32.
    """
    if axis is None:
        return value
    tensor = convert_to_tensor(value)
    total = reduce_sum(tensor, axis)
    return total if op is ReduceOp.SUM else truediv(total, cast(size_along(tensor, axis), total.dtype))


def size_along(tensor: Any, axis: Any) -> Any:
    """The number of elements of `tensor` along `axis`, a number or several, as an int64 tensor."""
    axes = axis if isinstance(axis, (list, tuple)) else (axis,)
    extent = shape(tensor, out_type=int64)
    return functools.reduce(multiply, [extent[int(each)] for each in axes])
