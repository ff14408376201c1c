"""Datasets of functions of elements: `map`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InternalError, InvalidArgumentError, OpError
from tfcompat._data.blocks.block import Block
from tfcompat._data.function.caller import Caller
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.user_function import UserFunction
from tfcompat._data.nodes.batching import AnyBatch
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import Node, Unary, integer


class Functional(Unary):
    """A dataset of a function of the elements of another; `calls` are its programs."""

    calls: Calls

    def captured(self) -> list[Tensor]:
        return self.calls.captured()

    def copied(self, inputs: Sequence[Node], values: Mapping[int, Any]) -> Self:
        found = super().copied(inputs, values)
        found.calls = self.calls.bound_to(values)
        return found


class Map(Functional):
    """The results of a function of each element."""

    def __init__(self, source: Node, function: Any, label: str, is_parallel: bool) -> None:
        found = UserFunction(label, function, [source.structure], is_spread=True, shares_rows=shares_rows(source))
        self.calls = Calls(found)
        self.calls.is_parallel = is_parallel
        found.structure.require_tensors(label)
        super().__init__(source, found.structure, is_pure=self.calls.is_pure)
        self.label = "_ParallelMapDataset" if is_parallel else "_MapDataset"

    def count(self) -> int:
        return self.source.cardinality

    @property
    def transparent(self) -> bool:
        return self.calls.is_identity

    @property
    def is_fused_with_batch(self) -> bool:
        return True

    def cursor(self) -> Cursor:
        return Mapped(self.source.cursor(), self.calls, InvalidArgumentError)


class Called(Cursor):
    """Reads elements, calls a function of them, and returns its results; an error takes the place of its element.

    Attributes:
      _left: results that were not returned yet, and errors.
    """

    saved = ("_cursor", "_left")

    def __init__(self, cursor: Cursor, calls: Calls, ended: type[OpError] = InternalError) -> None:
        self._cursor = cursor
        self._caller = Caller(calls, ended)
        self._is_pure = calls.is_pure
        self._left: list[Block | Exception] = []

    def read(self, most: int) -> Block | None:
        while True:
            if self._left:
                found = self._left.pop(0)
                if isinstance(found, Exception):
                    raise found
                if found.count > most:
                    self._left.insert(0, found.part(most, found.count))
                return found.part(0, most)
            block = self._cursor.read(most if self._is_pure else 1)
            if block is None:
                return None
            self._left = self._results(block)

    def is_possible(self) -> bool:
        return all(isinstance(each, Block | Exception) for each in self._left)

    def go_on_after(self, earlier: Cursor) -> None:
        super().go_on_after(earlier)
        assert isinstance(earlier, Called)
        self._caller.go_on_after(earlier._caller)

    def save(self) -> Any:
        return {**super().save(), "streams": self._caller.save()}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._caller.restore(state["streams"])

    @abstractmethod
    def _results(self, block: Block) -> list[Block | Exception]:
        """The results of the elements of `block`, and their errors."""


class Mapped(Called):
    """The cursor of `Map`."""

    def _results(self, block: Block) -> list[Block | Exception]:
        return self._caller.outcomes(block)


def shares_rows(node: Node) -> bool:
    """Whether all components of an element have the same number of rows, since it is a batch."""
    while isinstance(node, Unary) and node.structure is node.source.structure:
        node = node.source
    return isinstance(node, AnyBatch)


def require_calls(number: Any) -> bool:
    """Whether `num_parallel_calls` is given. Raises InvalidArgumentError unless it is positive or AUTOTUNE."""
    if number is None:
        return False
    calls = integer(number, "num_parallel_calls")
    if calls <= 0 and calls != -1:
        raise InvalidArgumentError.of("num_parallel_calls must be greater than zero.")
    return True
