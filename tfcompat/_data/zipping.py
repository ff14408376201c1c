"""Datasets side by side: `zip` and `enumerate`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._data.block import Block
from tfcompat._data.cursor import Cursor, Rows
from tfcompat._data.node import INFINITE, UNKNOWN, Node
from tfcompat._data.structure import Structure


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
