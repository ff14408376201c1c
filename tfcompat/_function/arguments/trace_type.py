"""Types of arguments and results: the facts about a value that are known while a function is traced.

The type of a tensor is a `tf.TensorSpec`, that of a variable a `VariableSpec`. The type of an object that supports
weak references is a `Weakref`, that of any other value a `Literal`. The type of a container is a container of types.
"""

from __future__ import annotations

from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types import nest
from tfcompat._core.types.container import container_of, is_composite, is_mapping, is_namedtuple, sorted_keys
from tfcompat._core.types.dtype import DType
from tfcompat._function.arguments.object_type import Described, Literal, Weakref, type_of_object
from tfcompat._state.variable import Variable, VariableSpec


class Metadata:
    """The parts of a container that are not elements. They need not be hashable."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __hash__(self) -> int:
        return hash(Metadata)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metadata) and bool(self._value == other._value)


def types_of(structure: Any) -> Any:
    """`structure` with each leaf replaced by its type. A `tf.TensorSpec` or a `Weakref` is kept."""
    aliases: dict[int, int] = {}

    def of(value: Any) -> Any:
        if isinstance(value, Tensor):
            return TensorSpec(value.shape, value.dtype)
        if isinstance(value, Variable):
            alias = aliases.setdefault(value._number, len(aliases))
            return VariableSpec(value.shape, value.dtype, value.trainable, alias)
        if hasattr(type(value), "_type_spec"):
            return value._type_spec
        if is_composite(type(value)):
            return value._unflatten_composite(value, list(map(of, value._flatten_composite())))
        return value if isinstance(value, (TypeSpec, Weakref)) else type_of_object(value)

    return nest.map_structure(of, structure)


def cast(kind: Any, value: Any) -> Any:
    """`value` cast to the type `kind`. Raises TypeError or ValueError if that is impossible."""
    if isinstance(kind, TensorSpec):
        return _cast_to_spec(kind, value)
    if isinstance(kind, VariableSpec):
        fits = isinstance(value, Variable) and (value.shape, value.dtype) == (kind.shape, kind.dtype)
    elif isinstance(kind, TypeSpec):
        fits = kind.is_compatible_with(value)
    elif isinstance(kind, Described):
        return kind.cast(value)
    elif isinstance(kind, Weakref):
        fits = kind.deref() is value or kind.deref() == value
    elif isinstance(kind, Literal):
        fits = kind.value is value or bool(kind.value == value)
        value = kind.value if fits else value
    elif is_composite(type(kind)):
        nest.assert_same_structure(kind, value, expand_composites=True)
        fits = True
    else:
        return _cast_to_container(kind, value)
    if not fits:
        raise TypeError(f"Can not cast {value!r} to {kind!r}")
    return value


def _cast_to_spec(spec: TensorSpec, value: Any) -> Any:
    """`value` as a tensor, or a spec of one, that is compatible with `spec`."""
    if not isinstance(value, (Tensor, TensorSpec)):
        value = convert_to_tensor(value, _castable(spec, value))
    if value.dtype is not spec.dtype or not spec.shape.is_compatible_with(value.shape):
        raise TypeError(f"Can not cast {TensorSpec(value.shape, value.dtype)!r} to {spec!r}")
    return value


def _castable(spec: TensorSpec, value: Any) -> DType | None:
    """The dtype to convert `value` to; None for a variable, which keeps its own."""
    return None if isinstance(value, Variable) else spec.dtype


def _cast_to_container(kind: Any, value: Any) -> Any:
    container = container_of(type(kind))
    assert container is not None
    name = _container_name(kind)
    if is_mapping(type(kind)):
        if not is_mapping(type(value)):
            raise TypeError(f"Can not cast {value!r} to a Dict type.")
        if sorted_keys(value) != sorted_keys(kind):
            raise ValueError(f"{value!r} has different keys with the TraceType {shown(kind)}.")
    elif is_namedtuple(type(kind)) and type(value) is not type(kind):
        raise TypeError(f"Cannot cast {value!r} to type {type(kind)}.")
    elif type(value) is not type(kind):
        raise TypeError(f"Can not cast {value!r} to {name.lower()} type.")
    elif container.metadata is not None and (expected := container.metadata(kind)) != container.metadata(value):
        raise ValueError(f"Metadata mismatch: [{expected}] != [{container.metadata(value)}].")
    kinds, values = list(container.children(kind)), list(container.children(value))
    if len(kinds) != len(values):
        raise ValueError(f"Expected {value!r} to have length of {len(kinds)}")
    return container.rebuild(value, [cast(*pair) for pair in zip(kinds, values, strict=True)])


def shown(kind: Any) -> str:
    """A type as TensorFlow prints it."""
    if is_composite(type(kind)):
        return f"{type(kind).__name__}Spec({', '.join(map(shown, kind._flatten_composite()))})"
    container = container_of(type(kind))
    if container is None:
        return repr(kind)
    if is_mapping(type(kind)):
        return f"Dict[{', '.join(f'[{key!r}, {shown(part)}]' for key, part in kind.items())}]"
    parts = list(container.children(kind))
    if is_namedtuple(type(kind)):
        pairs = zip(kind._fields, parts, strict=True)
        return f"{type(kind).__name__}[{', '.join(f'[{field!r}, {shown(part)}]' for field, part in pairs)}]"
    return f"{_container_name(kind)}[{', '.join(map(shown, parts))}]"


def _container_name(kind: Any) -> str:
    return type(kind).__name__.capitalize()
