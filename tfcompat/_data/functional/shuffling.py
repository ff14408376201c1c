"""Shuffled datasets, in TensorFlow's order.

The buffer holds the numbers of elements if these are found by their numbers. Else it is an array for each component
with some places more than it has slots. New elements are written to free places, and drawn ones are gathered, which
frees theirs; so each is copied twice, whatever the size of the buffer.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.blocks.block import Block, Column, entries, gathered, joined
from tfcompat._data.blocks.order import Epochs, Order, are_seeds, words
from tfcompat._data.functional.row_access import Permuted, is_indexed, rows
from tfcompat._data.nodes.cursor import Cursor, Late
from tfcompat._data.nodes.node import UNKNOWN, Node, Unary, integer, is_number

# The most elements that are drawn at once, and the bytes that they may take.
_MOST, _BYTES = 4096, 1 << 20


class Shuffle(Unary):
    """The elements in random order, from a buffer of `size`; all of them are held if that is `UNKNOWN`.

    Attributes:
      epochs: counts the iterations of this dataset.
    """

    label = "_ShuffleDataset"

    def __init__(self, source: Node, size: Any, seed: Any, reshuffle: Any) -> None:
        super().__init__(source)
        self.size = integer(size, "buffer_size")
        if self.size <= 0 and self.size != UNKNOWN:
            raise InvalidArgumentError.of("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        self.epochs = Epochs(seed, is_fixed=not (reshuffle is None or reshuffle))
        self._permutation: list[int] | None = None

    def count(self) -> int:
        return self.source.cardinality

    @property
    def is_fused_with_repeat(self) -> bool:
        return True

    def copied(self, inputs: Sequence[Node], values: Mapping[int, Any]) -> Self:
        found = super().copied(inputs, values)
        found.epochs = copy.copy(self.epochs)
        return found

    def permutation(self) -> list[int]:
        """The numbers of the elements that `tf.data.experimental.at` finds: in an order of their own."""
        if self._permutation is None:
            first, second = self.epochs.seeds
            count = self.cardinality
            found = list(range(count))
            drawn = words((first, first if self.epochs.is_fixed else second), 0, count).tolist()
            for place, word in enumerate(drawn):
                other = place + word % (count - place)
                found[place], found[other] = found[other], found[place]
            self._permutation = found
        return self._permutation

    def cursor(self) -> Cursor:
        return _ShuffledNumbers(self) if is_indexed(self.source) else _ShuffledElements(self)


def permuted(node: Node) -> Any:
    """`node` with permutations in place of shuffles, for `rows`."""
    inputs = list(map(permuted, node.inputs))
    if isinstance(node, Shuffle) and node.cardinality > 0:
        return Permuted(inputs[0], node.permutation())
    is_changed = any(new is not old for new, old in zip(inputs, node.inputs, strict=True))
    return node.copied(inputs, {}) if is_changed else node


class Shuffled(Cursor):
    """The order in which a buffer is emptied and filled.

    Attributes:
      _order: None before the buffer is full.
      _filled: the number of elements in the buffer.
      _iteration: the number of this iteration of the dataset; first: that of the first one in this iterator, or -1 if
        another iterator has begun iterations in between.
      drawn: the order at the place that was last saved in TensorFlow's form.
    """

    saved: tuple[str, ...] = ("_filled",)

    def __init__(self, node: Shuffle) -> None:
        self._node = node
        self._iteration, self._seeds = node.epochs.next()
        self.first = self._iteration
        self._order: Order | None = None
        self._filled = 0
        self.drawn: Order | None = None

    def save(self) -> Any:
        order = self._order
        own = (self._seeds, self._node.epochs.count, None if order is None else (order.at, order.slots))
        return {**super().save(), "order": own, "iterations": (self._iteration, self.first)}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._iteration, self.first = state.get("iterations", (-1, -1))  # places of earlier versions do not have it
        self._seeds, count, order = state["order"]
        if not are_seeds(self._seeds):
            raise ValueError("no dataset has these seeds")
        if not (is_number(count) and is_number(self._iteration, -1) and is_number(self.first, -1)):
            raise ValueError("no dataset was iterated as often")
        self._node.epochs.count = count
        self._order = None
        if order is not None:
            at, slots = order
            if not is_number(at) or not 0 <= self._filled <= len(slots) or not self._is_possible(at, slots):
                raise ValueError("no buffer has this order")
            self._order = Order(self._seeds, slots, self._filled, at)

    @abstractmethod
    def _is_possible(self, at: int, slots: list[int]) -> bool:
        """Whether reading may have led to an order with these `slots` after `at` draws."""

    def go_on_after(self, earlier: Cursor) -> None:
        super().go_on_after(earlier)
        assert isinstance(earlier, Shuffled)
        is_next = self._node.epochs.is_fixed or self._iteration == earlier._iteration + 1
        self.first = earlier.first if is_next else -1


class _ShuffledNumbers(Shuffled):
    """A buffer of the numbers of elements, which are found by their numbers when they are drawn."""

    def read(self, most: int) -> Block | None:
        numbers = self._next_numbers(most)
        return rows(self._node.source, numbers) if numbers else None

    def _next_numbers(self, most: int) -> list[int]:
        """The numbers of the next elements, at most `most`; none at the end."""
        length = self._node.source.cardinality
        if self._order is None:
            self._filled = self._size()
            self._order = Order(self._seeds, list(range(self._filled)), self._filled)
        order = self._order
        begin = order.at + self._filled
        if begin < length and self._filled < order.size:
            return order.exchange(list(range(begin, min(begin + most, length))))
        # A full buffer is drawn from once; then each draw needs a new element.
        found = order.drain(1 if begin < length else min(most, self._filled))
        self._filled -= len(found)
        return found

    def _size(self) -> int:
        length, limit = self._node.source.cardinality, self._node.size
        return length if limit == UNKNOWN else min(limit, length)

    def _is_possible(self, at: int, slots: list[int]) -> bool:
        length = self._node.source.cardinality
        is_whole = len(slots) == self._size() and at + self._filled <= length
        return is_whole and all(type(number) is int and 0 <= number < length for number in slots)


class _ShuffledElements(Shuffled):
    """A buffer of elements.

    Attributes:
      _parts: the first elements, before the buffer is full.
      _store: the buffer; `_free` are the places in it that hold no element.
    """

    saved = ("_cursor", "_parts", "_store", "_filled", "_free", "_has_ended")

    def __init__(self, node: Shuffle) -> None:
        super().__init__(node)
        self._cursor = Late(node.source.cursor)
        self._parts: list[Block] = []
        self._store: list[Column] = []
        self._free: list[int] = []
        self._has_ended = False

    def read(self, most: int) -> Block | None:
        order = self._order or self._fill()
        if not self._has_ended and self._filled < order.size:
            block = self._cursor.read(min(most, len(self._free)))
            if block is not None:
                return self._exchanged(order, block)
            self._has_ended = True
        if self._filled == 0:
            return None
        # A full buffer is drawn from once; then each draw needs a new element.
        count = min(most, self._filled) if self._has_ended else 1
        places = order.drain(count)
        self._filled -= count
        return self._drawn(places)

    def _fill(self) -> Order:
        """Reads until the buffer is full. After an error it continues."""
        limit = self._node.size
        while limit == UNKNOWN or self._filled < limit:
            block = self._cursor.read(_MOST if limit == UNKNOWN else limit - self._filled)
            if block is None:
                self._has_ended = True
                break
            self._parts.append(block)
            self._filled += block.count
        size = self._filled
        if size:
            block = joined(self._parts)
            extra = 0 if self._has_ended else max(1, min(_MOST, size, _BYTES * size // max(1, block.nbytes)))
            self._store = [_extended(column, extra) for column in block.columns]
            self._free = list(range(size, size + extra))
        self._parts = []
        self._order = Order(self._seeds, list(range(size)), size)
        return self._order

    def _exchanged(self, order: Order, block: Block) -> Block:
        count = block.count
        new = self._free[:count]
        places = np.array(new)
        for number, column in enumerate(block.columns):
            self._store[number] = _written(self._store[number], places, column)
        drawn = order.exchange(new)
        self._free = self._free[count:] + drawn
        return self._drawn(drawn)

    def _drawn(self, places: list[int]) -> Block:
        chosen = np.array(places)
        found = Block(tuple([gathered(column, chosen) for column in self._store]), len(places))
        for column in self._store:
            if isinstance(column, list):
                for place in places:
                    column[place] = None
        return found

    def is_possible(self) -> bool:
        components = self._node.source.structure.components
        is_begun = len(self._store) in (0, len(components))
        return is_begun and self._filled >= 0 and all(isinstance(each, Block) for each in self._parts)

    def _is_possible(self, at: int, slots: list[int]) -> bool:
        del at
        length = min((len(column) for column in self._store), default=0)
        is_held = len(slots) <= length + (not self._filled)
        return is_held and all(type(place) is int and 0 <= place < max(1, length) for place in (*slots, *self._free))


def shuffled_in(cursor: Cursor) -> dict[int, Shuffled]:
    """The cursors of shuffled datasets in the iterator that reads `cursor`, by the `id` of the dataset."""
    found = {id(cursor._node): cursor} if isinstance(cursor, Shuffled) else {}
    for each in cursor.inputs():
        found |= shuffled_in(each)
    return found


def _extended(column: Column, extra: int) -> Column:
    """A copy of a column with `extra` entries more."""
    if isinstance(column, list):
        return column + [None] * extra
    store = np.empty((len(column) + extra, *column.shape[1:]), column.dtype)
    store[: len(column)] = column
    return store


def _written(store: Column, places: np.ndarray[Any, Any], column: Column) -> Column:
    """`store` with the entries of `column` at `places`: a list if they have other shapes than those in it."""
    if isinstance(store, np.ndarray):
        if isinstance(column, np.ndarray) and column.shape[1:] == store.shape[1:]:
            store[places] = column
            return store
        store = entries(store)
    for place, entry in zip(places.tolist(), entries(column), strict=True):
        store[place] = entry
    return store
