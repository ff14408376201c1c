"""Ops of XLA that libraries call."""

from __future__ import annotations

import jax

from tfcompat._core.calls.declare import Array, Shape, op
from tfcompat._core.types.dtype import DENSE, INDEX


@op("xla.dynamic_update_slice", same=("operand", "update"), no_gradient="XlaDynamicUpdateSlice")
def dynamic_update_slice(operand: Array, update: Array, indices: Array) -> Array:
    """`operand`, with `update` in place of the part that begins at `indices`, moved to fit into `operand`.

    Shapes: operand [*dims], update of the same rank and at most as large, indices [rank] -> [*dims].
    Dtypes: operand and update of one dtype, indices int32 or int64 -> that of `operand`.
    Gradient: LookupError, as in TensorFlow.
    Source: TF 2.21, `dynamic_update_slice` of `tensorflow.compiler.tf2xla.python.xla`.
    """
    return jax.lax.dynamic_update_slice(operand, update, [indices[k] for k in range(operand.ndim)])


@op(
    "xla.dynamic_slice",
    dtypes={"input": DENSE, "start_indices": INDEX},
    same=("input",),
    no_gradient="XlaDynamicSlice",
)
def dynamic_slice(input: Array, start_indices: Array, size_indices: Shape) -> Array:
    """The part of `input` of the sizes `size_indices` that begins at `start_indices`, moved to fit into `input`.

    Shapes: input [*dims], start_indices [rank] -> size_indices.
    Dtypes: any, start_indices int32 or int64 -> that of `input`.
    Gradient: LookupError, as in TensorFlow.
    Source: TF 2.21, `dynamic_slice` of `tensorflow.compiler.tf2xla.python.xla`.
    """
    return jax.lax.dynamic_slice(input, [start_indices[k] for k in range(input.ndim)], size_indices)
