"""`tf.type_spec_from_value`: the spec that describes a value."""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.none_spec import NoneTensorSpec
from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.container import is_mapping
from tfcompat._function.arguments.trace_type import VariableSpec, types_of
from tfcompat._function.tensor_array.array import TensorArray
from tfcompat._function.tensor_array.spec import TensorArraySpec
from tfcompat._ops.indexed_slices.rows import IndexedSlices
from tfcompat._ops.indexed_slices.spec import IndexedSlicesSpec
from tfcompat._state.variable import Variable


def type_spec_from_value(value: Any) -> Any:
    """The spec that describes `value`: a tensor, composite tensor or variable, or a value that converts to a tensor.

    Raises: TypeError for any other value.
    Source: TF 2.21 `tf.type_spec_from_value`.
    """
    if value is None:
        return NoneTensorSpec()
    if isinstance(value, IndexedSlices):
        return IndexedSlicesSpec.of(value)
    if isinstance(value, TensorArray):
        return TensorArraySpec.from_value(value)
    if isinstance(value, Variable):
        return VariableSpec(value.shape, value.dtype, value.trainable, None)
    if isinstance(value, Tensor) or hasattr(type(value), "_type_spec"):
        return types_of(value)
    if not is_mapping(type(value)) and not isinstance(value, TypeSpec):
        try:
            tensor = convert_to_tensor(value)
        except (TypeError, ValueError):
            pass
        else:
            return TensorSpec(tensor.shape, tensor.dtype)
    raise TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.")


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether `tensor` is symbolic: it belongs to a function that is being traced and has no value.

    Source: TF 2.21 `tf.is_symbolic_tensor`.
    """
    return isinstance(tensor, Tensor) and tensor._is_symbolic()
