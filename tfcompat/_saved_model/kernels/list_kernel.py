"""Kernels of lists of tensors, which `tf.TensorArray` becomes in graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._core.tracing.constancy import size_value
from tfcompat._core.types.dtype import DType
from tfcompat._core.types.shape import TensorShape
from tfcompat._function.tensor_array.array import TensorArray
from tfcompat._jaxpr.size import is_open
from tfcompat._saved_model.kernels.library import Frame, Kernel
from tfcompat._saved_model.kernels.plan import Step


def _list(step: Step, value: Any) -> TensorArray:
    """`value` as a list. Raises DataLossError for another value."""
    if not isinstance(value, TensorArray):
        raise DataLossError.of(f"{step.subject} is corrupted: its input is not a list of tensors")
    return value


def _element_shape(value: Any) -> TensorShape:
    """The shape that a tensor of sizes gives, in which -1 is open; a scalar leaves the rank open."""
    sizes = convert_to_tensor(value)
    if sizes.ndim == 0:
        return TensorShape(None)
    known = size_value(sizes) if sizes._array is None else np.asarray(sizes)
    if known is None:
        return TensorShape([None] * sizes._aval.shape[0])
    listed = np.asarray(known, object).tolist()
    return TensorShape([size if isinstance(size, int) and size >= 0 else None for size in listed])


def _new(frame: Frame, dtype: DType, size: Any, shape: Any) -> TensorArray:
    """A list that grows if any list of the model does."""
    grows = frame.library.has_growing_lists
    return TensorArray(
        dtype, size=size, dynamic_size=grows, clear_after_read=False, element_shape=_element_shape(shape)
    )


def _reserved(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    shape, count = inputs
    return [_new(frame, step.attribute("element_dtype"), count, shape)]


def _empty(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    return [_new(frame, step.attribute("element_dtype"), 0, inputs[0])]


def _appended(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    items = _list(step, inputs[0])
    return [items.write(items.size(), inputs[1])]


def _of_tensor(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    rows = convert_to_tensor(inputs[0])
    if rows.ndim < 1:
        raise DataLossError.of(f"{step.subject} is corrupted: a scalar has no rows")
    if is_open(_height(rows)):
        raise NotImplementedError("tf.saved_model: a list of an open number of rows is not supported here.")
    return [TensorArray(rows.dtype, size=_height(rows), clear_after_read=False).unstack(rows)]


def _height(rows: Tensor) -> Any:
    return rows._aval.shape[0]


def _stacked(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    return [_list(step, inputs[0]).stack()]


def _item(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    return [_list(step, inputs[0]).read(inputs[1])]


def _with_item(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    return [_list(step, inputs[0]).write(inputs[1], inputs[2])]


def _length(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    return [_list(step, inputs[0]).size()]


def _gathered(frame: Frame, step: Step, inputs: list[Any]) -> list[Any]:
    del frame
    return [_list(step, inputs[0]).gather(inputs[1])]


LIST_KERNELS: dict[str, Kernel] = {
    "EmptyTensorList": _empty,
    "TensorListFromTensor": _of_tensor,
    "TensorListGather": _gathered,
    "TensorListGetItem": _item,
    "TensorListLength": _length,
    "TensorListPushBack": _appended,
    "TensorListReserve": _reserved,
    "TensorListSetItem": _with_item,
    "TensorListStack": _stacked,
}
