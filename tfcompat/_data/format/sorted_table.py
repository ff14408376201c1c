"""Files of sorted keys and values: the index of a checkpoint bundle, in LevelDB's format.

Blocks of entries are followed by a block of their places. An entry has the number of bytes that its key shares with the
key before it. Behind a block are a byte for its compression, and a checksum.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import IO

from tfcompat._core.system.error import DataLossError
from tfcompat._data.format import snappy
from tfcompat._data.format.checksum import masked_one, of_bytes
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.stored_tensor import number_bytes
from tfcompat._data.format.wire import MalformedError, varint

_MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
_FOOTER = 48
_WORD = struct.Struct("<I")
_TRAILER = 1 + _WORD.size
_PLAIN, _SNAPPY = 0, 1
# The size of blocks, and the number of entries between those whose keys share nothing.
_BLOCK, _INTERVAL = 1 << 18, 16
_LAST = 0xFF


class _BlockWriter:
    def __init__(self) -> None:
        self._content = bytearray()
        self._restarts: list[int] = []
        self._count = 0
        self._last = b""

    def add(self, key: bytes, value: bytes) -> None:
        """Adds an entry."""
        shared = 0
        if self._count % _INTERVAL:
            shared = _shared(self._last, key)
        else:
            self._restarts.append(len(self._content))
        head = number_bytes(shared) + number_bytes(len(key) - shared) + number_bytes(len(value))
        self._content += head + key[shared:] + value
        self._count += 1
        self._last = key

    @property
    def size(self) -> int:
        """The size of the entries in bytes."""
        return len(self._content)

    @property
    def last(self) -> bytes:
        """The last key."""
        return self._last

    def finish(self) -> bytes:
        """The block with its trailer."""
        restarts = self._restarts or [0]
        content = bytes(self._content) + b"".join(map(_WORD.pack, [*restarts, len(restarts)]))
        with_kind = content + bytes([_PLAIN])
        return with_kind + _WORD.pack(masked_one(of_bytes()(with_kind)))


def _shared(one: bytes, other: bytes) -> int:
    """The number of bytes at the beginning in which two keys agree."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


class TableWriter:
    """Writes a table to `file`. Keys are added in ascending order.

    Raises: ResourceExhaustedError or another of `tf.errors` if the file cannot be written.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._name = getattr(file, "name", "")
        self._place = 0
        self._block = _BlockWriter()
        self._index = _BlockWriter()

    def add(self, key: bytes, value: bytes) -> None:
        """Adds an entry."""
        if self._block.size >= _BLOCK:
            self._end_block(_between(self._block.last, key))
        self._block.add(key, value)

    def _end_block(self, last: bytes) -> None:
        """Writes a block; `last` is not less than its keys, and less than those that follow."""
        self._index.add(last, self._write(self._block))
        self._block = _BlockWriter()

    def _write(self, block: _BlockWriter) -> bytes:
        """Writes a block, and returns its place and size."""
        content = block.finish()
        with translated(self._name):
            self._file.write(content)
        place, self._place = self._place, self._place + len(content)
        return number_bytes(place) + number_bytes(len(content) - _TRAILER)

    def finish(self) -> None:
        """Writes the rest. The file is not closed."""
        if self._block.size:
            self._end_block(_after(self._block.last))
        handles = self._write(_BlockWriter()) + self._write(self._index)
        with translated(self._name):
            self._file.write(handles.ljust(_FOOTER - len(_MAGIC), b"\0") + _MAGIC)


def _between(one: bytes, other: bytes) -> bytes:
    """A short key from `one` up to, but not including, `other`."""
    place = _shared(one, other)
    if place < min(len(one), len(other)) and one[place] + 1 < other[place]:
        return one[:place] + bytes([one[place] + 1])
    return one


def _after(key: bytes) -> bytes:
    """A short key that is not less than `key`."""
    place = next((place for place, byte in enumerate(key) if byte < _LAST), None)
    return key if place is None else key[:place] + bytes([key[place] + 1])


def entries_of(file: IO[bytes], subject: str) -> Iterator[tuple[bytes, bytes]]:
    """The entries of a table, in order. Raises DataLossError, naming `subject`, if it is corrupted."""
    size = file.seek(0, os.SEEK_END)
    if size < _FOOTER:
        raise DataLossError.of(f"{subject}: file is too short to be an sstable")
    file.seek(size - _FOOTER)
    footer = file.read(_FOOTER)
    if footer[-len(_MAGIC) :] != _MAGIC:
        raise DataLossError.of(f"{subject}: not an sstable (bad magic number)")
    try:
        _, place = _handle(footer, 0)
        handle, _ = _handle(footer, place)
        for _, value in _entries(_block(file, handle, size)):
            inner, _ = _handle(value, 0)
            yield from _entries(_block(file, inner, size))
    except MalformedError as bad:
        raise DataLossError.of(
            f"Unable to read file ({subject}). Perhaps the file is corrupt: block checksum mismatch, or bad entries"
        ) from bad


def _handle(data: bytes, place: int) -> tuple[tuple[int, int], int]:
    """The place and the size of a block, and the position after them."""
    start, place = varint(data, place, len(data))
    size, place = varint(data, place, len(data))
    return (start, size), place


def _block(file: IO[bytes], handle: tuple[int, int], end: int) -> bytes:
    """The contents of a block, decompressed. Raises MalformedError if it is corrupted."""
    start, size = handle
    if start + size + _TRAILER > end:
        raise MalformedError
    file.seek(start)
    content = file.read(size + _TRAILER)
    kind = content[size] if len(content) == size + _TRAILER else -1
    if kind < 0 or _WORD.unpack_from(content, size + 1)[0] != masked_one(of_bytes()(content[: size + 1])):
        raise MalformedError
    if kind == _SNAPPY:
        return snappy.decompressed(content[:size])
    if kind != _PLAIN:
        raise MalformedError
    return content[:size]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    if len(block) < _WORD.size:
        raise MalformedError
    restarts = _WORD.unpack_from(block, len(block) - _WORD.size)[0]
    end = len(block) - _WORD.size * (restarts + 1)
    if end < 0:
        raise MalformedError
    place = 0
    key = b""
    while place < end:
        shared, place = varint(block, place, end)
        added, place = varint(block, place, end)
        size, place = varint(block, place, end)
        if shared > len(key) or place + added + size > end:
            raise MalformedError
        key = key[:shared] + block[place : place + added]
        yield key, block[place + added : place + added + size]
        place += added + size
