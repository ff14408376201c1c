"""Datasets that pass on some of the elements of others: `take`, `skip`, `shard`, `repeat`, `concatenate`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.nesting import common_supertype
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.nodes.cursor import Cursor, Empty, Late
from tfcompat._data.nodes.node import INFINITE, UNKNOWN, Node, Unary, integer, positive
from tfcompat._data.nodes.source import Held

# The most elements that are skipped at a time.
_STRIDE = 4096


class Take(Unary):
    """The first `number` elements; all if that is negative."""

    label = "_TakeDataset"

    def __init__(self, source: Node, number: Any) -> None:
        super().__init__(source)
        self.number = integer(number, "count")

    def count(self) -> int:
        given = self.source.cardinality
        if given == UNKNOWN or self.number < 0:
            return given
        return self.number if given == INFINITE else min(given, self.number)

    @property
    def transparent(self) -> bool:
        return self.number < 0

    def cursor(self) -> Cursor:
        if self.number < 0:
            return self.source.cursor()
        return _Taken(self.source.cursor(), self.number) if self.number else Empty()


class _Taken(Cursor):
    saved = ("_cursor", "_left")

    def __init__(self, cursor: Cursor, number: int) -> None:
        self._cursor = cursor
        self._left = self._number = number

    def is_possible(self) -> bool:
        return self._left >= 0

    def read(self, most: int) -> Block | None:
        if self._left == 0:
            return None
        block = self._cursor.read(min(most, self._left))
        self._left = 0 if block is None else self._left - block.count
        return block

    def save(self) -> Any:
        return {**super().save(), "number": self._number}

    def restore(self, state: Any) -> None:
        """Continues at the place. If the program takes another number now, as many fewer or more are left."""
        super().restore(state)
        given = state.get("number", self._number)  # places of earlier versions do not have it
        self._left = max(0, self._left + self._number - given)

    def look_ahead(self) -> None:
        if self._left:
            super().look_ahead()


class Skip(Unary):
    """The elements after the first `number`; none if that is negative."""

    label = "_SkipDataset"

    def __init__(self, source: Node, number: Any) -> None:
        super().__init__(source)
        self.number = integer(number, "count")

    def count(self) -> int:
        given = self.source.cardinality
        if given == UNKNOWN:
            return given
        if self.number < 0:
            return 0
        return given if given == INFINITE else max(0, given - self.number)

    @property
    def transparent(self) -> bool:
        return self.number == 0

    def cursor(self) -> Cursor:
        return _Skipped(self.source.cursor(), self.number) if self.number >= 0 else Empty()


class _Skipped(Cursor):
    saved = ("_cursor", "_left")

    def __init__(self, cursor: Cursor, number: int) -> None:
        self._cursor = cursor
        self._left = self._number = number

    def is_possible(self) -> bool:
        return 0 <= self._left <= self._number

    def read(self, most: int) -> Block | None:
        while self._left > 0:
            block = self._cursor.read(min(self._left, _STRIDE))
            self._left = 0 if block is None else self._left - block.count
        return self._cursor.read(most)


class Shard(Unary):
    """Each `number`-th element, beginning with the one at `index`."""

    label = "_ShardDataset"

    def __init__(self, source: Node, number: Any, index: Any) -> None:
        super().__init__(source)
        count = integer(number, "num_shards")
        self.number = positive(
            count, "num_shards", f"Number of shards must be greater than zero (currently num_shards = {count})."
        )
        self.index = integer(index, "index")
        if not 0 <= self.index < self.number:
            raise InvalidArgumentError.of(
                f"Index must be between 0 and {self.number - 1} (currently index = {self.index})."
            )

    def count(self) -> int:
        given = self.source.cardinality
        return given if given < 0 else len(range(self.index, given, self.number))

    @property
    def transparent(self) -> bool:
        return self.number == 1

    def cursor(self) -> Cursor:
        return _Sharded(self.source.cursor(), self.number, self.index)


class _Sharded(Cursor):
    """Reads blocks, and takes the elements of the shard.

    Attributes:
      _ahead: the number of elements before the next one of the shard.
    """

    saved = ("_cursor", "_ahead")

    def __init__(self, cursor: Cursor, number: int, index: int) -> None:
        self._cursor = cursor
        self._number = number
        self._ahead = index

    def is_possible(self) -> bool:
        return 0 <= self._ahead < self._number

    def read(self, most: int) -> Block | None:
        wanted = self._ahead + 1 + (most - 1) * self._number
        while (block := self._cursor.read(wanted)) is not None:
            start = self._ahead
            if start < block.count:
                found = block.every(self._number, start)
                self._ahead = start + found.count * self._number - block.count
                return found
            self._ahead -= block.count
        return None


class Repeat(Unary):
    """The elements `number` times; for ever if that is negative.

    Each time is an iteration of the input. A finite repetition begins one more when the last has ended, as TensorFlow's
    does, unless it directly follows a shuffle.
    """

    label = "_RepeatDataset"

    def __init__(self, source: Node, number: Any) -> None:
        super().__init__(source)
        self.number = -1 if number is None else integer(number, "count")

    def count(self) -> int:
        given = self.source.cardinality
        if self.number == 0 or given == 0:
            return 0
        if self.number < 0:
            return INFINITE
        return given * self.number if given > 0 else given

    @property
    def transparent(self) -> bool:
        return self.number == 1

    def cursor(self) -> Cursor:
        if not self.number:
            return Empty()
        source = simplified(self.source)
        if isinstance(source, Held) and source.block is not None and source.block.count == 1:
            return _RepeatedElement(source.block, self.number)
        return _Repeated(self)


class _RepeatedElement(Cursor):
    """One element, repeated without copies.

    Attributes:
      _left: how often it is still to be read; for ever if that is negative.
    """

    saved = ("_left",)

    def __init__(self, element: Block, number: int) -> None:
        self._element = element
        self._left = number

    def read(self, most: int) -> Block | None:
        count = most if self._left < 0 else min(most, self._left)
        if count == 0:
            return None
        self._left -= count if self._left > 0 else 0
        columns = [
            np.broadcast_to(column, (count, *column.shape[1:])) if isinstance(column, np.ndarray) else column * count
            for column in self._element.columns
        ]
        return Block(tuple(columns), count)


class _Repeated(Cursor):
    """Begins a new cursor for each repetition.

    Attributes:
      _turn: the number of the repetition.
      _count: the number of elements of this repetition that have been read.
    """

    saved = ("_turn", "_count", "_cursor")

    def __init__(self, node: Repeat) -> None:
        self._node = node
        self._cursor = node.source.cursor()
        self._turn = 0
        self._count = 0

    def is_possible(self) -> bool:
        return self._turn >= 0 and self._count >= 0

    def read(self, most: int) -> Block | None:
        number = self._node.number
        while number < 0 or self._turn < number:
            block = self._cursor.read(most)
            if block is not None:
                self._count += block.count
                return block
            if number < 0 and not self._count:
                return None
            self._begin_next()
        return None

    def _begin_next(self) -> None:
        self._turn += 1
        self._count = 0
        if self._turn != self._node.number or not simplified(self._node.source).is_fused_with_repeat:
            earlier, self._cursor = self._cursor, self._node.source.cursor()
            self._cursor.go_on_after(earlier)

    def look_ahead(self) -> None:
        if self._count and self._count == self._node.source.cardinality and self._cursor.ends_silently():
            self._begin_next()
        else:
            super().look_ahead()


def simplified(node: Node) -> Node:
    """The dataset without the transformations that TensorFlow removes because they change nothing."""
    while node.transparent and isinstance(node, Unary):
        node = node.source
    return node


class Concatenate(Node):
    """The elements of two datasets or more, one after the other.

    The concatenation of a concatenation has one node: with a node for each dataset, a thousand datasets would be too
    deep for Python.
    """

    label = "_ConcatenateDataset"

    def __init__(self, first: Node, second: Node) -> None:
        spec = common_supertype(first.structure.spec, second.structure.spec)
        if spec is None:
            raise TypeError(f"Incompatible dataset elements:\n  {first.structure.spec} vs.   {second.structure.spec}")
        parts = first.inputs if type(first) is Concatenate and first.origin is None else (first,)
        super().__init__(Structure(spec), *parts, second)

    @property
    def halves(self) -> tuple[Node, Node]:
        """The two inputs in TensorFlow: all datasets but the last, and the last."""
        *parts, last = self.inputs
        return parts[0] if len(parts) == 1 else self.copied(parts, {}), last

    def count(self) -> int:
        counts = [each.cardinality for each in self.inputs]
        if INFINITE in counts:
            return INFINITE
        return UNKNOWN if UNKNOWN in counts else sum(counts)

    def cursor(self) -> Cursor:
        first, *others = self.inputs
        return _Concatenated([first.cursor(), *[Late(each.cursor) for each in others]])


class _Concatenated(Cursor):
    saved = ("_cursors", "_at")

    def __init__(self, cursors: list[Cursor]) -> None:
        self._cursors = cursors
        self._at = 0

    def is_possible(self) -> bool:
        return self._at >= 0

    def read(self, most: int) -> Block | None:
        while self._at < len(self._cursors):
            block = self._cursors[self._at].read(most)
            if block is not None:
                return block
            self._at += 1
        return None
