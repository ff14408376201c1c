"""A value or its absence: `tf.data.experimental.Optional`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from tfcompat._core.error import InvalidArgumentError
from tfcompat._core.tensor import Tensor
from tfcompat._data.block import Block, column_of
from tfcompat._data.structure import read


class Optional(ABC):
    """An element of a dataset, or none.

    Source: TF 2.21 `tf.data.experimental.Optional`.
    """

    @abstractmethod
    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value: a bool tensor.

        Shapes: -> [].
        Dtypes: -> bool.
        Source: TF 2.21 `tf.data.experimental.Optional.has_value`.
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
        structure, parts = read(value)
        [element] = structure.elements(Block(tuple([column_of([part]) for part in parts]), 1))
        return held(structure.spec, element)


class _Held(Optional):
    def __init__(self, spec: Any, values: tuple[Any, ...]) -> None:
        self._spec = spec
        self._values = values

    def has_value(self, name: str | None = None) -> Tensor:
        del name
        return Tensor(np.array(bool(self._values)))

    def get_value(self, name: str | None = None) -> Any:
        del name
        if not self._values:
            raise InvalidArgumentError.of("The given optional does not have a value.")
        return self._values[0]

    @property
    def element_spec(self) -> Any:
        return self._spec


def held(spec: Any, value: Any) -> Optional:
    """An optional with `value`, an element of the type `spec`."""
    return _Held(spec, (value,))
