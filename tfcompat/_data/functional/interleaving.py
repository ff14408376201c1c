"""Datasets of the elements of datasets that a function makes: `flat_map` and `interleave`."""

from __future__ import annotations

import os
from typing import Any

from tfcompat._core.structure.none_spec import NoneTensorSpec
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.blocks.block import Block, entries
from tfcompat._data.blocks.dataset_spec import DatasetSpec
from tfcompat._data.blocks.nesting import is_nested
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.user_function import UserFunction
from tfcompat._data.functional.mapping import Functional, Mapped, shares_rows
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import INFINITE, UNKNOWN, Node, integer


class Interleave(Functional):
    """The elements of the datasets that a function makes, `length` from each of `cycle` datasets in turn.

    Raises: TypeError if the function returns a structure or None; AttributeError if it returns another value than a
      dataset.
    """

    def __init__(self, source: Node, function: Any, label: str, kind: str, cycle: int, length: int) -> None:
        found = UserFunction(label, function, [source.structure], is_spread=True, shares_rows=shares_rows(source))
        spec = found.structure.spec
        if not isinstance(spec, DatasetSpec):
            refusal = TypeError if is_nested(spec) or isinstance(spec, NoneTensorSpec) else AttributeError
            raise refusal(f"{label}: the function must return a tf.data.Dataset, got {spec}.")
        self.calls = Calls(found)
        super().__init__(source, Structure(spec.element_spec), is_pure=self.calls.is_pure)
        self.label = kind
        self.cycle, self.length = cycle, length

    def count(self) -> int:
        """That of an infinite input only if TensorFlow reads several datasets in parallel."""
        is_parallel = self.label == "_ParallelInterleaveDataset"
        return INFINITE if is_parallel and self.source.cardinality == INFINITE else UNKNOWN

    def cursor(self) -> Cursor:
        return _Interleaved(self)


class _Interleaved(Cursor):
    """Reads from one dataset after the other.

    Attributes:
      _nodes: the datasets in the cycle, None in places that are free; `_cursors` are their cursors.
      _place: the place in the cycle; `_used` is how many elements have been read there in this turn.
      _last: the dataset that was begun last, and its cursor.
    """

    def __init__(self, node: Interleave) -> None:
        self._datasets: Cursor = Mapped(node.source.cursor(), node.calls)
        self._length = node.length
        self._nodes: list[Node | None] = [None] * node.cycle
        self._cursors: list[Cursor | None] = [None] * node.cycle
        self._place = self._used = 0
        self._last: tuple[Node, Cursor] | None = None
        self._has_ended = False

    def read(self, most: int) -> Block | None:
        while not self._has_ended or any(self._nodes):
            cursor = self._cursors[self._place]
            if cursor is not None:
                left = self._length - self._used
                block = cursor.read(most if len(self._nodes) == 1 else min(most, left))
                if block is not None:
                    self._used += block.count
                    if block.count >= left:
                        self._advance()
                    return block
                self._nodes[self._place] = self._cursors[self._place] = None
                self._advance()
            elif self._has_ended:
                self._advance()
            else:
                self._begin()
        return None

    def _advance(self) -> None:
        self._place = (self._place + 1) % len(self._nodes)
        self._used = 0

    def _begin(self) -> None:
        """Begins the next dataset."""
        block = self._datasets.read(1)
        if block is None:
            self._has_ended = True
            return
        (node,) = entries(block.columns[0])
        self._set(self._place, node, node.cursor())

    def _set(self, place: int, node: Node, cursor: Cursor) -> None:
        """Puts a dataset in its place; functions of all datasets draw from the same streams."""
        if self._last is not None:
            cursor.go_on_after(self._last[1])
        self._nodes[place], self._cursors[place], self._last = node, cursor, (node, cursor)

    def go_on_after(self, earlier: Cursor) -> None:
        assert isinstance(earlier, _Interleaved)
        self._datasets.go_on_after(earlier._datasets)
        self._last = earlier._last

    def save(self) -> Any:
        held = [None if cursor is None else cursor.save() for cursor in self._cursors]
        place = self._place, self._used, self._has_ended
        last = None if self._last is None else (self._last[0], self._last[1].save())
        nodes = list(self._nodes)
        return {"datasets": self._datasets.save(), "nodes": nodes, "held": held, "last": last, "place": place}

    def restore(self, state: Any) -> None:
        self._datasets.restore(state["datasets"])
        self._nodes = list(state["nodes"])
        self._cursors = [None] * len(self._nodes)
        self._place, self._used, self._has_ended = state["place"]
        self._last = None
        if state["last"] is not None:
            node, held = state["last"]
            self._last = node, node.cursor()
            self._last[1].restore(held)
        for place, (node, held) in enumerate(zip(self._nodes, state["held"], strict=True)):
            if node is not None:
                cursor = node.cursor()
                self._set(place, node, cursor)
                cursor.restore(held)


def interleaved(node: Node, function: Any, cycle: Any, length: Any, calls: Any, *, is_parallel: bool) -> Node:
    """The dataset for `interleave`.

    Raises: InvalidArgumentError if a number is not positive, or there are more parallel calls than datasets in a cycle.
    """
    cores = os.cpu_count() or 1
    chosen = integer(-1 if cycle is None else cycle, "cycle_length")
    size = integer(1 if length is None else length, "block_length")
    number = (-(-cores // 3) if is_parallel else cores) if chosen == -1 else chosen
    kind = "_ParallelInterleaveDataset" if is_parallel else "_InterleaveDataset"
    found = Interleave(node, function, "tf.data.Dataset.interleave", kind, max(1, number), max(1, size))
    if number <= 0:
        raise InvalidArgumentError.of("cycle_length must be greater than zero.")
    if size <= 0:
        raise InvalidArgumentError.of("block_length must be greater than zero.")
    if is_parallel and chosen != -1 and integer(calls, "num_parallel_calls") > chosen:
        raise InvalidArgumentError.of(
            "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either `tf.data.AUTOTUNE` or a "
            f"value less than or equal to `cycle_length`. However, `num_parallel_calls` is {calls}, which is greater "
            f"than {chosen}."
        )
    return found
