"""TensorFlow's kernels for ops of numbers whose results have sizes that depend on values."""

from __future__ import annotations

from collections.abc import Sequence

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import bool_, int64
from tfcompat._data.function.graph import HostStep
from tfcompat._saved_model.messages.refusal import Unsaved
from tfcompat._saved_model.nodes.node_writer import NodeWriter, Value


def counted(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`Range`: numbers among the arguments are constants."""
    dtype, given = step.dtypes[0], iter(inputs)
    found: list[Value] = []
    for name in ("start", "limit", "delta"):
        value = step.arguments[name]
        if isinstance(value, Tensor):
            found.append(writer.cast(next(given), dtype))
        elif value is not None:
            found.append(writer.constant(value, dtype))
    return writer.add("Range", found if len(found) > 2 else [writer.constant(0, dtype), *found], step.dtypes)


def masked(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.boolean_mask`."""
    if step.arguments["axis"] not in (None, 0):
        raise Unsaved("boolean_mask along another axis than the first")
    tensor, mask = inputs
    where = writer.one("Where", [mask], int64, {"T": ("type", bool_)})
    return writer.add("GatherNd", [tensor, where], step.dtypes)


def places(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.where` of a condition."""
    return writer.add("Where", inputs, step.dtypes)


def unique(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.unique`."""
    return writer.add("Unique", inputs, step.dtypes, {"out_idx": ("type", step.dtypes[1])})


def dense(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.sparse.to_dense`."""
    indices, values, shape, default = inputs
    kind = ("b", step.arguments["validate_indices"])
    return writer.add("SparseToDense", [indices, shape, values, default], step.dtypes, {"validate_indices": kind})
