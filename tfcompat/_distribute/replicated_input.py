"""Datasets whose elements have a component for each of several replicas."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.none_spec import NoneTensorSpec
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.types import nest
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block, Column, column_of, entries
from tfcompat._data.blocks.dataset_spec import AnyDataset
from tfcompat._data.blocks.host_value import HostRagged, HostSparse
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import Node
from tfcompat._distribute.input import DistributedDataset
from tfcompat._distribute.values import PerReplica, PerReplicaSpec
from tfcompat._ops.ragged.spec import RaggedTensorSpec
from tfcompat._ops.sparse.tensor import SparseTensorSpec


def cut(dataset: Any, count: int) -> DistributedDataset:
    """The dataset of the elements of `dataset`, each batch cut into parts for `count` replicas.

    Raises: IndexError if the elements are not batches.
    """
    return _distributed(Cut(dataset._node, count))


def in_turns(dataset: Any, count: int) -> DistributedDataset:
    """The dataset of which each of `count` replicas in turn receives the next element."""
    return _distributed(Turns(dataset._node, count))


def side_by_side(datasets: Sequence[Any]) -> DistributedDataset:
    """The dataset in which each replica receives the elements of its own one of `datasets`."""
    return _distributed(_SideBySide([dataset._node for dataset in datasets]))


def _distributed(node: Node) -> DistributedDataset:
    return DistributedDataset._of(AnyDataset.kind._of(node))


class _Grouped(Structure):
    """The type of elements that are structures of `PerReplica`."""

    def __init__(self, part: Structure, count: int) -> None:
        """`part` is the type of the elements of each of `count` replicas."""
        self._parts = Structure((part.spec,) * count)
        super().__init__(self._parts.spec)
        self.spec = nest.map_structure(lambda *specs: PerReplicaSpec(*specs), *self._parts.spec)

    def elements(self, block: Block) -> list[Any]:
        parts = self._parts.elements(block)
        return [nest.map_structure(lambda *values: PerReplica(values), *each) for each in parts]


class Replicated(Node):
    """A dataset with an element for each of `width` replicas in each of its elements."""

    def __init__(self, structure: Structure, width: int, *inputs: Node) -> None:
        super().__init__(_Grouped(structure, width), *inputs)
        self.width = width


class Cut(Replicated):
    """The batches of a dataset, cut for `count` replicas, for those with the numbers `own`: by default for all."""

    label = "CutDataset"

    def __init__(self, source: Node, count: int, own: range | None = None) -> None:
        self._count, self._own = count, range(count) if own is None else own
        cut = [cut_spec(spec, count) for spec in source.structure.specs]
        super().__init__(source.structure.like(cut), len(self._own), source)

    def count(self) -> int:
        return self.inputs[0].cardinality

    def cursor(self) -> Cursor:
        return _CutCursor(self.inputs[0].cursor(), self._count, self._own)


class _CutCursor(Cursor):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, count: int, own: range) -> None:
        self._cursor = cursor
        self._count, self._own = count, own

    def read(self, most: int) -> Block | None:
        block = self._cursor.read(most)
        if block is None:
            return None
        cut = [cut_column(column, self._count) for column in block.columns]
        return Block(tuple(parts[number] for number in self._own for parts in cut), block.count)


def cut_spec(spec: Any, count: int) -> Any:
    """The type of a part of a batch of the type `spec`. Raises IndexError if it has no first axis."""
    if isinstance(spec, NoneTensorSpec):
        return spec
    shape: TensorShape = spec.shape
    if shape.rank == 0:
        raise IndexError("list index out of range")
    if shape.rank is not None:
        rows = shape[0]
        size = rows // count if isinstance(rows, int) and rows % count == 0 else None
        shape = TensorShape([size]).concatenate(shape[1:])
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    return (SparseTensorSpec if isinstance(spec, SparseTensorSpec) else TensorSpec)(shape, spec.dtype)


def cut_column(column: Column, count: int) -> list[Column]:
    """The columns of the parts of the batches in `column`."""
    if isinstance(column, np.ndarray):
        size = -(-column.shape[1] // count)
        return [column[:, number * size : (number + 1) * size] for number in range(count)]
    rows = [_parts(entry, count) for entry in column]
    return [column_of(parts) for parts in zip(*rows, strict=True)]


def _parts(batch: Any, count: int) -> list[Any]:
    """The parts of one batch: equal ones, of which the last may be shorter or empty."""
    if batch is None:
        return [None] * count
    length = batch.length if isinstance(batch, HostRagged) else _length(batch)
    size = -(-length // count)
    bounds = [(min(number * size, length), min((number + 1) * size, length)) for number in range(count)]
    return [_rows(batch, start, stop) for start, stop in bounds]


def _length(batch: Any) -> int:
    return int(batch.shape[0])


def _rows(batch: Any, start: int, stop: int) -> Any:
    """The rows of `batch` from `start` up to `stop`."""
    if isinstance(batch, HostRagged):
        splits: list[Any] = []
        for each in batch.splits:
            part = each[start : stop + 1]
            start, stop = int(part[0]), int(part[-1])
            splits.append(part - part[0])
        return HostRagged(batch.values[start:stop], tuple(splits))
    if isinstance(batch, HostSparse):
        is_in = (batch.indices[:, 0] >= start) & (batch.indices[:, 0] < stop)
        indices = batch.indices[is_in].copy()
        indices[:, 0] -= start
        shape = np.array(batch.shape)
        shape[0] = stop - start
        return HostSparse(indices, batch.values[is_in], shape)
    return batch[start:stop]


class Turns(Replicated):
    """A dataset of which each of several replicas in turn receives the next element.

    If some receive none at the end, they receive empty ones if the dataset `has_empty`: by default if sizes are open.
    """

    label = "TurnsDataset"

    def __init__(self, source: Node, count: int, *, has_empty: bool | None = None) -> None:
        super().__init__(source.structure, count, source)
        self._has_empty = _has_open_sizes(source.structure) if has_empty is None else has_empty

    def count(self) -> int:
        number = self.inputs[0].cardinality
        if number < 0:
            return number
        return -(-number // self.width) if self._has_empty else number // self.width

    def cursor(self) -> Cursor:
        return _TurnsCursor(self.inputs[0].cursor(), self.width, has_empty=self._has_empty)


def _has_open_sizes(structure: Structure) -> bool:
    """Whether elements may have other numbers of rows than the specs say."""
    return any(map(_is_open, structure.specs))


def _is_open(spec: Any) -> bool:
    if isinstance(spec, NoneTensorSpec):
        return False
    shape: TensorShape = spec.shape
    if isinstance(spec, (RaggedTensorSpec, SparseTensorSpec)):
        return shape.rank != 0 and (shape.rank is None or shape[0] is None)
    return not shape.is_fully_defined()


class _Round(Cursor):
    """A cursor that gives the replicas an element each; where some have none, they receive empty ones, or it ends."""

    _has_empty: bool

    def read(self, most: int) -> Block | None:
        del most
        parts = self._next()
        given = next((part for part in parts if part is not None), None)
        if given is None or (None in parts and not self._has_empty):
            return None
        whole = [part or _empty(given) for part in parts]
        return Block(tuple(column for part in whole for column in part.columns), 1)

    @abstractmethod
    def _next(self) -> list[Block | None]:
        """The next element of each replica; None at the end."""


def _empty(like: Block) -> Block:
    """An element with no rows, and otherwise the shapes of the element `like`; with zeros for scalars."""
    return Block(tuple([column_of(list(map(_without_rows, entries(column)))) for column in like.columns]), 1)


def _without_rows(entry: Any) -> Any:
    if isinstance(entry, np.ndarray) and not entry.ndim:
        return np.full((), b"", object) if entry.dtype == object else np.zeros_like(entry)
    return None if entry is None else _rows(entry, 0, 0)


class _TurnsCursor(_Round):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, count: int, *, has_empty: bool) -> None:
        self._cursor = cursor
        self._count, self._has_empty = count, has_empty

    def _next(self) -> list[Block | None]:
        return [self._cursor.read(1) for _ in range(self._count)]


class _SideBySide(Replicated):
    label = "SideBySideDataset"

    def __init__(self, sources: Sequence[Node]) -> None:
        super().__init__(sources[0].structure, len(sources), *sources)
        self._has_empty = _has_open_sizes(sources[0].structure)

    def count(self) -> int:
        return (max if self._has_empty else min)(source.cardinality for source in self.inputs)

    def cursor(self) -> Cursor:
        return _SideCursor([source.cursor() for source in self.inputs], has_empty=self._has_empty)


class _SideCursor(_Round):
    saved = ("_cursors",)

    def __init__(self, cursors: list[Cursor], *, has_empty: bool) -> None:
        self._cursors, self._has_empty = cursors, has_empty

    def _next(self) -> list[Block | None]:
        return [cursor.read(1) for cursor in self._cursors]
