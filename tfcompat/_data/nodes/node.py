"""Nodes: datasets as the engine knows them. Users see a node as a `tf.data.Dataset`, which holds it."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import bool_, int64
from tfcompat._data.blocks.options import Options, merged
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.nodes.cursor import Cursor

INFINITE = -1
UNKNOWN = -2
# More elements than any program reads.
MOST_ELEMENTS = 1 << 40


def is_number(value: Any, least: int = 0) -> bool:
    """Whether `value`, which may come from a file, is an integer from `least` on that may count elements."""
    return type(value) is int and least <= value < MOST_ELEMENTS


class Node(ABC):
    """A dataset: the type of its elements, and cursors that read them.

    Attributes:
      label: the name of the class in TensorFlow, for `repr`.
      structure: the type of an element.
      inputs: the datasets that this one reads.
      origin: how it was made for an element by a function, if it was.
      is_inner: whether it was made in a function that was being traced.
      is_pure: whether reading has no effects that can be observed; then a reader may run ahead.
    """

    label = ""
    origin: Any = None

    def __init__(self, structure: Structure, *inputs: Node, is_pure: bool = True) -> None:
        self.structure = structure
        self.inputs = inputs
        self.is_pure = is_pure and all(each.is_pure for each in inputs)
        self.is_inner = here.graph is not None
        self._cardinality: int | None = None

    def captured(self) -> list[Tensor]:
        """The tensors without values that functions of this dataset read, if it is made in a function."""
        return []

    def copied(self, inputs: Sequence[Node], values: Mapping[int, Any]) -> Self:
        """A copy that reads `inputs`. For `values` of captured tensors see `tfcompat._data.nodes.template`."""
        del values
        found = copy.copy(self)
        found.inputs = tuple(inputs)
        found.origin = None
        found._cardinality = None
        return found

    @abstractmethod
    def count(self) -> int:
        """The number of elements; `INFINITE` or `UNKNOWN`."""

    @property
    def transparent(self) -> bool:
        """Whether the elements are those of the input, and TensorFlow therefore removes the transformation."""
        return False

    @property
    def is_fused_with_repeat(self) -> bool:
        """Whether TensorFlow makes one transformation of this one and a `repeat` after it."""
        return False

    @property
    def is_fused_with_batch(self) -> bool:
        """Whether TensorFlow makes one transformation of this one and a `batch` after it."""
        return False

    @abstractmethod
    def cursor(self) -> Cursor:
        """A cursor at the first element; this counts as an iteration of the dataset."""

    def require_place(self) -> None:
        """Raises FailedPreconditionError if the places of cursors cannot be saved."""
        for each in self.inputs:
            each.require_place()

    @property
    def cardinality(self) -> int:
        """The number of elements; `INFINITE` or `UNKNOWN`."""
        if self._cardinality is None:
            self._cardinality = self.count()
        return self._cardinality

    @property
    def options(self) -> Options:
        """The options of this dataset and of its inputs."""
        return merged(*[each.options for each in self.inputs])


class Unary(Node):
    """A dataset that reads one other."""

    def __init__(self, source: Node, structure: Structure | None = None, is_pure: bool = True) -> None:
        super().__init__(structure or source.structure, source, is_pure=is_pure)

    @property
    def source(self) -> Node:
        """The dataset that it reads."""
        return self.inputs[0]


def integer(value: Any, name: str) -> int:
    """A Python number of an int64 argument.

    Raises: TypeError or ValueError, as conversion to a tensor of int64 does.
    """
    return value if type(value) is int else int(convert_to_tensor(value, int64, name=name))


def flag(value: Any, name: str) -> bool:
    """A Python boolean of a boolean argument. Raises TypeError for another value."""
    return value if type(value) is bool else bool(convert_to_tensor(value, bool_, name=name))


def positive(value: Any, name: str, message: str) -> int:
    """As `integer`. Raises InvalidArgumentError with `message` unless the number is positive."""
    number = integer(value, name)
    if number <= 0:
        raise InvalidArgumentError.of(message)
    return number
