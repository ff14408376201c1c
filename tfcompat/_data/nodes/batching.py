"""Datasets of batches: `batch` and `rebatch`, and the cursor that all kinds of batches share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.types.dtype import int64
from tfcompat._data.blocks.block import Block, column_of, entries, joined
from tfcompat._data.blocks.component import Dense
from tfcompat._data.blocks.structure import Structure, host_array
from tfcompat._data.nodes.cursor import Cursor, Rows
from tfcompat._data.nodes.node import Node, Unary, flag, positive
from tfcompat._data.nodes.sequence import simplified
from tfcompat._data.nodes.unbatching import unbatched_rows

POSITIVE = "Batch size must be greater than zero."


class AnyBatch(Unary):
    """Batches of `size` elements; the last may be smaller, or is left out.

    Attributes:
      is_dense: whether columns that are arrays become batches by a change of shape.
    """

    is_dense = False

    def __init__(self, source: Node, structure: Structure, size: int, drop_remainder: bool) -> None:
        super().__init__(source, structure)
        self.size = size
        self.drop_remainder = drop_remainder

    def count(self) -> int:
        given = self.source.cardinality
        if given < 0:
            return given
        return given // self.size if self.drop_remainder else -(-given // self.size)

    @property
    def drops_whole_batches(self) -> bool:
        """Whether an error takes all elements of its batch along, as TensorFlow joins the input with the batch."""
        return False

    @abstractmethod
    def made(self, columns: list[list[Any]]) -> list[Any]:
        """The components of the batch of elements with these columns."""

    def cursor(self) -> Cursor:
        return BatchCursor(self)


class BatchCursor(Cursor):
    """Reads enough elements for a batch at least.

    A batch that meets an error is dropped: the next begins after it. TensorFlow joins a `map` with a `batch` behind it;
    then the next one begins behind all elements of the batch.
    """

    saved = ("_rows",)

    def __init__(self, node: AnyBatch) -> None:
        self._node = node
        self._rows = Rows(node.source.cursor())

    def read(self, most: int) -> Block | None:
        size = self._node.size
        parts: list[Block] = []
        count = 0
        while count < size:
            try:
                block = self._rows.read(most * size - count)
            except Exception as error:
                if self._node.drops_whole_batches and not is_raised_by_handler(error):
                    self._pass_over(size - count - 1)
                raise
            if block is None:
                break
            parts.append(block)
            count += block.count
        if count == 0 or (count < size and self._node.drop_remainder):
            return None
        block = joined(parts)
        if count < size:
            return self._batches(block, 1, count)
        full = count // size
        if self._node.is_dense and all(isinstance(column, np.ndarray) for column in block.columns):
            if count > full * size:
                self._rows.put_back(block.part(full * size, count))
                block = block.part(0, full * size)
            columns: Any = block.columns
            return Block(tuple([column.reshape(full, size, *column.shape[1:]) for column in columns]), full)
        return self._batches(block, full, size)

    def _pass_over(self, number: int) -> None:
        """Reads `number` elements, with errors or without."""
        while number > 0:
            try:
                block = self._rows.read(number)
            except Exception as error:
                if is_raised_by_handler(error):
                    raise
                number -= 1
                continue
            if block is None:
                return
            number -= block.count

    def _batches(self, block: Block, number: int, size: int) -> Block:
        """`number` batches, each made on its own, up to the first that fails; other elements are put back."""
        columns = [entries(column) for column in block.columns]
        made: list[list[Any]] = []
        used = 0
        try:
            for start in range(0, number * size, size):
                try:
                    made.append(self._node.made([column[start : start + size] for column in columns]))
                except Exception as error:
                    if is_raised_by_handler(error):
                        used = 0  # the batches that were made are made again
                        raise
                    if not made:
                        used = start + size
                        raise
                    break
                used = start + size
        finally:
            if used < block.count:
                self._rows.put_back(block.part(used, block.count))
        return Block(tuple([column_of(column) for column in zip(*made, strict=True)]), len(made))


class Batch(AnyBatch):
    """Batches of elements of one shape. Ragged and sparse components become batches of their kind."""

    def __init__(self, source: Node, size: Any, drop_remainder: Any, label: str = "_BatchDataset") -> None:
        number = positive(size, "batch_size", POSITIVE)
        is_dropped = flag(drop_remainder, "drop_remainder")
        parts = source.structure.components
        structure = source.structure.like([part.batched(number if is_dropped else None) for part in parts])
        super().__init__(source, structure, number, is_dropped)
        self.label = label
        self.is_dense = all(isinstance(part, Dense) for part in parts)

    @property
    def drops_whole_batches(self) -> bool:
        is_plain = self.label == "_BatchDataset"
        wanted = self.options.experimental_optimization.map_and_batch_fusion
        return is_plain and wanted is not False and simplified(self.source).is_fused_with_batch

    def made(self, columns: list[list[Any]]) -> list[Any]:
        parts = zip(self.source.structure.components, columns, strict=True)
        return [part.stacked(rows, place) for place, (part, rows) in enumerate(parts)]


class Rebatch(Unary):
    """The rows of all batches in batches of other sizes, in turn."""

    label = "_RebatchDataset"

    def __init__(self, source: Node, sizes: Any, drop_remainder: Any) -> None:
        found = host_array(convert_to_tensor(sizes, int64, name="batch_sizes"))
        if found.ndim > 1:
            raise ValueError(
                "Invalid `batch_sizes`. Expected `batch_sizes` to be a scalar or a vector. Received `batch_sizes` of "
                f"rank {found.ndim}."
            )
        if any(shape.rank == 0 for part in source.structure.components for shape in part.shapes()):
            raise ValueError(
                "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset with scalar elements. "
                "Fix the issue by adding the `batch` transformation to the dataset."
            )
        self.sizes = [int(size) for size in np.atleast_1d(found)]
        self.drop_remainder = flag(drop_remainder, "drop_remainder")
        for size in self.sizes:
            positive(size, "batch_sizes", POSITIVE)
        size = self._static_size(source)
        self.rows = source.structure.like([part.unbatched() for part in source.structure.components])
        super().__init__(source, self.rows.like([part.batched(size) for part in self.rows.components]))

    def _static_size(self, source: Node) -> int | None:
        """The number of rows of every batch, if all have the same."""
        if len(set(self.sizes)) > 1:
            return None
        if self.drop_remainder:
            return self.sizes[0]
        shapes = [shape for part in source.structure.components for shape in part.shapes()]
        known = {size for shape in shapes if shape.rank is not None and (size := shape[0]) is not None}
        if len(known) > 1:
            raise ValueError(f"Invalid `input_dataset`. The components have different numbers of rows: {known}.")
        return self.sizes[0] if known and known.pop() % self.sizes[0] == 0 else None

    def count(self) -> int:
        given = self.source.cardinality
        return given if given == -1 else -2

    def cursor(self) -> Cursor:
        return _Rebatched(self)


class _Rebatched(Cursor):
    """Reads rows, and makes one batch at a time.

    Attributes:
      _turn: the number of batches that were returned.
    """

    saved = ("_rows", "_turn")

    def __init__(self, node: Rebatch) -> None:
        self._node = node
        self._rows = unbatched_rows(node.source)
        self._turn = 0

    def is_possible(self) -> bool:
        return self._turn >= 0

    def read(self, most: int) -> Block | None:
        del most
        node = self._node
        size = node.sizes[self._turn % len(node.sizes)]
        parts: list[Block] = []
        count = 0
        while count < size and (block := self._rows.read(size - count)) is not None:
            parts.append(block)
            count += block.count
        if count == 0 or (count < size and node.drop_remainder):
            return None
        self._turn += 1
        columns = zip(node.rows.components, joined(parts).columns, strict=True)
        made = [part.stacked(entries(column), place) for place, (part, column) in enumerate(columns)]
        return Block(tuple([column_of([value]) for value in made]), 1)
