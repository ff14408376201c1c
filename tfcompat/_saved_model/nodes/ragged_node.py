"""TensorFlow's kernels for ops of rows of different lengths, which the host computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import int32, int64, string
from tfcompat._data.function.graph import HostStep
from tfcompat._ops.ragged.padding import partly_known
from tfcompat._ops.ragged.tensor import RaggedTensor
from tfcompat._ops.text.ngram import padding
from tfcompat._saved_model.messages.refusal import Unsaved
from tfcompat._saved_model.nodes.node_writer import NodeWriter, Value


def padded(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`RaggedTensor.to_tensor`: the values, the bounds of rows, and the default value and sizes that are tensors."""
    default, shape = step.arguments["default_value"], step.arguments["shape"]
    count = len(step.arguments["self"].nested_row_splits)
    values, splits, others = inputs[0], inputs[1 : 1 + count], iter(inputs[1 + count :])
    if values.shape is None:
        raise Unsaved("RaggedTensor.to_tensor of values of unknown rank")
    if isinstance(default, Tensor):
        filled = next(others)
    else:
        empty: Any = "" if values.dtype is string else 0
        given = convert_to_tensor(empty if default is None else default, values.dtype)
        filled = writer.constant(np.asarray(given), values.dtype)
    return _dense(writer, values, splits, filled, _sizes(writer, shape, list(others)))


def _dense(writer: NodeWriter, values: Value, splits: list[Value], default: Value, sizes: Value) -> Sequence[Value]:
    """Nested rows as a dense tensor of the `sizes`, of which -1 are as large as needed."""
    kinds = ("list_s", [b"ROW_SPLITS"] * len(splits))
    inputs: list[Value | Sequence[Value]] = [sizes, values, default, splits]
    return writer.add("RaggedTensorToTensor", inputs, [values.dtype], {"row_partition_types": kinds})


def _sizes(writer: NodeWriter, shape: Any, tensors: list[Value]) -> Value:
    """The argument `shape` of `to_tensor`, which is or holds the `tensors`; -1 for those as large as needed."""
    if isinstance(shape, Tensor):
        return tensors[0]
    if not tensors:
        sizes = partly_known(shape)
        given = -1 if sizes.rank is None else [-1 if size is None else size for size in sizes]
        return writer.constant(given, int64)
    kind, places = tensors[0].dtype, iter(tensors)
    parts = [
        next(places) if isinstance(size, Tensor) else writer.constant(-1 if size is None else size, kind)
        for size in shape
    ]
    return writer.one("Pack", [parts], kind)


def runs(writer: NodeWriter, step: HostStep, inputs: list[Value]) -> Sequence[Value]:
    """`tf.strings.ngrams`."""
    arguments = step.arguments
    widths = arguments["ngram_width"]
    ends = padding(arguments["pad_values"], arguments["padding_width"])
    left, right = ends or (b"", b"")
    width = arguments["padding_width"]
    separator = arguments["separator"]
    attributes = {
        "separator": ("s", separator.encode() if isinstance(separator, str) else separator),
        "ngram_widths": ("list_i", list(widths) if isinstance(widths, (list, tuple)) else [widths]),
        "left_pad": ("s", left),
        "right_pad": ("s", right),
        "pad_width": ("i", 0 if ends is None else -1 if width is None else width),
        "preserve_short_sequences": ("b", arguments["preserve_short_sequences"]),
    }
    if isinstance(arguments["data"], RaggedTensor):
        values, *outer, splits = inputs
        found, bounds = writer.add("StringNGrams", [values, splits], [string, splits.dtype], attributes)
        return [found, *outer, bounds]
    [texts] = inputs
    flat, splits = _rows(writer, texts)
    found, bounds = writer.add("StringNGrams", [flat, splits], [string, int64], attributes)
    if texts.shape is not None and len(texts.shape) == 1:
        return [found]
    return _dense(writer, found, [bounds], writer.constant(np.array(b"", object)), writer.constant(-1, int64))


def _rows(writer: NodeWriter, texts: Value) -> tuple[Value, Value]:
    """The elements of a vector or a matrix, and the bounds of its rows."""
    if texts.shape is None or len(texts.shape) > 2:
        raise Unsaved("strings.ngrams of a dense tensor of more than two dimensions")
    shape = writer.one("Shape", [texts], int64, {"out_type": ("type", int64)})
    first, one = writer.constant(0, int32), writer.constant(1, int64)
    count, length = one, writer.one("GatherV2", [shape, writer.constant(len(texts.shape) - 1, int32), first], int64)
    if len(texts.shape) == 2:
        count = writer.one("GatherV2", [shape, first, first], int64)
    end = writer.one("AddV2", [count, one], int64)
    numbers = writer.one("Range", [writer.constant(0, int64), end, one], int64)
    flat = writer.one("Reshape", [texts, writer.constant([-1], int32)], string)
    return flat, writer.one("Mul", [numbers, length], int64)
