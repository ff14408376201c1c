"""Datasets that keep their elements in files: `cache` with a name."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

import numpy as np

from tfcompat._core.system.error import AlreadyExistsError, InvalidArgumentError, OpError
from tfcompat._data.blocks.block import Block, column_of, entries
from tfcompat._data.blocks.component import Component, Dense
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.format.bundle_reader import BundleReader, Entry
from tfcompat._data.format.bundle_writer import BundleWriter, Stored, stored_rows, stored_variants
from tfcompat._data.format.file_error import translated
from tfcompat._data.nodes.cursor import Cursor, Rows
from tfcompat._data.nodes.node import Node, Unary
from tfcompat._data.storage.saving import local_path
from tfcompat._data.storage.stored_column import checked, require_storable, stored_parts, variants_of
from tfcompat._jaxpr.postponement import postponed

# Keys have numbers of elements with seven digits.
_MOST_ELEMENTS = 10_000_000


class FileCache(Unary):
    """The elements in the files `prefix`; they are written by the first iteration that reaches the end."""

    label = "CacheDataset"

    def __init__(self, source: Node, prefix: str) -> None:
        super().__init__(source)
        self.prefix = local_path(prefix, "tf.data.Dataset.cache")
        require_storable(source.structure, "tf.data.Dataset.cache")

    def count(self) -> int:
        return self.source.cardinality

    def cursor(self) -> Cursor:
        is_written = os.path.exists(f"{self.prefix}.index")
        return Rows(_Reading(self)) if is_written else _Writing(self)


class _Keys:
    """The names of the tensors of elements."""

    def __init__(self, structure: Structure) -> None:
        width = len(stored_parts(structure))
        digits = len(str(width - 1))
        self._ends = [b"_%*d" % (digits, place) for place in range(width)]

    def of(self, first: int, count: int) -> list[bytes]:
        """The names for `count` elements, beginning with the number `first`."""
        return [b"%7d%b" % (number, end) for number in range(first, first + count) for end in self._ends]


class _Writing(Cursor):
    """Reads the elements of the input, and writes them.

    Attributes:
      _count: the number of elements that were read.
      _writer: the files, once an element was read; `_lock` is the name of the file that keeps other iterators away.
      _failure: the error by which the files could not be written. Nothing is read after it.
    """

    def __init__(self, node: FileCache) -> None:
        self._node = node
        self._cursor = node.source.cursor()
        self._keys = _Keys(node.structure)
        self._count = 0
        self._writer: BundleWriter | None = None
        self._lock = ""
        self._failure: OpError | None = None
        self._has_ended = False

    def read(self, most: int) -> Block | None:
        if self._has_ended:
            return None
        if self._failure is not None:
            raise type(self._failure).of(self._failure.message) from self._failure
        if self._writer is None:
            self._begin()
        assert self._writer is not None
        block = self._cursor.read(most)
        if block is None:
            with self._releasing():
                self._writer.finish()
            self._release()
            self._has_ended = True
            return None
        if self._count + block.count > _MOST_ELEMENTS:
            raise InvalidArgumentError.of(
                f"tf.data.Dataset.cache: files hold at most {_MOST_ELEMENTS} elements; use tf.data.Dataset.save."
            )
        columns = _tensors(self._node.structure, block)
        tensors = [tensor for row in zip(*columns, strict=True) for tensor in row]
        with self._releasing():
            self._writer.add(self._keys.of(self._count, block.count), tensors)
        self._count += block.count
        return block

    @contextmanager
    def _releasing(self) -> Generator[None]:
        """Removes the files after an error in writing them."""
        try:
            yield
        except OpError as failure:
            self._failure = failure
            self._release()
            raise

    def ends_silently(self) -> bool:
        return self._has_ended

    def _begin(self) -> None:
        """Makes the lock and the files. Raises AlreadyExistsError if there is a lock."""
        lock = f"{self._node.prefix}_0.lockfile"
        try:
            with postponed():  # an interrupt must not leave a lock behind that no cursor removes
                with translated(lock), open(lock, "xb") as file:
                    self._lock = lock
                    file.write(b"Created at: %d" % int(time.time()))
                self._writer = BundleWriter(self._node.prefix, ascend=True)
        except AlreadyExistsError as locked:
            raise AlreadyExistsError.of(
                f"There appears to be a concurrent caching iterator running - cache lockfile already exists ('{lock}')."
                " If you are sure no other running TF computations are using this cache prefix, delete the lockfile "
                f"and re-initialize the iterator. Lockfile contents: {_text(lock)}"
            ) from locked

    def _release(self) -> None:
        """Removes the lock, and the files unless they are finished."""
        if self._writer is not None:
            self._writer.discard()
        if self._lock:
            with suppress(FileNotFoundError):  # the error of another iterator advises to delete it
                os.remove(self._lock)
            self._lock = ""

    def close(self) -> None:
        super().close()
        with postponed():
            self._release()

    def save(self) -> Any:
        raise NotImplementedError(
            "tf.data.Dataset.cache: the place of an iterator that writes files cannot be saved; iterate to the "
            "end once."
        )

    def __del__(self) -> None:
        if getattr(self, "_lock", ""):
            self._release()


def _text(path: str) -> str:
    with translated(path), open(path, "rb") as file:
        return file.read(100).decode(errors="replace")


def _tensors(structure: Structure, block: Block) -> list[list[Stored]]:
    """The tensors of each component that has some."""
    found: list[list[Stored]] = []
    for part, column in zip(structure.components, block.columns, strict=True):
        if isinstance(part, Dense):
            if isinstance(column, np.ndarray):
                found.append(stored_rows(column, part.spec.dtype))
            else:
                found.append([stored_rows(entry[np.newaxis], part.spec.dtype)[0] for entry in column])
        elif part in stored_parts(structure):
            found.append([_stored(variants_of(part, entry)) for entry in entries(column)])
    return found


class _Reading(Cursor):
    """Reads the elements in the files.

    Attributes:
      _count: the number of elements that were read.
    """

    saved = ("_count",)

    def __init__(self, node: FileCache) -> None:
        self._node = node
        self._keys = _Keys(node.structure)
        self._parts = stored_parts(node.structure)
        self._count = 0
        self._bundle: BundleReader | None = None
        self._entries: Iterator[Entry] = iter(())

    def read(self, most: int) -> Block | None:
        if self._bundle is None:
            self._bundle = BundleReader(self._node.prefix)
            self._entries = self._bundle.entries()
            skipped = self._count * len(self._parts)
            next(islice(self._entries, skipped, skipped), None)
        found = list(islice(self._entries, most * len(self._parts)))
        if not found:
            return None
        count = len(found) // len(self._parts)
        if [entry.key for entry in found] != self._keys.of(self._count, count):
            raise InvalidArgumentError.of(
                f"tf.data.Dataset.cache: the elements in the files {self._node.prefix} have another number of "
                f"components than {len(self._parts)}; choose another name."
            )
        contents = self._bundle.contents(found)
        width = len(self._parts)
        columns = iter(
            [
                self._column(place, part, found[place::width], contents[place::width])
                for place, part in enumerate(self._parts)
            ]
        )
        self._count += count
        every = [next(columns) if part in self._parts else [None] * count for part in self._node.structure.components]
        return Block(tuple(every), count)

    def _column(self, place: int, part: Component, found: list[Entry], contents: list[bytes]) -> Any:
        assert self._bundle is not None
        values = self._bundle.values(found, contents)
        prefix = self._node.prefix
        if isinstance(values, np.ndarray):
            checked(part, found[0].dtype, values[0, ...], place, prefix)
            return values
        return column_of(
            [checked(part, entry.dtype, value, place, prefix) for entry, value in zip(found, values, strict=True)]
        )

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._close()

    def _close(self) -> None:
        bundle, self._bundle = self._bundle, None
        if bundle is not None:
            bundle.close()

    def __del__(self) -> None:
        if hasattr(self, "_bundle"):
            self._close()


def _stored(variants: list[bytes]) -> Stored:
    """A scalar variant, or a vector of several."""
    return stored_variants(variants, () if len(variants) == 1 else (len(variants),))
