"""Functions of a state and an element: `reduce` and `scan`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError, OutOfRangeError
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.growth import Growth
from tfcompat._data.blocks.nesting import common_supertype, flatten, is_alike, is_subtype
from tfcompat._data.blocks.structure import Structure, read_component, spec_of
from tfcompat._data.function.caller import Caller
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.user_function import UserFunction
from tfcompat._data.functional.mapping import Called, Functional
from tfcompat._data.functional.reading import read_as_element
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.template import has_no_value


class Fold:
    """A function of a state and an element, which returns a new state, and an output if it `has_output`.

    Attributes:
      calls: its programs.
      state: the type of the state, with sizes open that change.
      output: the type of the output.
      tensors: the tensors in the first state that have no values yet, in a function of elements.
    """

    def __init__(self, label: str, function: Any, initial: Any, element: Structure, *, has_output: bool) -> None:
        """Traces `function`, again for each state that has more open sizes than the last.

        Raises: TypeError if the new state has other dtypes or another structure than the first, or if the function
          does not return a pair although it should.
        """
        spec, components = spec_of(initial)
        self.state = Structure(spec)
        self._first = flatten(components)
        self.tensors = list(filter(has_no_value, self._first))
        while True:
            found = UserFunction(label, function, [self.state, element])
            spec = found.structure.spec
            if has_output:
                if type(spec) is not tuple or len(spec) != 2:
                    raise TypeError(
                        "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                        f"value but its return type is {spec}."
                    )
                spec, self.output = spec[0], Structure(spec[1])
            self._require_alike(spec)
            if is_subtype(spec, self.state.spec):
                break
            self.state = Structure(common_supertype(self.state.spec, spec))
        self.calls = Calls(found)

    def first(self, values: Mapping[int, Any]) -> Block:
        """The first state; `values` are those of `tensors`, by `id`."""
        found = [values[id(each)] if id(each) in values else read_component(each)[1] for each in self._first]
        return Block(tuple([[value] for value in found]), 1)

    def last(self, node: Node, values: Mapping[int, Any]) -> Block:
        """The state after all elements of `node`. Raises the error of an element."""
        calls = self.calls.bound_to(values)
        caller, state = Caller(calls, OutOfRangeError), self.first(values)
        cursor, growth = node.cursor(), Growth(node.is_pure and calls.is_pure)
        while (block := cursor.read(growth.number)) is not None:
            growth.saw(block)
            for row in range(block.count):
                (found,) = caller.outcomes(_beside(state, block.part(row, row + 1)))
                if isinstance(found, Exception):
                    raise found
                state = found
        return state

    def _require_alike(self, spec: Any) -> None:
        """Raises TypeError unless a new state of the type `spec` can follow the first."""
        if not is_alike(self.state.spec, spec):
            raise TypeError(
                f"The element classes for the new state must match the initial state. Expected {self.state.spec}; got "
                f"{spec}."
            )
        for old, new in zip(flatten(self.state.spec), flatten(spec), strict=True):
            if old.most_specific_common_supertype([new]) is None:
                raise TypeError(
                    f"The element types for the new state must match the initial state. Expected {old.dtype!r}; got "
                    f"{new.dtype!r}."
                )


def reduced(node: Node, initial: Any, function: Any) -> Any:
    """The last state of a function of the state and each element of `node`."""
    fold = Fold("tf.data.Dataset.reduce", function, initial, node.structure, has_output=False)
    return read_as_element("reduce", node, fold.state, fold.last, [*fold.tensors, *fold.calls.captured()])


class Scan(Functional):
    """The outputs of a function of a state and each element."""

    label = "_ScanDataset"

    def __init__(self, source: Node, initial: Any, function: Any) -> None:
        self.fold = fold = Fold("tf.data.Dataset.scan", function, initial, source.structure, has_output=True)
        fold.output.require_tensors("tf.data.Dataset.scan")
        self.calls = fold.calls
        self.first = None if fold.tensors else fold.first({})
        super().__init__(source, fold.output, is_pure=fold.calls.is_pure)

    def captured(self) -> list[Tensor]:
        return [*super().captured(), *self.fold.tensors]

    def copied(self, inputs: Sequence[Node], values: Mapping[int, Any]) -> Self:
        found = super().copied(inputs, values)
        if found.fold.tensors:
            found.first = found.fold.first(values)
        return found

    def count(self) -> int:
        return self.source.cardinality

    def cursor(self) -> Cursor:
        assert self.first is not None
        return _Scanned(self.source.cursor(), self.calls, len(self.fold.state.components), self.first)


class _Scanned(Called):
    """Computes one element after another.

    Attributes:
      _state: the state before the next element.
    """

    saved = (*Called.saved, "_state")

    def __init__(self, cursor: Cursor, calls: Calls, count: int, first: Block) -> None:
        super().__init__(cursor, calls, InvalidArgumentError)
        self._count = count
        self._state = first

    def _results(self, block: Block) -> list[Block | Exception]:
        found: list[Block | Exception] = []
        for row in range(block.count):
            (outcome,) = self._caller.outcomes(_beside(self._state, block.part(row, row + 1)))
            if isinstance(outcome, Block):
                self._state = Block(outcome.columns[: self._count], 1)
                outcome = Block(outcome.columns[self._count :], 1)
            found.append(outcome)
        return found


def _beside(state: Block, element: Block) -> Block:
    return Block((*state.columns, *element.columns), 1)
