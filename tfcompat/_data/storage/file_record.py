"""Datasets of the records of files: the files one after the other, or some of them in turn."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import DataLossError, InvalidArgumentError
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.types.dtype import string
from tfcompat._core.types.shape import TensorShape
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.format.file_error import translated
from tfcompat._data.nodes.cursor import Cursor, Postponed, Rows
from tfcompat._data.nodes.node import UNKNOWN, Node, integer
from tfcompat._data.nodes.source import from_strings, strings
from tfcompat._data.nodes.template import has_no_value, template_of

Reader = Callable[[str], Iterator[bytes]]

_CHUNK = 1 << 18


class FileRecords(Node):
    """The records that `reader` yields for each of the files in `names`, a dataset of strings.

    With `parallel_reads`, as many files are read in turn, one record of each, as `interleave` does.
    """

    def __init__(self, label: str, names: Node, reader: Reader, parallel_reads: Any) -> None:
        super().__init__(Structure(TensorSpec([], string)), names)
        self.label = label
        self.reader = reader
        number = 1 if parallel_reads is None else integer(parallel_reads, "cycle_length")
        if number <= 0 and number != -1:
            raise InvalidArgumentError.of("`cycle_length` must be > 0")
        self.cycle = max(1, number)

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return _Records(self)


class _Records(Postponed):
    """Reads some files in turn.

    Attributes:
      _names: the files that have not been opened.
      _slots: the files that are read in turn, each with its name and the number of records that were read, or None.
      _turn: the slot whose record is the next.
    """

    def __init__(self, node: FileRecords) -> None:
        super().__init__()
        self._node = node
        self._names = Rows(node.inputs[0].cursor())
        self._slots: list[_OpenFile | None] = [None] * node.cycle
        self._turn = 0
        self._has_more = True

    def _read(self, most: int) -> Block | None:
        found: list[bytes] = []
        try:
            while len(found) < most and self._open():
                slot = self._slots[self._turn]
                if slot is not None:
                    wanted = most - len(found) if len(self._slots) == 1 else 1
                    count = slot.read(found, wanted)
                    if count < wanted:
                        self._slots[self._turn] = None
                self._turn = (self._turn + 1) % len(self._slots)
        except Exception as error:
            self._slots[self._turn] = None
            if not found or is_raised_by_handler(error):
                raise
            self._error = error
        if not found:
            return None
        column = np.empty(len(found), object)
        column[:] = found
        return Block((column,), len(found))

    def _open(self) -> bool:
        """Opens the next file for an empty slot. False if there is nothing left to read."""
        if self._slots[self._turn] is None and self._has_more:
            block = self._names.read(1)
            if block is None:
                self._has_more = False
            else:
                column: Any = block.columns[0]
                self._slots[self._turn] = _OpenFile(column[0].decode(errors="surrogateescape"), self._node.reader)
        return self._has_more or any(slot is not None for slot in self._slots)

    def save(self) -> Any:
        slots = [None if slot is None else (slot.name, slot.count) for slot in self._slots]
        return {"names": self._names.save(), "slots": slots, "turn": self._turn, "has_more": self._has_more}

    def restore(self, state: Any) -> None:
        self._names.restore(state["names"])
        self._turn, self._has_more, self._error = state["turn"], state["has_more"], None
        self._slots = [None if slot is None else _OpenFile(slot[0], self._node.reader) for slot in state["slots"]]
        for slot, saved in zip(self._slots, state["slots"], strict=True):
            if slot is not None:
                slot.read([], saved[1])


class _OpenFile:
    """A file that is read.

    Attributes:
      name: its name.
      count: the number of records that were read.
    """

    def __init__(self, name: str, reader: Reader) -> None:
        self.name = name
        self.count = 0
        self._records = reader(name)

    def read(self, found: list[bytes], most: int) -> int:
        """Appends the next records, at most `most`, to `found`; returns their number."""
        before = len(found)
        try:
            for record in islice(self._records, most):
                found.append(record)
        finally:
            self.count += len(found) - before
        return len(found) - before


def names_of(filenames: Any) -> Node:
    """The dataset of the names in a string, a sequence of strings or paths, or a dataset of strings.

    Raises: TypeError for anything else.
    """
    node = getattr(filenames, "_node", None)
    if not isinstance(node, Node):
        paths = [*map(_path, filenames)] if isinstance(filenames, list | tuple) else _path(filenames)
        if _is_open(paths):
            names = convert_to_tensor(paths, string)
            template = template_of(names, is_sliced=names.ndim > 0)
            assert template is not None
            return template
        if isinstance(paths, list) and not paths:
            return from_strings([])
        return from_strings([name.encode(errors="surrogateescape") for name in strings(paths, "filenames")])
    spec = node.structure.spec
    if not isinstance(spec, TensorSpec) or spec.dtype is not string:
        kinds = node.structure.pack([getattr(part, "dtype", part) for part in node.structure.specs])
        raise TypeError(
            f"The `filenames` argument must contain `tf.string` elements. Got a dataset of `{kinds!r}` elements."
        )
    if not spec.shape.is_compatible_with(TensorShape([])):
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). Got a dataset of "
            f"element shape {spec.shape!r}."
        )
    return node


def _is_open(paths: Any) -> bool:
    """Whether a name has no value yet, in a function of the elements of a dataset."""
    return any(map(has_no_value, paths)) if isinstance(paths, list) else has_no_value(paths)


def _path(name: Any) -> Any:
    return name.__fspath__() if hasattr(name, "__fspath__") else name


@contextmanager
def opened(name: str, compression: str) -> Generator[BinaryIO]:
    """The contents of a file, decompressed.

    Raises: NotFoundError, PermissionDeniedError or FailedPreconditionError if the file cannot be opened;
      InvalidArgumentError for another compression than `""`, `"GZIP"` and `"ZLIB"`; DataLossError for bad contents.
    """
    if compression not in ("", "GZIP", "ZLIB"):
        raise InvalidArgumentError.of("Unsupported compression_type.")
    with translated(name), open(name, "rb", buffering=_CHUNK) as file:
        try:
            if compression == "GZIP":
                with gzip.GzipFile(fileobj=file) as inflated:
                    yield io.BufferedReader(inflated, _CHUNK)  # pyright: ignore[reportArgumentType]
            else:
                yield io.BufferedReader(_Inflated(file), _CHUNK) if compression else file
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            if is_raised_by_handler(error):
                raise
            header = isinstance(error, gzip.BadGzipFile) or "header" in str(error)
            reason = "incorrect header check" if header else str(error)
            raise DataLossError.of(f"inflate() failed with error -3: {reason}") from error


class _Inflated(io.RawIOBase):
    """The contents of a stream that zlib has compressed."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self._inflater = zlib.decompressobj()

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Reads some bytes into `buffer`."""
        while not self._inflater.eof:
            pending = self._inflater.unconsumed_tail or self._file.read(_CHUNK)
            if not pending:
                raise EOFError("the compressed stream ends too early")
            part = self._inflater.decompress(pending, len(buffer))
            if part:
                buffer[: len(part)] = part
                return len(part)
        return 0
