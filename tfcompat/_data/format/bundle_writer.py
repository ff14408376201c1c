"""Writing of checkpoint bundles: tensors by name, their values in a data file, their places in a sorted table."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.dtype import DType, string, variant
from tfcompat._data.format.checksum import masked, masked_one, of_bytes, of_chunks, of_parts
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.sorted_table import TableWriter
from tfcompat._data.format.stored_message import stored_messages
from tfcompat._data.format.stored_tensor import head_of, number_bytes
from tfcompat._data.host_value import Array

HEADER = b""
CHECKSUM = 4
_BUFFER = 1 << 20
# The longest string whose length is four bytes in checksums.
_MOST_SHORT = 0xFFFF_FFFF


class Stored(NamedTuple):
    """A tensor as it is written: the head of its entry, its content in the data file, and its checksum."""

    head: bytes
    content: bytes
    checksum: int


def stored_rows(column: Array, dtype: DType) -> list[Stored]:
    """The rows of an array of numbers or strings."""
    head = head_of(dtype, column.shape[1:])
    if dtype is string:
        return [_stored_texts(head, row) for row in column]
    size = math.prod(column.shape[1:]) * column.dtype.itemsize
    content = np.ascontiguousarray(column).tobytes()
    parts = [content[place * size : (place + 1) * size] for place in range(len(column))]
    checksums = masked(np.array(of_parts(parts), np.uint32)).tolist()
    return [Stored(head, part, checksum) for part, checksum in zip(parts, checksums, strict=True)]


def _stored_texts(head: bytes, row: Any) -> Stored:
    texts = [row] if isinstance(row, bytes) else row.ravel().tolist()
    sizes = [len(text) for text in texts]
    lengths = counted(sizes)
    check = masked_one(of_bytes()(lengths)).to_bytes(CHECKSUM, "little")
    body = b"".join([check, *texts])
    content = b"".join(map(number_bytes, sizes)) + body
    return Stored(head, content, masked_one(of_bytes()(lengths + body)))


def stored_variants(variants: list[bytes]) -> Stored:
    """A scalar variant, or a vector of several."""
    head = head_of(variant, () if len(variants) == 1 else (len(variants),))
    checked, content = b"", b""
    for one in variants:
        checked += len(one).to_bytes(8, "little") + one
        check = masked_one(of_bytes()(checked)).to_bytes(CHECKSUM, "little")
        checked += check
        content += number_bytes(len(one)) + one + check
    return Stored(head, content, masked_one(of_bytes()(checked)))


class BundleWriter:
    """Writes a bundle of one data file, the last of `shards`. Its files have their names once `finish` was called.

    Raises: NotFoundError or another of `tf.errors` if the files cannot be written.
    """

    def __init__(self, prefix: str, shards: int = 1) -> None:
        suffix = f".tempstate{secrets.randbits(64)}"
        ends = (data_suffix(shards - 1, shards), ".index")
        self._names = {f"{prefix}{end}{suffix}": f"{prefix}{end}" for end in ends}
        self._shard = b"\x18" + number_bytes(shards - 1) if shards > 1 else b""
        data, index = self._names
        self._place = self._count = 0
        with translated(data):
            self._data = open(data, "wb", buffering=_BUFFER)  # noqa: SIM115
            self._index = open(index, "wb", buffering=_BUFFER)  # noqa: SIM115
        self._table = TableWriter(self._index)
        header = stored_messages()["BundleHeaderProto"](num_shards=shards, version={"producer": 1})
        self._table.add(HEADER, header.SerializeToString())

    def add(self, keys: Sequence[bytes], tensors: Sequence[Stored]) -> None:
        """Adds `tensors`, whose names ascend."""
        place, add = self._place, self._table.add
        for key, (head, content, checksum) in zip(keys, tensors, strict=True):
            size = len(content)
            add(key, head + self._tail(place, size, checksum))
            place += size
        with translated(self._data.name):
            self._data.write(b"".join([tensor.content for tensor in tensors]))
        self._place = place
        self._count += len(tensors)

    def add_array(self, key: bytes, array: Array, dtype: DType) -> None:
        """Adds a tensor, whose name is behind those of the others. Numbers are not copied at once."""
        if dtype is string:
            self.add([key], [_stored_texts(head_of(string, array.shape), array)])
            return
        with translated(self._data.name):
            checksum = of_chunks(self._written(np.ascontiguousarray(array).reshape(-1).view(np.uint8)))
        tail = self._tail(self._place, array.nbytes, masked_one(checksum))
        self._table.add(key, head_of(dtype, array.shape) + tail)
        self._place += array.nbytes
        self._count += 1

    def _written(self, content: Array) -> Iterator[bytes]:
        """Writes `content`, and yields each chunk."""
        for start in range(0, len(content), _BUFFER):
            chunk = content[start : start + _BUFFER].tobytes()
            self._data.write(chunk)
            yield chunk

    def _tail(self, place: int, size: int, checksum: int) -> bytes:
        """The entry of a tensor behind its dtype and shape."""
        at = (b"\x20" + number_bytes(place) if place else b"") + (b"\x28" + number_bytes(size) if size else b"")
        return self._shard + at + b"\x35" + checksum.to_bytes(CHECKSUM, "little")

    def finish(self) -> None:
        """Gives the files their names, the index last. Without tensors there is no data file."""
        with translated(self._index.name):
            self._table.finish()
        for file in (self._data, self._index):
            with translated(file.name):
                file.flush()
                os.fsync(file.fileno())
                file.close()
        for temporary, name in self._names.items():
            with translated(name):
                if self._count or temporary == self._index.name:
                    os.replace(temporary, name)
                else:
                    os.remove(temporary)

    def discard(self) -> None:
        """Removes the files, unless they are finished."""
        for file in (self._data, self._index):
            with suppress(OSError):  # a full disk refuses the rest of the buffer
                file.close()
        for temporary in self._names:
            if os.path.exists(temporary):
                os.remove(temporary)


def data_suffix(shard: int, shards: int) -> str:
    """The end of the name of a data file."""
    return f".data-{shard:05d}-of-{shards:05d}"


def counted(sizes: Sequence[int]) -> bytes:
    """The lengths of strings as they enter a checksum."""
    return b"".join([size.to_bytes(4 if size <= _MOST_SHORT else 8, "little") for size in sizes])
