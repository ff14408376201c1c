"""A value or its absence: `tf.experimental.Optional`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np

from tfcompat._core import nest
from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.spec import TypeSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._data.nesting import common_supertype, flatten, is_compatible, is_subtype
from tfcompat._data.structure import SpecKey, spec_of
from tfcompat._function.refusal import refuse_reading


class Optional(ABC):
    """An element of a dataset, or none.

    Source: TF 2.21 `tf.experimental.Optional`.
    """

    @abstractmethod
    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value: a bool tensor.

        Shapes: -> [].
        Dtypes: -> bool.
        Source: TF 2.21 `tf.experimental.Optional.has_value`.
        """

    @abstractmethod
    def get_value(self, name: str | None = None) -> Any:
        """The value. Raises InvalidArgumentError without a value."""

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The type of the value."""

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional of the type `element_spec` without a value."""
        return _Held(element_spec, ())

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional with `value`, a structure of tensors."""
        spec, element = spec_of(value)
        return held(spec, element)


class _Held(Optional):
    """A composite of the tensors of the value. Whether there is one is part of the trace that gets it."""

    def __init__(self, spec: Any, values: tuple[Any, ...]) -> None:
        # Keras assigns it.
        self._element_spec = spec
        self._values = values

    def has_value(self, name: str | None = None) -> Tensor:
        del name
        return Tensor(np.array(bool(self._values)))

    def get_value(self, name: str | None = None) -> Any:
        del name
        if not self._values:
            if here.graph is not None:
                refuse_reading("the value of an optional that is empty")
            raise InvalidArgumentError.of("The given optional does not have a value.")
        return self._values[0]

    @property
    def element_spec(self) -> Any:
        return self._element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)

    def _flatten_composite(self) -> list[Any]:
        return nest.flatten(self._values)

    @classmethod
    def _unflatten_composite(cls, spec: Any, leaves: list[Any]) -> Any:
        return cls(spec._element_spec, nest.pack_sequence_as(spec._values, leaves))

    def _plain(self) -> Hashable:
        return SpecKey(self._element_spec), bool(self._values)


class OptionalSpec(TypeSpec):
    """The type of optionals whose values have the type `element_spec`.

    Source: TF 2.21 `tf.OptionalSpec`.
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The type of the value."""
        return self._element_spec

    @property
    def value_type(self) -> type[Any]:
        """The class of optionals."""
        return _Held

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """The type of the optional `value`. Raises AttributeError for anything else."""
        return OptionalSpec(value.element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether `spec_or_value`, a spec or an optional, has a value that this spec allows."""
        if isinstance(spec_or_value, Optional):
            spec_or_value = OptionalSpec.from_value(spec_or_value)
        return isinstance(spec_or_value, OptionalSpec) and is_compatible(
            self._element_spec, spec_or_value._element_spec
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is an `OptionalSpec` that allows every value that this spec allows."""
        return isinstance(other, OptionalSpec) and is_subtype(self._element_spec, other._element_spec)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """The most specific spec that includes this one and all of `others`; None if their values do not fit."""
        found = self._element_spec
        for other in others:
            found = common_supertype(found, other._element_spec) if isinstance(other, OptionalSpec) else None
            if found is None:
                return None
        return type(self)(found)

    def __eq__(self, other: object) -> bool:
        return self._element_spec == other._element_spec if isinstance(other, OptionalSpec) else NotImplemented

    def __hash__(self) -> int:
        return hash(("OptionalSpec", *flatten(self._element_spec)))

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r},)"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._element_spec,)


def held(spec: Any, value: Any) -> Optional:
    """An optional with `value`, an element of the type `spec`."""
    return _Held(spec, (value,))
