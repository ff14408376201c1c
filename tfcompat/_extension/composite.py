"""`CompositeTensor`: the class of tensors that are made of several, for `isinstance`."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable
from typing import Any

from tfcompat._core.types import nest
from tfcompat._core.types.container import is_composite
from tfcompat._extension.library_spec import rebuilt


class CompositeTensor(metaclass=ABCMeta):  # subclasses have a spec
    """A ragged, sparse or extension tensor, or a variable. Subclasses of libraries have a property `_type_spec`.

    Source: TF 2.21 `tf.__internal__.CompositeTensor`.
    """

    _type_spec: Any

    @classmethod
    def __subclasshook__(cls, subclass: type[Any]) -> Any:
        # `nest` flattens arrays of tensors. A tensor is not composite.
        declared = getattr(subclass, "_is_composite", None)
        is_one = is_composite(subclass) if declared is None else declared
        return True if cls is CompositeTensor and is_one else NotImplemented

    def _flatten_composite(self) -> list[Any]:
        return nest.flatten(self._type_spec._to_components(self))

    def _plain(self) -> Any:
        return self._type_spec

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        return rebuilt(spec, leaves)

    def _with_parts(self, of: Callable[[Any], Any]) -> Any:
        """The composite with `of` each component, which need not have a value: no code of the library runs."""
        return _Parts(self._type_spec, [of(leaf) for leaf in self._flatten_composite()])


class _Parts(CompositeTensor):
    """The components of a composite, in place of it."""

    def __init__(self, type_spec: Any, parts: list[Any]) -> None:
        self._spec = type_spec
        self._parts = parts

    @property
    def _type_spec(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]  # libraries define it like this
        return self._spec

    def _flatten_composite(self) -> list[Any]:
        return self._parts
