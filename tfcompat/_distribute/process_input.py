"""Datasets of which each of several processes reads its part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.processes.group import Group
from tfcompat._core.types import nest
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.dataset_spec import AnyDataset
from tfcompat._data.blocks.options import AutoShardPolicy
from tfcompat._data.nodes.batching import AnyBatch, Rebatch
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import UNKNOWN, Node
from tfcompat._data.nodes.sequence import Concatenate
from tfcompat._data.nodes.zipping import Zip
from tfcompat._distribute.between_processes import any_of, equal_everywhere
from tfcompat._distribute.file_sharding import of_files
from tfcompat._distribute.input import DistributedDataset, DistributedIterator
from tfcompat._distribute.replicated_input import Cut, Replicated, Turns, cut_column, cut_spec

# TensorFlow knows the sizes of batches that these transformations make, and that the others keep, by their labels.
_BATCHES = {"_BatchDataset", "_PaddedBatchDataset"}
_KEEPING = {
    "CacheDataset",
    "_AssertCardinalityDataset",
    "_FilterDataset",
    "_OptionsDataset",
    "_ParseExampleDataset",
    "_PrefetchDataset",
    "_RepeatDataset",
    "_ShardDataset",
    "_ShuffleDataset",
    "_SkipDataset",
    "_TakeDataset",
}


def sharded(dataset: Any, group: Group, replicas: int = 1) -> DistributedDataset:
    """The part of this process, which has a number of `replicas`, of `dataset`: its elements are batches for all.

    By the policy `AutoShardPolicy.DATA` a process reads its pieces of each batch; by `FILE`, the files that are its
    own; by `OFF`, everything. By `AUTO` it is `FILE` for datasets of files, and else `DATA`.

    Raises: IndexError if the elements are not batches; NotFoundError by the policy `FILE` without files;
      InvalidArgumentError if there are fewer files than processes.
    """
    node: Node = dataset._node
    count = group.count * replicas
    for spec in node.structure.specs:
        cut_spec(spec, count)
    policy = node.options.experimental_distribute.auto_shard_policy
    if policy in (AutoShardPolicy.AUTO, AutoShardPolicy.FILE):
        files = of_files(node, group.count, group.index, is_required=policy is AutoShardPolicy.FILE)
        if files is not None:
            return _of_process(_split(files, node, group.index * replicas, count), node, group, replicas)
    if policy not in (AutoShardPolicy.AUTO, AutoShardPolicy.DATA):
        return _of_process(_split(node, node, group.index * replicas, count), node, group, replicas)
    if replicas == 1:
        return _of_process(_Piece(node, count, group.index), node, group, 1)
    own = range(group.index * replicas, (group.index + 1) * replicas)
    return _ProcessDataset.of(Cut(node, count, own), group)


def in_step(dataset: Any, group: Group, replicas: int = 1) -> DistributedDataset:
    """The elements of `dataset`, which may be another one in each process, and then empty ones until all have ended.

    Each of the `replicas` of this process receives the next element.
    """
    return _of_process(dataset._node, dataset._node, group, replicas)


def _of_process(node: Node, whole: Node, group: Group, replicas: int) -> DistributedDataset:
    """The elements of `node`, a part of `whole`, for the `replicas` of this process, in turns."""
    return _ProcessDataset.of(_Single(node, whole) if replicas == 1 else Turns(node, replicas, has_empty=True), group)


def _split(node: Node, whole: Node, first: int, count: int) -> Node:
    """The batches of `node` in pieces for `count` replicas, each of which this process reads.

    The first replica of the process has the number `first`.
    """
    size = _batch_size(whole)
    if size is None:
        return _Pieces(node, range(count))
    # TensorFlow lets each process begin with its own size.
    places = [*range(first, count), *range(first)]
    if size < count:
        # The pieces with a row are in the order of the rows.
        rows, empty = iter(range(size)), iter(range(size, count))
        return _Pieces(node, [next(rows if place < size else empty) for place in places])
    base, rest = divmod(size, count)
    return Rebatch(node, [base + (place < rest) for place in places], False)


def _batch_size(node: Node) -> int | None:
    """The size of the batches of `node`, if TensorFlow knows it; None for different sizes."""
    rows = {shape[0] for part in node.structure.components for shape in part.shapes()}
    return _size_made(node) if None in rows else _only(rows)


def _size_made(node: Node) -> int | None:
    """The size of the batches that the last transformation but for some that keep batches makes; None if unknown."""
    if node.label in _BATCHES and isinstance(node, AnyBatch):
        return node.size
    if isinstance(node, Zip | Concatenate):
        return _only(set(map(_size_made, node.inputs)))
    return _size_made(node.inputs[0]) if node.label in _KEEPING else None


def _only(sizes: set[Any]) -> int | None:
    return sizes.pop() if len(sizes) == 1 else None


class _Single(Replicated):
    """The elements of a dataset, each as that of the only replica of this process."""

    label = "ProcessDataset"

    def __init__(self, source: Node, whole: Node) -> None:
        specs = [_open_rows(spec) for spec in source.structure.specs]
        super().__init__(source.structure.like(specs), 1, source)
        self._whole = whole

    def count(self) -> int:
        return self._whole.cardinality

    def cursor(self) -> Cursor:
        return self.inputs[0].cursor()


def _open_rows(spec: Any) -> Any:
    """The type `spec` of batches, of any number of rows."""
    if not isinstance(spec, TensorSpec) or not spec.shape.rank:
        return spec
    return TensorSpec(TensorShape([None]).concatenate(spec.shape[1:]), spec.dtype)


class _Piece(Node):
    """Of each batch, which is cut into equal pieces for `count` replicas, the one with number `index`."""

    label = "PieceDataset"

    def __init__(self, source: Node, count: int, index: int) -> None:
        super().__init__(source.structure.like([cut_spec(spec, count) for spec in source.structure.specs]), source)
        self.pieces, self.index = count, index

    def count(self) -> int:
        return self.inputs[0].cardinality

    def cursor(self) -> Cursor:
        return _PieceCursor(self.inputs[0].cursor(), self.pieces, self.index)


class _PieceCursor(Cursor):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, count: int, index: int) -> None:
        self._cursor = cursor
        self._count, self._index = count, index

    def read(self, most: int) -> Block | None:
        block = self._cursor.read(most)
        if block is None:
            return None
        return Block(tuple([cut_column(column, self._count)[self._index] for column in block.columns]), block.count)


class _Pieces(Node):
    """The equal pieces into which each batch is cut, one after another: `order` has the number of each."""

    label = "PiecesDataset"

    def __init__(self, source: Node, order: Sequence[int]) -> None:
        specs = [cut_spec(spec, len(order)) for spec in source.structure.specs]
        super().__init__(source.structure.like(specs), source)
        self.order = order

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return _PiecesCursor(self.inputs[0].cursor(), self.order)


class _PiecesCursor(Cursor):
    saved = ("_cursor", "_waiting")

    def __init__(self, cursor: Cursor, order: Sequence[int]) -> None:
        self._cursor = cursor
        self._order = order
        self._waiting: list[Block] = []

    def read(self, most: int) -> Block | None:
        del most  # pieces have different sizes
        if not self._waiting:
            block = self._cursor.read(1)
            if block is None:
                return None
            parts = [cut_column(column, len(self._order)) for column in block.columns]
            self._waiting = [Block(tuple([part[k] for part in parts]), 1) for k in self._order]
        return self._waiting.pop(0)


class _ProcessDataset(DistributedDataset):
    """The part of a distributed dataset that this process reads."""

    _group: Group

    @classmethod
    def of(cls, node: Node, group: Group) -> DistributedDataset:
        """The dataset of `node` for the processes of `group`."""
        made = cls._of(AnyDataset.kind._of(node))
        made._group = group  # pyright: ignore[reportAttributeAccessIssue]
        return made

    def __iter__(self) -> DistributedIterator:
        return _ProcessIterator._of_group(self._dataset._node, self._group)


_ProcessDataset.__name__ = "DistributedDataset"


class _ProcessIterator(DistributedIterator):
    """An iterator that ends when those of all processes have ended; until then it gives empty elements.

    If the numbers of elements are known and equal in all processes, they exchange nothing else.
    """

    _group: Group
    # Whether all processes have the same number of elements; None until the first one is read.
    _is_even: bool | None = None

    @classmethod
    def _of_group(cls, node: Node, group: Group) -> DistributedIterator:
        iterator = cls._of(node)
        iterator._group = group  # pyright: ignore[reportAttributeAccessIssue]
        return iterator

    def take(self) -> tuple[Any] | None:
        """The next element; None if no process has one."""
        if self._returned:
            return super().take()
        if self._is_even is None:
            number = self._node.inputs[0].cardinality
            self._is_even = equal_everywhere(self._group, number) and number != UNKNOWN
        found = super().take()
        if self._is_even:
            return found
        goes_on = any_of(self._group, found is not None)
        return (self._empty(),) if goes_on and found is None else found

    def _empty(self) -> Any:
        return nest.map_structure(_without_rows, self.element_spec)


def _without_rows(spec: Any) -> Any:
    parts: Sequence[Any] = spec._value_specs
    if not all(isinstance(part, TensorSpec) for part in parts):
        raise NotImplementedError(
            "tf.distribute.MultiWorkerMirroredStrategy: ragged and sparse elements of which the processes have "
            "different numbers; repeat the dataset, or make the numbers equal."
        )
    shapes = [[0, *[size or 0 for size in part.shape[1:]]] if part.shape.rank else [] for part in parts]
    values = [np.zeros(shape, part.dtype.as_numpy_dtype) for shape, part in zip(shapes, parts, strict=True)]
    return spec.value_type(tuple([convert_to_tensor(v, p.dtype) for v, p in zip(values, parts, strict=True)]))
