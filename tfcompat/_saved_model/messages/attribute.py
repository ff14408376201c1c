"""Attributes of nodes: the messages `AttrValue` as Python values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._core.types.dtype import DType
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.format.stored_spec import write_shape
from tfcompat._data.format.stored_tensor import decoded, dense_bytes, dtype_of
from tfcompat._saved_model.messages.message import messages

# The private attribute of a node that has the record of its program.
RECORD = "_tfcompat_program"
# The private attribute of a node that passes on results which have no further derivatives.
LAST = "_tfcompat_last"
_MOST_DIMENSIONS = 254


def shape_of(message: Any, subject: str) -> TensorShape:
    """The shape in a `TensorShapeProto`. Raises DataLossError for negative sizes and for too many dimensions."""
    if message.unknown_rank:
        return TensorShape(None)
    sizes = [None if dim.size == -1 else dim.size for dim in message.dim]
    if len(sizes) > _MOST_DIMENSIONS or any(size is not None and size < 0 for size in sizes):
        raise DataLossError.of(f"{subject} is corrupted: {sizes} is not a shape")
    return TensorShape(sizes)


def tensor_of(message: Any, subject: str) -> Tensor:
    """The tensor in a `TensorProto`. Raises DataLossError if it is corrupted."""
    dtype, value = decoded(message.SerializeToString(), subject)
    if not isinstance(value, np.ndarray) or value.ndim > _MOST_DIMENSIONS:
        raise DataLossError.of(f"{subject} is corrupted: a constant of dtype {dtype.name} is not a tensor")
    return Tensor(value)


def write_tensor(message: Any, array: Any, dtype: DType) -> None:
    """Writes the values of `array` to a `TensorProto`."""
    message.MergeFromString(dense_bytes(np.asarray(array), dtype))


def attribute_of(message: Any, subject: str) -> Any:
    """The value of an attribute; a function is its message. Raises DataLossError if it has none."""
    kind = message.WhichOneof("value")
    if kind == "list":
        fields = message.list.ListFields()
        if len(fields) > 1:
            raise DataLossError.of(f"{subject} is corrupted: a list has values of several types")
        return [_value(fields[0][0].name, each, subject) for each in fields[0][1]] if fields else []
    if kind is None or kind == "placeholder":
        raise DataLossError.of(f"{subject} is corrupted: an attribute has no value")
    return _value(kind, getattr(message, kind), subject)


def _value(kind: str, value: Any, subject: str) -> Any:
    if kind == "s":
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    if kind == "type":
        return dtype_of(value, subject)
    if kind == "shape":
        return shape_of(value, subject)
    return tensor_of(value, subject) if kind == "tensor" else value


def attribute(kind: str, value: Any) -> Any:
    """The message of an attribute with the field `kind`; `list_KIND` is a list of these."""
    message = messages()["AttrValue"]()
    if kind == "type":
        message.type = value.as_datatype_enum
    elif kind == "shape":
        write_shape(message.shape, TensorShape(value))
    elif kind == "tensor":
        write_tensor(message.tensor, *value)
    elif kind == "func":
        message.func.name = value
    elif kind == "list_type":
        message.list.SetInParent()
        message.list.type.extend([dtype.as_datatype_enum for dtype in value])
    elif kind == "list_shape":
        message.list.SetInParent()
        for shape in value:
            write_shape(message.list.shape.add(), TensorShape(shape))
    elif kind == "list_i":
        message.list.SetInParent()
        message.list.i.extend(value)
    elif kind == "list_s":
        message.list.SetInParent()
        message.list.s.extend(value)
    elif kind == "list_func":
        message.list.SetInParent()
    else:
        setattr(message, kind, value)
    return message
