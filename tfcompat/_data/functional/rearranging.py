"""Datasets that put components into another structure, and datasets of the datasets of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.dataset_spec import DatasetSpec
from tfcompat._data.blocks.nesting import flatten, mapped
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.functional.interleaving import interleaved
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import Node, Unary


class Rearranged(Unary):
    """The components of the input in the structure that `arrange` makes of the structure of their numbers."""

    label = "_MapDataset"

    def __init__(self, source: Node, arrange: Callable[[Any], Any]) -> None:
        given = source.structure
        numbers = arrange(given.pack(list(range(len(given.components)))))
        self.places = flatten(numbers)
        super().__init__(source, Structure(mapped(given.specs.__getitem__, numbers)))

    def count(self) -> int:
        return self.source.cardinality

    def cursor(self) -> Cursor:
        return _RearrangedCursor(self.source.cursor(), self.places)


class _RearrangedCursor(Cursor):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, places: list[int]) -> None:
        self._cursor = cursor
        self._places = places

    def read(self, most: int) -> Block | None:
        block = self._cursor.read(most)
        return None if block is None else Block(tuple([block.columns[place] for place in self._places]), block.count)


class Opened(Unary):
    """The datasets that `make` returns for the names of files, which have elements of the type of `structure`.

    Attributes:
      has_records: whether these are records, lines or bytes of files; then processes can read different files.
    """

    label = "_MapDataset"

    def __init__(self, names: Node, structure: Structure, make: Callable[[str], Node], has_records: bool) -> None:
        super().__init__(names, Structure(DatasetSpec(structure.spec)))
        self.make = make
        self.has_records = has_records

    def count(self) -> int:
        return self.source.cardinality

    def cursor(self) -> Cursor:
        return _OpenedCursor(self.source.cursor(), self.make)


class _OpenedCursor(Cursor):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, make: Callable[[str], Node]) -> None:
        self._cursor = cursor
        self._make = make

    def read(self, most: int) -> Block | None:
        del most  # files are opened one by one
        block = self._cursor.read(1)
        if block is None:
            return None
        names: Any = block.columns[0]
        return Block(([self._make(names[0].decode(errors="surrogateescape"))],), 1)


def in_turn(names: Node, structure: Structure, make: Callable[[str], Node], cycle: Any, *, has_records: bool) -> Node:
    """The elements of the datasets of all files, of which `cycle` are read in turn; AUTOTUNE for a number of cores."""
    datasets = Opened(names, structure, make, has_records)
    calls = -1 if cycle == -1 else None
    return interleaved(datasets, lambda each: each, cycle, 1, calls, is_parallel=calls is not None)
