"""Datasets of the rows of batches: `unbatch`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._data.blocks.block import Block, Column, entries
from tfcompat._data.blocks.component import Dense
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.nodes.cursor import Cursor, Rows
from tfcompat._data.nodes.node import UNKNOWN, Node, Unary


class Unbatch(Unary):
    """The rows of all elements.

    Raises: ValueError if a component is a scalar, or if components are known to differ in their number of rows.
    """

    label = "_UnbatchDataset"

    def __init__(self, source: Node) -> None:
        shapes = [shape for part in source.structure.components for shape in part.shapes()]
        if any(shape.rank == 0 for shape in shapes):
            raise ValueError("Cannot unbatch an input with scalar components.")
        known: int | None = None
        for shape in shapes:
            size = shape[0]
            if size is not None and known is not None and size != known:
                raise ValueError(
                    "`unbatch()` is only supported for datasets of elements whose components have a matching leading "
                    f"dimension. Encountered both {known} and {size}."
                )
            known = size if known is None else known
        parts = source.structure.components
        super().__init__(source, source.structure.like([_row_spec(part) for part in parts]))
        self.rows = known

    def count(self) -> int:
        given = self.source.cardinality
        if given < 0:
            return given
        return UNKNOWN if self.rows is None else given * self.rows

    def cursor(self) -> Cursor:
        return unbatched_rows(self.source)


def _row_spec(part: Any) -> Any:
    if isinstance(part, Dense) and part.spec.shape.rank is None:
        return TensorSpec(None, part.spec.dtype)
    return part.unbatched()


def unbatched_rows(source: Node) -> Rows:
    """A cursor at the first row of the first element of `source`."""
    return Rows(_Unbatched(source.cursor(), source.structure))


class _Unbatched(Cursor):
    """Returns all rows of the elements that it reads, even if they are more than asked for.

    Attributes:
      _size: the number of rows of the last element.
    """

    saved = ("_rows", "_size")

    def __init__(self, cursor: Cursor, structure: Structure) -> None:
        self._rows = Rows(cursor)
        self._structure = structure
        self._size = 0
        self._is_dense = all(isinstance(part, Dense) for part in structure.components)

    def read(self, most: int) -> Block | None:
        number = max(1, most // self._size) if self._size else 1
        while (block := self._rows.read(number)) is not None:
            if self._is_dense and all(isinstance(column, np.ndarray) for column in block.columns):
                count = block.count * require_rows(block.columns, 1)
                columns: Any = block.columns
                columns = tuple([column.reshape(count, *column.shape[2:]) for column in columns])
            else:
                if block.count > 1:
                    self._rows.put_back(block.part(1, block.count))
                columns = self._structure.divided([entries(column)[0] for column in block.columns])
                count = require_rows(columns, 0)
            self._size = max(1, count // block.count)
            if count:
                return Block(columns, count)
        return None


def require_rows(columns: tuple[Column, ...], axis: int) -> int:
    """The size of all columns along `axis`. Raises InvalidArgumentError if they differ, or have no such axis."""
    sizes: list[int] = []
    for column in columns:
        if isinstance(column, np.ndarray) and column.ndim <= axis:
            raise InvalidArgumentError.of("Input element must have a non-scalar value in each component.")
        sizes.append(column.shape[axis] if isinstance(column, np.ndarray) else len(column))
    for place, size in enumerate(sizes):
        if size != sizes[0]:
            raise InvalidArgumentError.of(
                "Input element must have the same batch size in each component. Component 0 had size "
                f"{sizes[0]} but component {place} had size, {size}."
            )
    return sizes[0]
