"""Fields of extension types: the supported annotations, and the conversion of values."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec, TypeSpec
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import OpError
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import DType, as_dtype
from tfcompat._core.types.shape import TensorShape

_PLAIN = (int, float, str, bytes, bool, type(None))


class ImmutableDict(Mapping[Any, Any]):
    """An immutable dictionary."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items})"


def require_kind(name: str, kind: Any) -> None:
    """Raises TypeError if `kind` is not a supported annotation of the field `name`."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (tuple, typing.Union, types.UnionType):
        for part in parts:
            if part is not ...:
                require_kind(name, part)
    elif isinstance(origin, type) and issubclass(origin, Mapping) and origin is not dict and parts:
        require_kind(name, parts[0])
        require_kind(name, parts[1])
    elif origin is not typing.Literal and not (
        kind is None
        or kind in (*_PLAIN, Tensor, DType, TensorShape)
        or (isinstance(kind, type) and (is_composite(kind) or issubclass(kind, TypeSpec)))
    ):
        raise TypeError(f"In field {name!r}: Unsupported type annotation {getattr(kind, '__name__', kind)!r}")


def converted(name: str, kind: Any, value: Any, leaf: Callable[[str, Any, Any], Any]) -> Any:
    """`value` converted for the field `name` with the annotation `kind`. `leaf` converts tensors and composites.

    Raises: TypeError if `value` doesn't fit the annotation.
    """
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _one_of(name, kind, parts, value, leaf)
    if origin is tuple:
        return _as_tuple(name, kind, parts, value, leaf)
    if origin is typing.Literal:
        return _expected(name, kind, value, any(value == part for part in parts))
    if origin is not None:
        _expected(name, kind, value, isinstance(value, Mapping))
        return ImmutableDict(
            {
                converted(f"{name}[<key>]", parts[0], key, leaf): converted(f"{name}[{key!r}]", parts[1], each, leaf)
                for key, each in value.items()
            }
        )
    if kind is Tensor or (isinstance(kind, type) and is_composite(kind)):
        return leaf(name, kind, value)
    if kind is DType:
        return as_dtype(value)
    if kind is TensorShape:
        return TensorShape(value)
    kind = type(None) if kind is None else kind
    return _expected(name, kind, value, isinstance(value, kind))


def as_value(name: str, kind: Any, value: Any) -> Any:
    """`value` as a tensor, or as a composite of the class `kind`. Raises TypeError for anything else."""
    if kind is not Tensor:
        return _expected(name, kind, value, isinstance(value, kind))
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError, OpError):
        raise TypeError(f"{name}: expected a Tensor, got {type(value).__name__!r}") from None


def as_spec(name: str, kind: Any, value: Any) -> Any:
    """`value`, which must be a spec of values of the class `kind`. Raises TypeError for anything else."""
    if kind is Tensor:
        if not isinstance(value, TensorSpec):
            raise TypeError(f"{name}: expected a TensorSpec, got {type(value).__name__!r}")
    elif not isinstance(value, TypeSpec) or not issubclass(value.value_type, kind):
        raise TypeError(f"{name}: expected a TypeSpec of {kind.__name__}, got {type(value).__name__!r}")
    return value


def _expected(name: str, kind: Any, value: Any, fits: bool) -> Any:
    if not fits:
        expected = repr(kind.__name__) if isinstance(kind, type) else str(kind)
        raise TypeError(f"{name}: expected {expected}, got {type(value).__name__!r}")
    return value


def _one_of(name: str, kind: Any, parts: tuple[Any, ...], value: Any, leaf: Callable[[str, Any, Any], Any]) -> Any:
    for part in parts:
        try:
            return converted(name, part, value, leaf)
        except TypeError:
            continue
    return _expected(name, kind, value, False)


def _as_tuple(name: str, kind: Any, parts: tuple[Any, ...], value: Any, leaf: Callable[[str, Any, Any], Any]) -> Any:
    _expected(name, kind, value, isinstance(value, (tuple, list)))
    kinds = [parts[0]] * len(value) if parts and parts[-1] is ... else parts
    _expected(name, kind, value, len(kinds) == len(value))
    pairs = enumerate(zip(kinds, value, strict=True))
    return tuple([converted(f"{name}[{place}]", each, one, leaf) for place, (each, one) in pairs])
