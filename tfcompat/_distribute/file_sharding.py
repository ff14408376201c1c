"""Datasets of files, of which each of several processes reads its own files."""

from __future__ import annotations

from tfcompat._core.system.error import InvalidArgumentError, NotFoundError
from tfcompat._data.function.trace import Instances
from tfcompat._data.functional.interleaving import Interleave
from tfcompat._data.functional.rearranging import Opened
from tfcompat._data.nodes.node import Node
from tfcompat._data.nodes.sequence import Shard
from tfcompat._data.storage.file_record import FileRecords


class _NoFiles(Exception):
    """A dataset reads no files; the argument is its label."""


def of_files(node: Node, count: int, index: int, *, is_required: bool) -> Node | None:
    """`node` with every `count`-th file of those that it reads, from the one with number `index` on.

    None if not all of its sources are files. If they are `is_required`, that is a NotFoundError.

    Raises: InvalidArgumentError if there are fewer than `count` files.
    """
    try:
        return _of_own_files(node, count, index)
    except _NoFiles as found:
        if is_required:
            raise NotFoundError.of(f"Found an unshardable source dataset: {found}") from None
        return None


def _of_own_files(node: Node, count: int, index: int) -> Node:
    if isinstance(node, FileRecords) or _opens_files(node):
        names = node.inputs[0]
        if 0 <= names.cardinality < count:
            raise InvalidArgumentError.of(
                f"Could not apply FILE based sharding: the dataset only has {names.cardinality} file(s), which is not "
                f"enough for the required {count} shards/workers. If you are using datasets with distribution "
                "strategy, consider setting the auto sharding policy to either DATA or OFF using the "
                "`experimental_distribute.auto_shard_policy` option of `tf.data.Options()`."
            )
        return node.copied([Shard(names, count, index)], {})
    if not node.inputs:
        raise _NoFiles(node.label)
    return node.copied([_of_own_files(each, count, index) for each in node.inputs], {})


def _opens_files(node: Node) -> bool:
    """Whether the elements of `node` are those of datasets that are made of the names of files."""
    if isinstance(node, Opened):
        return True
    if not isinstance(node, Interleave):
        return False
    results = [result for result in node.calls.trace.results if isinstance(result, Instances)]
    return any(_reads_files(result.node) for result in results)


def _reads_files(node: Node) -> bool:
    return isinstance(node, FileRecords) or any(map(_reads_files, node.inputs))
