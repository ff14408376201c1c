"""Writing of checkpoint bundles: tensors by name, their values in a data file, their places in a sorted table."""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO, Any, NamedTuple

import numpy as np

from tfcompat._core.system.error import OpError
from tfcompat._core.types.dtype import DType, string, variant
from tfcompat._data.blocks.host_value import Array
from tfcompat._data.format.checksum import extended, masked, masked_one, of_bytes, of_chunks, of_parts
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.sorted_table import TableWriter
from tfcompat._data.format.stored_message import stored_messages
from tfcompat._data.format.stored_tensor import head_of, number_bytes

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


def stored_variants(variants: list[bytes], shape: tuple[int, ...]) -> Stored:
    """An array of variants, in order."""
    head = head_of(variant, shape)
    # Each checksum is that of everything before it.
    checksum, content = 0, list[bytes]()
    for one in variants:
        checksum = extended(checksum, len(one).to_bytes(8, "little") + one)
        check = masked_one(checksum).to_bytes(CHECKSUM, "little")
        checksum = extended(checksum, check)
        content += [number_bytes(len(one)), one, check]
    return Stored(head, b"".join(content), masked_one(checksum))


class _Place(NamedTuple):
    """The entry of a tensor: its beginning, the number of the data file or None, and where the tensor is in it."""

    head: bytes
    file: int | None
    tail: bytes = b""

    def entry(self, first: int) -> bytes:
        """The entry, if the first data file has the number `first`."""
        shard = 0 if self.file is None else self.file + first
        return self.head + (b"\x18" + number_bytes(shard) if shard else b"") + self.tail


class _DataFile:
    """The data file `number` of those that are written, under a temporary name."""

    def __init__(self, path: str, number: int) -> None:
        self._number = number
        self._place = 0
        self.is_empty = True
        with translated(path):
            self.file = open(path, "wb", buffering=_BUFFER)  # noqa: SIM115

    def add(self, tensors: Sequence[Stored]) -> list[_Place]:
        """Writes `tensors`."""
        found = [self._placed(head, len(content), checksum) for head, content, checksum in tensors]
        with translated(self.file.name):
            self.file.write(b"".join([tensor.content for tensor in tensors]))
        return found

    def add_array(self, array: Array, dtype: DType) -> _Place:
        """Writes a tensor. Numbers are not copied at once."""
        if dtype is variant:
            return self.add([stored_variants(array.ravel().tolist(), array.shape)])[0]
        if dtype is string:
            return self.add([_stored_texts(head_of(string, array.shape), array)])[0]
        with translated(self.file.name):
            checksum = of_chunks(self._written(np.ascontiguousarray(array).reshape(-1).view(np.uint8)))
        return self._placed(head_of(dtype, array.shape), array.nbytes, masked_one(checksum))

    def _written(self, content: Array) -> Iterator[bytes]:
        """Writes `content`, and yields each chunk."""
        for start in range(0, len(content), _BUFFER):
            chunk = content[start : start + _BUFFER].tobytes()
            self.file.write(chunk)
            yield chunk

    def _placed(self, head: bytes, size: int, checksum: int) -> _Place:
        """The next tensor."""
        place, self._place = self._place, self._place + size
        self.is_empty = False
        at = (b"\x20" + number_bytes(place) if place else b"") + (b"\x28" + number_bytes(size) if size else b"")
        return _Place(head, self._number, at + b"\x35" + checksum.to_bytes(CHECKSUM, "little"))


class BundleWriter:
    """Writes a bundle, at first of one data file. The files have their names once `finish` was called.

    If the names of the tensors `ascend`, their places are not kept in memory; then there is one data file.

    Attributes:
      files: the number of data files.

    Raises: NotFoundError or another of `tf.errors` if the files cannot be written.
    """

    def __init__(self, prefix: str, *, ascend: bool = False) -> None:
        self._prefix = prefix
        self._suffix = f".tempstate{secrets.randbits(64)}"
        self._places: list[tuple[bytes, _Place]] = []
        self._data: list[_DataFile] = []
        self._table: TableWriter | None = None
        self.next_file()
        index = f"{prefix}.index{self._suffix}"
        try:
            with translated(index):
                self._index = open(index, "wb", buffering=_BUFFER)  # noqa: SIM115
        except OpError:
            _remove(self._data[0].file)
            raise
        if ascend:
            self._begin_table(1)

    @property
    def files(self) -> int:
        return len(self._data)

    def next_file(self) -> None:
        """Begins another data file."""
        if self._data:
            _close(self._data[-1].file)
        path = f"{self._prefix}.data-{len(self._data):05d}{self._suffix}"
        self._data.append(_DataFile(path, len(self._data)))

    def _begin_table(self, shards: int) -> None:
        self._table = TableWriter(self._index)
        header = stored_messages()["BundleHeaderProto"](num_shards=shards, version={"producer": 1})
        self._table.add(HEADER, header.SerializeToString())

    def _enter(self, key: bytes, place: _Place) -> None:
        if self._table is None:
            self._places.append((key, place))
        else:
            self._table.add(key, place.entry(0))

    def add(self, keys: Sequence[bytes], tensors: Sequence[Stored]) -> None:
        """Adds tensors to the data file."""
        for key, place in zip(keys, self._data[-1].add(tensors), strict=True):
            self._enter(key, place)

    def add_array(self, key: bytes, array: Array, dtype: DType) -> None:
        """Adds a tensor to the data file. Numbers are not copied at once."""
        self._enter(key, self._data[-1].add_array(array, dtype))

    def add_divided(
        self, key: bytes, dtype: DType, shape: tuple[int, ...], parts: Sequence[Sequence[tuple[int, int]]]
    ) -> None:
        """Adds a tensor whose parts were added: each has a start and a length for each axis."""
        slices = [{"extent": [{"start": start, "length": length} for start, length in part]} for part in parts]
        found = stored_messages()["BundleEntryProto"](slices=slices)
        self._enter(key, _Place(head_of(dtype, shape) + found.SerializeToString(), None))

    def end_data(self) -> None:
        """Ends the last data file: all tensors are on the disk."""
        _close(self._data[-1].file)

    def finish(self, shards: int | None = None) -> None:
        """Gives the files their names, the index last: the data files are the last of `shards`.

        A data file without tensors is removed.
        """
        self.end_data()
        shards = shards or self.files
        first = shards - self.files
        if self._table is None:
            self._begin_table(shards)
        assert self._table is not None
        for key, place in sorted(self._places):
            self._table.add(key, place.entry(first))
        self._table.finish()
        _close(self._index)
        for number, data in enumerate(self._data, first):
            with translated(data.file.name):
                if data.is_empty:
                    os.remove(data.file.name)
                else:
                    os.replace(data.file.name, f"{self._prefix}{data_suffix(number, shards)}")
        with translated(self._index.name):
            os.replace(self._index.name, f"{self._prefix}.index")

    def discard(self) -> None:
        """Removes the files, unless they are finished."""
        for file in (*[data.file for data in self._data], self._index):
            _remove(file)


def _remove(file: IO[bytes]) -> None:
    """Closes and removes `file`, unless it has another name now."""
    with suppress(OSError):  # a full disk refuses the rest of the buffer
        file.close()
    if os.path.exists(file.name):
        os.remove(file.name)


def _close(file: IO[bytes]) -> None:
    """Closes `file` once its content is on the disk."""
    if not file.closed:
        with translated(file.name):
            file.flush()
            os.fsync(file.fileno())
            file.close()


def data_suffix(shard: int, shards: int) -> str:
    """The end of the name of a data file."""
    return f".data-{shard:05d}-of-{shards:05d}"


def counted(sizes: Sequence[int]) -> bytes:
    """The lengths of strings as they enter a checksum."""
    return b"".join([size.to_bytes(4 if size <= _MOST_SHORT else 8, "little") for size in sizes])
