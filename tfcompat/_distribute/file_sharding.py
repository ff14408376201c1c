"""Datasets of files, of which each of several processes reads its own files."""

from __future__ import annotations

from typing import NamedTuple

from tfcompat._core.system.error import InvalidArgumentError, NotFoundError
from tfcompat._data.function.trace import Instances
from tfcompat._data.functional.interleaving import Interleave
from tfcompat._data.functional.rearranging import Opened
from tfcompat._data.functional.shuffling import Shuffle
from tfcompat._data.nodes.checking import Checked
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.sequence import Concatenate, Shard
from tfcompat._data.nodes.zipping import Marked, Zip
from tfcompat._data.storage.file_record import FileRecords
from tfcompat._data.storage.snapshot import Snapshot

# TensorFlow looks for files behind these transformations, by their labels, and no others.
_PASSED = {
    "CacheDataset",
    "_BatchDataset",
    "_DenseToRaggedDataset",
    "_FilterDataset",
    "_MapDataset",
    "_OptionsDataset",
    "_PaddedBatchDataset",
    "_ParallelBatchDataset",
    "_ParallelMapDataset",
    "_ParseExampleDataset",
    "_PrefetchDataset",
    "_RebatchDataset",
    "_RepeatDataset",
    "_ShardDataset",
    "_ShuffleDataset",
    "_SkipDataset",
    "_TakeDataset",
    "_UnbatchDataset",
    "_WindowDataset",
}
_SLICES = ("_TensorDataset", "_TensorSliceDataset")


class _NoFiles(Exception):
    """A dataset reads no files; the argument is its label."""


def of_files(node: Node, count: int, index: int, *, is_required: bool) -> Node | None:
    """`node` with every `count`-th file of those that it reads, from the one with number `index` on.

    Shuffled names of files are divided first, and shuffled then, so that the processes read different files. None if
    not all of its sources are files. If they are `is_required`, that is a NotFoundError.

    Raises: InvalidArgumentError if there are fewer than `count` files.
    """
    try:
        return _Division(count, index).of(node)
    except _NoFiles as found:
        if is_required:
            raise NotFoundError.of(f"Found an unshardable source dataset: {found}") from None
        return None


class _Division(NamedTuple):
    """The part number `number` of `parts`."""

    parts: int
    number: int

    def of(self, node: Node) -> Node:
        """`node` with the files of this process. Raises _NoFiles."""
        if isinstance(node, Concatenate) or (isinstance(node, Zip) and not isinstance(node, Marked)):
            return node.copied([self.of(each) for each in node.inputs], {})
        if _makes_datasets(node):
            part = self._of_opened(_given(node))
            if part is None:
                part = self._part(_given(node)) if _opens_files(node) else self.of(_given(node))
            return _reading(node, part)
        if isinstance(node, Checked):
            return self.of(node.source)  # of all processes' elements
        if not _is_passed(node):
            raise _NoFiles(node.label)
        return node.copied([self.of(node.inputs[0])], {})

    def _of_opened(self, node: Node) -> Node | None:
        """`node` with a part of the elements of datasets that are made of the values of a tensor.

        TensorFlow divides the records, not the files, if a dataset of files is the input of `flat_map` or `interleave`.
        """
        if _makes_datasets(node) and _given(node).label in _SLICES:
            return self._part(node)
        if not _is_passed(node):
            return None
        part = self._of_opened(node.inputs[0])
        return None if part is None else node.copied([part], {})

    def _part(self, node: Node) -> Node:
        """Every `count`-th element of `node`, shuffled afterwards if `node` is shuffled."""
        ordered, shuffle = _in_order(node)
        if 0 <= ordered.cardinality < self.parts:
            raise InvalidArgumentError.of(
                f"Could not apply FILE based sharding: the dataset only has {ordered.cardinality} file(s), which is "
                f"not enough for the required {self.parts} shards/workers. If you are using datasets with distribution "
                "strategy, consider setting the auto sharding policy to either DATA or OFF using the "
                "`experimental_distribute.auto_shard_policy` option of `tf.data.Options()`. Or, split your input files "
                "into a larger number of small files."
            )
        part = Shard(ordered, self.parts, self.number)
        return part if shuffle is None else shuffle.copied([part], {})


def _in_order(node: Node) -> tuple[Node, Shuffle | None]:
    """`node` without the shuffles in it, and the innermost one of them."""
    found = [_in_order(each) for each in node.inputs]
    inner = next((shuffle for _, shuffle in reversed(found) if shuffle is not None), None)
    if isinstance(node, Shuffle):
        return found[0][0], node if inner is None else inner
    return (node, None) if inner is None else (node.copied([each for each, _ in found], {}), inner)


def _is_passed(node: Node) -> bool:
    return node.label in _PASSED and len(node.inputs) == 1 and not isinstance(node, Snapshot)


def _makes_datasets(node: Node) -> bool:
    """Whether TensorFlow reads the datasets that a function makes of the elements of the input of `node`."""
    return isinstance(node, Interleave | FileRecords)


def _given(node: Node) -> Node:
    """The dataset of whose elements `node` makes datasets."""
    (source,) = node.inputs
    return source.inputs[0] if isinstance(source, Opened) else source


def _reading(node: Node, given: Node) -> Node:
    """`node`, which makes datasets of the elements of `given`."""
    (source,) = node.inputs
    return node.copied([source.copied([given], {}) if isinstance(source, Opened) else given], {})


def _opens_files(node: Node) -> bool:
    """Whether the datasets that `node` makes consist of the records of files."""
    if isinstance(node, FileRecords):
        return True
    (source,) = node.inputs
    if isinstance(source, Opened):
        return source.has_records
    results = node.calls.trace.results if isinstance(node, Interleave) else ()
    return any(_reads_files(result.node) for result in results if isinstance(result, Instances))


def _reads_files(node: Node) -> bool:
    return (_makes_datasets(node) and _opens_files(node)) or any(map(_reads_files, node.inputs))
