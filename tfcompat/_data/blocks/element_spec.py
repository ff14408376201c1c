"""Types of values that hold elements of one type: iterators and optionals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tfcompat._core.structure.spec import TypeSpec
from tfcompat._data.blocks.nesting import common_supertype, flatten, is_compatible, is_subtype


class ElementSpec(TypeSpec):
    """The type of values whose elements have the type `element_spec`, a structure of specs."""

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The type of an element."""
        return self._element_spec

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """The type of `value`. Raises AttributeError unless it has elements."""
        return cls(value.element_spec)

    def _is_value(self, value: Any) -> bool:
        """Whether `value` is of the kind that is described, and not a spec."""
        return isinstance(value, self.value_type)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value`, a spec or a value, has elements that this spec allows."""
        if self._is_value(spec_or_value):
            spec_or_value = self.from_value(spec_or_value)
        return isinstance(spec_or_value, type(self)) and is_compatible(self._element_spec, spec_or_value._element_spec)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is a spec of this class that allows every element that this spec allows."""
        return isinstance(other, type(self)) and is_subtype(self._element_spec, other._element_spec)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec that includes this one and all of `others`; None if their elements do not fit."""
        found = self._element_spec
        for other in others:
            found = common_supertype(found, other._element_spec) if isinstance(other, type(self)) else None
            if found is None:
                return None
        return type(self)(found)

    def __eq__(self, other: object) -> bool:
        return self._element_spec == other._element_spec if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self).__name__, *flatten(self._element_spec)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._element_spec!r},)"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._element_spec,)
