"""Datasets side by side: `zip`, `enumerate`, and dictionaries with one more component."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.nodes.cursor import Cursor, Rows
from tfcompat._data.nodes.node import INFINITE, UNKNOWN, Node


class Zip(Node):
    """Elements of all `sources` together, in the structure `spec`; the shortest decides."""

    label = "_ZipDataset"

    def __init__(self, sources: Sequence[Node], spec: Any) -> None:
        super().__init__(Structure(spec), *sources)

    def count(self) -> int:
        counts = [each.cardinality for each in self.inputs]
        if UNKNOWN in counts:
            return UNKNOWN
        finite = [count for count in counts if count != INFINITE]
        return min(finite) if finite else INFINITE

    def cursor(self) -> Cursor:
        return _Zipped([each.cursor() for each in self.inputs])


class _Zipped(Cursor):
    saved = ("_rows",)

    def __init__(self, cursors: list[Cursor]) -> None:
        self._rows = [Rows(cursor) for cursor in cursors]

    def read(self, most: int) -> Block | None:
        blocks: list[Block] = []
        for rows in self._rows:
            try:
                block = rows.read(most)
            except Exception:
                self._drop_one(blocks)
                raise
            if block is None:
                return None
            most = min(most, block.count)
            blocks.append(block)
        for rows, block in zip(self._rows, blocks, strict=True):
            if block.count > most:
                rows.put_back(block.part(most, block.count))
        return Block(tuple([column for block in blocks for column in block.part(0, most).columns]), most)

    def _drop_one(self, blocks: list[Block]) -> None:
        """Passes over the elements beside one that has an error; `blocks` are those that were read before it."""
        for rows, block in zip(self._rows, blocks, strict=False):
            if block.count > 1:
                rows.put_back(block.part(1, block.count))
        for rows in self._rows[len(blocks) + 1 :]:
            rows.read(1)


class Marked(Zip):
    """The elements of `source`, dictionaries, with those of `marks` under `key`."""

    label = "_MapDataset"

    def __init__(self, source: Node, marks: Node, key: str) -> None:
        spec = {**source.structure.spec, key: marks.structure.spec}
        super().__init__([source, marks], spec)
        # Components are in the order of the sorted keys.
        names = [*sorted(source.structure.spec), key]
        self._places = [names.index(name) for name in sorted(spec)]

    def cursor(self) -> Cursor:
        return _Reordered(super().cursor(), self._places)


class _Reordered(Cursor):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, places: list[int]) -> None:
        self._cursor = cursor
        self._places = places

    def read(self, most: int) -> Block | None:
        block = self._cursor.read(most)
        return None if block is None else Block(tuple([block.columns[place] for place in self._places]), block.count)
