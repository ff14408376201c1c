"""Ops of XLA that Keras calls."""

from __future__ import annotations

import jax

from tfcompat._core.declare import Array, op


@op("xla.dynamic_update_slice", same=("operand", "update"), no_gradient="XlaDynamicUpdateSlice")
def dynamic_update_slice(operand: Array, update: Array, indices: Array) -> Array:
    """`operand`, with `update` in place of the part that begins at `indices`, moved to fit into `operand`.

    Shapes: operand [*dims], update of the same rank and at most as large, indices [rank] -> [*dims].
    Dtypes: operand and update of one dtype, indices int32 or int64 -> that of `operand`.
    Gradient: LookupError, as in TensorFlow.
    Source: TF 2.21, `dynamic_update_slice` of `tensorflow.compiler.tf2xla.python.xla`.
    """
    return jax.lax.dynamic_update_slice(operand, update, [indices[k] for k in range(operand.ndim)])
