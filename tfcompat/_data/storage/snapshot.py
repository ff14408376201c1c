"""Datasets that are kept on disk by the first iteration that reaches the end: `snapshot`.

The elements are in a directory named by the fingerprint of the dataset, so that a changed pipeline writes new ones.
"""

from __future__ import annotations

import os
from typing import Any

from tfcompat._core.system.error import NotFoundError
from tfcompat._data.blocks.block import Block
from tfcompat._data.nodes.cursor import Cursor, Rows
from tfcompat._data.nodes.node import Node, Unary
from tfcompat._data.storage.fingerprint import fingerprint
from tfcompat._data.storage.loading import loaded_run
from tfcompat._data.storage.saving import compression_named, local_path
from tfcompat._data.storage.stored_column import require_storable
from tfcompat._data.storage.stored_run import StoredRun, shard_calls

_LABEL = "tf.data.Dataset.snapshot"


class Snapshot(Unary):
    """The elements of the input, from files below `path` once they are there."""

    label = "_MapDataset"

    def __init__(self, source: Node, path: str, compression: Any, reader_function: Any, shard_function: Any) -> None:
        super().__init__(source)
        self._path = local_path(path, _LABEL)
        self._compression = "SNAPPY" if compression == "AUTO" else compression_named(compression, _LABEL)
        self._reader = reader_function
        self._shards = None if shard_function is None else shard_calls(_LABEL, source.structure, shard_function)
        self._directory: str | None = None
        require_storable(source.structure, _LABEL)

    def count(self) -> int:
        return self.source.cardinality

    def cursor(self) -> Cursor:
        return _Kept(self)

    def copied(self, inputs: Any, values: Any) -> Any:
        found = super().copied(inputs, values)
        found._directory = None
        return found

    def directory(self) -> str:
        """The directory of the elements."""
        if self._directory is None:
            self._directory = os.path.join(self._path, str(fingerprint(self.source, self._compression)))
        return self._directory

    def run(self) -> StoredRun:
        """A new run."""
        return StoredRun(self.directory(), self.structure, self._compression, self._shards)

    def stored(self) -> Node | None:
        """The elements on disk, if an iteration has reached the end."""
        try:
            return loaded_run(self.directory(), self.structure, self._compression, self._reader)
        except NotFoundError:
            return None


class _Kept(Cursor):
    """Reads the elements on disk, or those of the input, which it writes.

    Attributes:
      _cursor: that of the elements, once it is known where they are.
      _run: the run that is being written.
      _is_whole: whether no element failed, and none was left out.
      _has_ended: whether all elements were read and written.
    """

    def __init__(self, node: Snapshot) -> None:
        self._node = node
        self._cursor: Cursor | None = None
        self._run: StoredRun | None = None
        self._is_whole = True
        self._has_ended = False

    def read(self, most: int) -> Block | None:
        if self._has_ended:
            return None
        if self._cursor is None:
            self._begin()
        assert self._cursor is not None
        if self._run is None:
            return self._cursor.read(most)
        try:
            block = self._cursor.read(most)
            if block is not None:
                self._run.add(block)
                return block
        except BaseException:
            self._is_whole = False
            raise
        if self._is_whole:
            self._run.finish()
        else:
            self._run.discard()
        self._run, self._has_ended = None, True
        return None

    def ends_silently(self) -> bool:
        return self._has_ended or (self._cursor is not None and self._run is None)

    def _begin(self) -> None:
        stored = self._node.stored()
        if stored is None:
            self._run = self._node.run()
        self._cursor = self._node.source.cursor() if stored is None else Rows(stored.cursor())

    def save(self) -> Any:
        if self._run is not None:
            raise NotImplementedError(
                "tf.data.Dataset.snapshot: the place of an iterator that writes files cannot be saved; iterate to the "
                "end once."
            )
        cursor = None if self._has_ended else self._cursor
        return {"has_ended": self._has_ended, "cursor": cursor and cursor.save()}

    def restore(self, state: Any) -> None:
        if self._run is not None:
            self._run.discard()
        self._cursor, self._run = None, None
        self._is_whole, self._has_ended = True, state["has_ended"]
        if state["cursor"] is not None:
            stored = self._node.stored()
            if stored is None:
                raise NotFoundError.of(f"the snapshot {self._node.directory()}, in which the iterator was, is missing")
            self._cursor = Rows(stored.cursor())
            self._cursor.restore(state["cursor"])

    def __del__(self) -> None:
        run = getattr(self, "_run", None)
        if run is not None:
            run.discard()
