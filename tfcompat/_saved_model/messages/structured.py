"""Structures of Python values and of types in the message `StructuredValue`."""

from __future__ import annotations

from typing import Any

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import DataLossError
from tfcompat._core.types import nest
from tfcompat._core.types.container import is_mapping
from tfcompat._core.types.dtype import DType
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.format.stored_spec import (
    REGISTERED,
    UnreadableSpecError,
    bounded_spec_of,
    class_of,
    named_of,
    write_class,
    write_shape,
    write_tensor_spec,
)
from tfcompat._data.format.stored_tensor import dtype_of
from tfcompat._extension.library_spec import LibraryTypeSpec
from tfcompat._keras import type_spec_registry
from tfcompat._saved_model.messages.attribute import shape_of, tensor_of, write_tensor
from tfcompat._saved_model.messages.message import messages

_MOST_DEPTH = 60


def structure_of(message: Any, subject: str, depth: int = 0) -> Any:
    """The Python value in a `StructuredValue`: a structure of literals and specs.

    Raises: DataLossError, naming `subject`, if it is corrupted; NotImplementedError for types that do not exist here.
    """
    if depth > _MOST_DEPTH:
        raise DataLossError.of(f"{subject} is corrupted: its structure is too deep")
    kind = message.WhichOneof("kind")
    if kind is None or kind == "none_value":
        return None
    value = getattr(message, kind)
    if kind in ("float64_value", "int64_value", "string_value", "bool_value"):
        return value
    if kind == "tensor_shape_value":
        return shape_of(value, subject)
    if kind == "tensor_dtype_value":
        return dtype_of(value, subject)
    if kind == "tensor_spec_value":
        return TensorSpec(shape_of(value.shape, subject), dtype_of(value.dtype, subject), value.name or None)
    if kind in ("tensor_value", "numpy_value"):
        tensor = tensor_of(value, subject)
        return tensor.numpy() if kind == "numpy_value" else tensor
    if kind == "dict_value":
        return {key: structure_of(value.fields[key], subject, depth + 1) for key in sorted(value.fields)}
    try:
        if kind == "type_spec_value":
            return _spec_of(value, subject, depth)
        if kind == "bounded_tensor_spec_value":
            return bounded_spec_of(value, subject)
        if kind == "named_tuple_value":
            return named_of(value, lambda each: structure_of(each, subject, depth + 1), subject)
    except UnreadableSpecError as bad:
        raise DataLossError.of(f"{subject} is corrupted: {bad}") from bad
    found = [structure_of(each, subject, depth + 1) for each in value.values]
    return tuple(found) if kind == "tuple_value" else found


def _spec_of(message: Any, subject: str, depth: int) -> Any:
    """The spec in a `TypeSpecProto`. Raises NotImplementedError for a class that does not exist here."""
    try:
        if message.type_spec_class == REGISTERED and message.type_spec_class_name in type_spec_registry.by_name:
            spec = type_spec_registry.by_name[message.type_spec_class_name]
            if issubclass(spec, LibraryTypeSpec):
                return spec._deserialize(structure_of(message.type_state, subject, depth + 1))
        return class_of(message, subject)
    except NotImplementedError as unknown:
        name = message.type_spec_class_name or message.type_spec_class
        raise NotImplementedError(
            f"tf.saved_model.load: a function takes or returns a value of the class {name!r}, which is not supported; "
            "use another function of the model, or its variables."
        ) from unknown


def structured(value: Any) -> Any:
    """The `StructuredValue` of a structure of literals and specs. Raises NotImplementedError for another value."""
    message = messages()["StructuredValue"]()
    _write(message, value)
    return message


def _write(message: Any, value: Any) -> None:
    if value is None:
        message.none_value.SetInParent()
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int):
        message.int64_value = value
    elif isinstance(value, float):
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, TensorShape):
        write_shape(message.tensor_shape_value, value)
    elif isinstance(value, DType):
        message.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorSpec):
        write_tensor_spec(message, value)
    elif type(value) is Tensor:
        write_tensor(message.tensor_value, value.numpy(), value.dtype)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        message.named_tuple_value.name = type(value).__name__
        for key in value._fields:  # pyright: ignore[reportAttributeAccessIssue]
            _write(message.named_tuple_value.values.add(key=key).value, getattr(value, key))
    elif isinstance(value, (list, tuple)):
        kind = message.list_value if isinstance(value, list) else message.tuple_value
        kind.SetInParent()
        for each in value:
            _write(kind.values.add(), each)
    elif is_mapping(type(value)):
        message.dict_value.SetInParent()
        for key, each in value.items():
            _write(message.dict_value.fields[key], each)
    elif isinstance(value, LibraryTypeSpec) and type(value) in type_spec_registry.by_class:
        found = message.type_spec_value
        found.type_spec_class, found.type_spec_class_name = REGISTERED, type_spec_registry.by_class[type(value)]
        found.num_flat_components = len(nest.flatten(value._component_specs, expand_composites=True))
        _write(found.type_state, value._serialize())
    elif not write_class(message, value):
        raise NotImplementedError(
            f"tf.saved_model.save: a signature contains {value!r}, which cannot be saved; use tensors, numbers, "
            "strings, and lists, tuples and dictionaries of these."
        )
