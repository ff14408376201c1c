"""A value or its absence: `tf.experimental.Optional`."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.check_outcome import unverified
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types import nest
from tfcompat._core.types.packing import packer
from tfcompat._data.blocks.element_spec import ElementSpec
from tfcompat._data.blocks.structure import SpecKey, spec_of
from tfcompat._function.graphs.refusal import refuse_reading


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
        return _answer(bool(self._values))

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
        return cls(spec._element_spec, spec._pack(leaves))

    @functools.cached_property
    def _pack(self) -> Callable[[Sequence[Any]], Any]:
        """Packs the components of an optional of this type."""
        return packer(self._values)

    def _plain(self) -> Hashable:
        return SpecKey(self._element_spec), bool(self._values)


class OptionalSpec(ElementSpec):
    """The type of optionals whose values have the type `element_spec`.

    Source: TF 2.21 `tf.OptionalSpec`.
    """

    __slots__ = ()

    @property
    def value_type(self) -> type[Any]:
        """The class of optionals."""
        return _Held

    def _is_value(self, value: Any) -> bool:
        return isinstance(value, Optional)


@functools.cache
def _answer(has_value: bool) -> Tensor:
    """The tensor `has_value`."""
    found = Tensor(np.array(has_value))
    # Loops ask before each step. They must not wait for the step before.
    unverified.exempt(found)
    return found


def held(spec: Any, value: Any) -> Optional:
    """An optional with `value`, an element of the type `spec`."""
    return _Held(spec, (value,))
