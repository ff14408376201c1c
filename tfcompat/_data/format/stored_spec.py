"""Types of elements in the file `dataset_spec.pb` of saved datasets: the message `StructuredValue`."""

from __future__ import annotations

import collections
import keyword
from collections.abc import Callable
from typing import Any

from tfcompat._core.structure.bounded_spec import BoundedTensorSpec
from tfcompat._core.structure.none_spec import NoneTensorSpec
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types.container import is_mapping
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.format.stored_message import parsed, stored_messages
from tfcompat._data.format.stored_tensor import decoded as decoded_tensor
from tfcompat._data.format.stored_tensor import dense_bytes, dtype_of
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec

# Numbers and names of the classes of specs.
_SPARSE, _RAGGED, REGISTERED = 1, 3, 12
_NONE = "tf.NoneTensorSpec"
_SPARSE_PARTS = 3


class UnreadableSpecError(Exception):
    """The message is not the type of an element."""


def encoded(spec: Any) -> bytes:
    """The message of a structure of specs. Raises NotImplementedError for unsupported specs and classes."""
    message = stored_messages()["StructuredValue"]()
    _write(message, spec)
    return message.SerializeToString(deterministic=True)


def decoded(data: bytes, subject: str) -> Any:
    """The structure of specs in a message.

    Raises: DataLossError, naming `subject`, if it is corrupted; UnreadableSpecError if it has another value.
    """
    return _read(parsed("StructuredValue", data, subject), subject)


def _write(message: Any, spec: Any) -> None:
    if isinstance(spec, TensorSpec):
        write_tensor_spec(message, spec)
    elif write_class(message, spec):
        return
    elif is_mapping(type(spec)):
        message.dict_value.SetInParent()
        for key, value in spec.items():
            if not isinstance(key, str):
                raise NotImplementedError(f"tf.data.Dataset.save: keys must be strings, got {key!r}.")
            _write(message.dict_value.fields[key], value)
    elif isinstance(spec, tuple) and hasattr(spec, "_fields"):
        message.named_tuple_value.name = type(spec).__name__
        for key in spec._fields:  # pyright: ignore[reportAttributeAccessIssue]
            pair = message.named_tuple_value.values.add(key=key)
            _write(pair.value, getattr(spec, key))
    elif isinstance(spec, tuple):
        message.tuple_value.SetInParent()
        for value in spec:
            _write(message.tuple_value.values.add(), value)
    else:
        raise NotImplementedError(
            f"tf.data.Dataset.save: elements of the type {spec!r} are not supported; save tuples and dictionaries of "
            "tensors."
        )


def write_tensor_spec(message: Any, spec: TensorSpec) -> None:
    """Writes `spec`, with its bounds if it has any, to a `StructuredValue`."""
    is_bounded = isinstance(spec, BoundedTensorSpec)
    found = message.bounded_tensor_spec_value if is_bounded else message.tensor_spec_value
    write_shape(found.shape, spec.shape)
    found.dtype, found.name = spec.dtype.as_datatype_enum, spec.name or ""
    if is_bounded:
        found.minimum.MergeFromString(dense_bytes(spec.minimum, spec.dtype))
        found.maximum.MergeFromString(dense_bytes(spec.maximum, spec.dtype))


def bounded_spec_of(message: Any, subject: str) -> BoundedTensorSpec:
    """The spec in a `BoundedTensorSpecProto`.

    Raises: DataLossError, naming `subject`, if it is corrupted; UnreadableSpecError for bounds that don't fit.
    """
    _, minimum = decoded_tensor(message.minimum.SerializeToString(), subject)
    _, maximum = decoded_tensor(message.maximum.SerializeToString(), subject)
    try:
        return BoundedTensorSpec(
            _shape(message.shape, subject), dtype_of(message.dtype, subject), minimum, maximum, message.name or None
        )
    except (TypeError, ValueError) as bad:
        raise UnreadableSpecError(f"{subject} has bad bounds: {bad}") from bad


def write_class(message: Any, spec: Any) -> bool:
    """Writes the spec of a ragged or a sparse tensor, or of None. Returns False for another value."""
    if isinstance(spec, SparseTensorSpec):
        state = _write_class(message, _SPARSE, "SparseTensorSpec", _SPARSE_PARTS)
        write_shape(state.add().tensor_shape_value, spec.shape)
        state.add().tensor_dtype_value = spec.dtype.as_datatype_enum
    elif isinstance(spec, RaggedTensorSpec):
        state = _write_class(message, _RAGGED, "RaggedTensorSpec", spec.ragged_rank + 1)
        write_shape(state.add().tensor_shape_value, spec.shape)
        state.add().tensor_dtype_value = spec.dtype.as_datatype_enum
        state.add().int64_value = spec.ragged_rank
        state.add().tensor_dtype_value = spec.row_splits_dtype.as_datatype_enum
    elif isinstance(spec, NoneTensorSpec):
        _write_class(message, REGISTERED, _NONE, 0)
    else:
        return False
    return True


def _write_class(message: Any, number: int, name: str, count: int) -> Any:
    """Writes the class of a spec, and returns the list for its state."""
    found = message.type_spec_value
    found.type_spec_class, found.type_spec_class_name, found.num_flat_components = number, name, count
    found.type_state.tuple_value.SetInParent()
    return found.type_state.tuple_value.values


def write_shape(message: Any, shape: TensorShape) -> None:
    """Writes `shape` to a `TensorShapeProto`."""
    message.SetInParent()
    if shape.rank is None:
        message.unknown_rank = True
        return
    for size in shape.as_list():
        message.dim.add(size=-1 if size is None else size)


def _read(message: Any, subject: str) -> Any:
    kind = message.WhichOneof("kind")
    read = _READERS.get(kind)
    if read is None:
        raise UnreadableSpecError(f"{subject} has the value {kind}")
    return read(getattr(message, kind), subject)


def _shape(message: Any, subject: str) -> TensorShape:
    if message.unknown_rank:
        return TensorShape(None)
    sizes = [None if dim.size == -1 else dim.size for dim in message.dim]
    if any(size is not None and size < 0 for size in sizes):
        raise UnreadableSpecError(f"{subject} has a shape with negative sizes")
    return TensorShape(sizes)


def _tensor(message: Any, subject: str) -> TensorSpec:
    return TensorSpec(_shape(message.shape, subject), dtype_of(message.dtype, subject), message.name or None)


def class_of(message: Any, subject: str) -> Any:
    """The spec in a `TypeSpecProto`: that of a ragged or a sparse tensor, or of None.

    Raises: DataLossError or UnreadableSpecError if it is corrupted; NotImplementedError for another class.
    """
    number, state = message.type_spec_class, list(message.type_state.tuple_value.values)
    kinds = [each.WhichOneof("kind") for each in state]
    if number == REGISTERED and message.type_spec_class_name == _NONE:
        return NoneTensorSpec()
    if number == _SPARSE and kinds == ["tensor_shape_value", "tensor_dtype_value"]:
        return SparseTensorSpec(
            _shape(state[0].tensor_shape_value, subject), dtype_of(state[1].tensor_dtype_value, subject)
        )
    if number == _RAGGED and kinds == ["tensor_shape_value", "tensor_dtype_value", "int64_value", "tensor_dtype_value"]:
        try:
            return RaggedTensorSpec(
                _shape(state[0].tensor_shape_value, subject),
                dtype_of(state[1].tensor_dtype_value, subject),
                state[2].int64_value,
                dtype_of(state[3].tensor_dtype_value, subject),
            )
        except (TypeError, ValueError) as bad:
            raise UnreadableSpecError(f"{subject} has a bad ragged tensor: {bad}") from bad
    raise NotImplementedError(
        f"tf.data.Dataset.load: elements of the class {message.type_spec_class_name or number!r} are not supported."
    )


def named_of(message: Any, read: Callable[[Any], Any], subject: str) -> Any:
    """The named tuple in a `NamedTupleValue`, whose values `read` returns. Raises UnreadableSpecError for bad names."""
    values = {pair.key: read(pair.value) for pair in message.values}
    names = [message.name, *values]
    if not all(name.isidentifier() and not keyword.iskeyword(name) and name[0] != "_" for name in names):
        raise UnreadableSpecError(f"{subject} has a named tuple with bad names")
    return collections.namedtuple(message.name, list(values))(**values)  # pyright: ignore[reportUntypedNamedTuple]


_READERS: dict[str | None, Callable[[Any, str], Any]] = {
    "tensor_spec_value": _tensor,
    "bounded_tensor_spec_value": bounded_spec_of,
    "type_spec_value": class_of,
    "tuple_value": lambda message, subject: tuple([_read(each, subject) for each in message.values]),
    "list_value": lambda message, subject: [_read(each, subject) for each in message.values],
    "dict_value": lambda message, subject: {key: _read(message.fields[key], subject) for key in sorted(message.fields)},
    "named_tuple_value": lambda message, subject: named_of(message, lambda each: _read(each, subject), subject),
}
