"""Reading of checkpoint bundles: tensors by name, their values in data files, their places in a sorted table."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.system.device import aligned
from tfcompat._core.system.error import DataLossError
from tfcompat._core.types.dtype import DType, bool_, string, variant
from tfcompat._data.blocks.block import Column
from tfcompat._data.blocks.host_value import Array
from tfcompat._data.format.bundle_writer import CHECKSUM, HEADER, counted, data_suffix
from tfcompat._data.format.checksum import extended, masked, masked_one, of_bytes, of_chunks, of_parts
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.sorted_table import entries_of
from tfcompat._data.format.stored_message import parsed
from tfcompat._data.format.stored_tensor import (
    array_of_content,
    dtype_of,
    head_of,
    messages_of,
    shape_of,
    variant_value,
)
from tfcompat._data.format.wire import MalformedError, varint

# The tags of fields of an entry, and the size of one with fewer fields than these.
_OFFSET, _SIZE, _CRC = 0x20, 0x28, 0x35
_SHORT_HEAD = 8
_CHUNK = 1 << 20


class Entry(NamedTuple):
    """Where a tensor is: its name, its dtype and shape, the data file, the place and size there, and the checksum.

    A tensor that was saved in parts has these as `slices`: a start and a length, 0 for the whole, of each axis.
    """

    key: bytes
    dtype: DType
    shape: tuple[int, ...]
    shard: int
    place: int
    size: int
    checksum: int
    slices: tuple[tuple[tuple[int, int], ...], ...] = ()


class BundleReader:
    """Reads a bundle. It must be closed; a destructor would lose the exceptions of signal handlers that run in it.

    Attributes:
      shards: the number of data files, of which some may not be used.

    Raises: NotFoundError if a file is missing; DataLossError if one is corrupted.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._path = f"{prefix}.index"
        self._files: dict[int, io.BufferedReader] = {}
        with translated(self._path):
            self._index = open(self._path, "rb")  # noqa: SIM115
        try:
            self._entries = entries_of(self._index, self._path)
            self.shards = self._header_shards()
        except BaseException:
            self._index.close()
            raise

    def _header_shards(self) -> int:
        """The number of data files that the first entry states. Raises DataLossError if it is corrupted."""
        key, value = next(self._entries, (None, b""))
        if key != HEADER:
            raise DataLossError.of(f"Unable to read file ({self._path}): failed to seek to header entry")
        header = parsed("BundleHeaderProto", value, self._path)
        if header.endianness:
            raise DataLossError.of(f"{self._path} is corrupted, or was written by a machine of another byte order")
        return header.num_shards

    def entries(self) -> Iterator[Entry]:
        """The places of the tensors, in the order of their names."""
        heads: dict[bytes, tuple[DType, tuple[int, ...]]] = {}
        for key, value in self._entries:
            # Most entries begin as others do: with the dtype, and the shape in fewer than 128 bytes.
            head = value[: 4 + value[3]] if len(value) > _SHORT_HEAD and value[2:3] == b"\x12" else b""
            if head in heads and (place := _place_of(value, len(head))) is not None:
                yield Entry(key, *heads[head], 0, *place)
                continue
            found = parsed("BundleEntryProto", value, self._path)
            if found.offset < 0 or found.size < 0 or not 0 <= found.shard_id < self.shards:
                raise DataLossError.of(f"{self._path} is corrupted, has a bad entry: {key!r}")
            dtype, shape = dtype_of(found.dtype, self._path), shape_of(found.shape, self._path)
            if head == head_of(dtype, shape):
                heads[head] = dtype, shape
            parts = tuple(tuple((extent.start, extent.length) for extent in part.extent) for part in found.slices)
            yield Entry(key, dtype, shape, found.shard_id, found.offset, found.size, found.crc32c, parts)

    def contents(self, entries: Sequence[Entry]) -> list[bytes]:
        """The contents of tensors. Raises DataLossError if the data file is too short."""
        found: list[bytes] = []
        start = 0
        while start < len(entries):
            stop = start + 1
            while stop < len(entries) and _follows(entries[stop - 1], entries[stop]):
                stop += 1
            run = entries[start:stop]
            content = self._read(run[0].shard, run[0].place, sum(each.size for each in run))
            place = 0
            for each in run:
                found.append(content[place : place + each.size])
                place += each.size
            start = stop
        return found

    def verify(self, entry: Entry) -> None:
        """Reads a tensor without keeping it. Raises DataLossError if it is corrupted."""
        if entry.dtype is string:
            self.values([entry], self.contents([entry]))
            return
        if entry.dtype is variant:
            self._variant_texts(entry, self.contents([entry])[0])
            return
        if math.prod(entry.shape) * np.dtype(entry.dtype.as_numpy_dtype).itemsize != entry.size:
            raise DataLossError.of(f"{self._prefix} is corrupted: the tensor {entry.key!r} has {entry.size} bytes")
        self._require_checksum(entry, masked_one(of_chunks(self._chunks(entry))))

    def _chunks(self, entry: Entry) -> Iterator[Array]:
        """The bytes of a tensor in parts, which share their memory: each is valid until the next."""
        path, file = self._file_with(entry.shard, entry.place, entry.size)
        memory = np.empty(min(_CHUNK, entry.size), np.uint8)
        with translated(path):
            file.seek(entry.place)
            for start in range(0, entry.size, _CHUNK):
                part = memory[: entry.size - start]
                if file.readinto(part.data) != len(part):
                    raise DataLossError.of(f"{path} was cut while it was read")
                shown = part.view()
                shown.flags.writeable = False
                yield shown

    def verified(self, entry: Entry) -> Array:
        """The value of a tensor that has been verified; numbers are in `aligned` memory of their own.

        That of variants is a vector of their messages.
        """
        if entry.dtype is string:
            return self._texts(entry, self.contents([entry])[0])
        if entry.dtype is variant:
            return np.array([*self._variant_texts(entry, self.contents([entry])[0]), None], object)[:-1]
        memory = aligned(entry.size)
        path, file = self._file_with(entry.shard, entry.place, entry.size)
        with translated(path):
            file.seek(entry.place)
            if file.readinto(memory.data) != entry.size:
                raise DataLossError.of(f"{path} was cut while it was read")
        if entry.dtype is bool_:
            memory = (memory != 0).view(np.uint8)
        return memory.view(np.dtype(entry.dtype.as_numpy_dtype)).reshape(entry.shape)

    def close_data(self) -> None:
        """Closes the data files, which are opened again when they are needed."""
        while self._files:
            self._files.popitem()[1].close()

    def _read(self, shard: int, place: int, size: int) -> bytes:
        path, file = self._file_with(shard, place, size)
        with translated(path):
            file.seek(place)
            return file.read(size)

    def _file_with(self, shard: int, place: int, size: int) -> tuple[str, io.BufferedReader]:
        """The path of a data file, and the file. Raises DataLossError if it ends before `place + size`."""
        path = f"{self._prefix}{data_suffix(shard, self.shards)}"
        with translated(path):
            if shard not in self._files:
                self._files[shard] = open(path, "rb")  # noqa: SIM115
            file = self._files[shard]
            if place + size > os.fstat(file.fileno()).st_size:
                raise DataLossError.of(f"TensorBundle at {self._prefix} shard {shard}: Read less bytes than requested")
        return path, file

    def values(self, entries: Sequence[Entry], contents: Sequence[bytes]) -> Column:
        """The tensors: arrays, sparse and ragged ones; one array if they have one dtype and shape, and are dense.

        Raises: DataLossError if one is corrupted.
        """
        first = entries[0]
        if first.dtype in (string, variant) or any(
            each.dtype is not first.dtype or each.shape != first.shape for each in entries
        ):
            return [self._value(entry, content) for entry, content in zip(entries, contents, strict=True)]
        self._check(entries, masked(np.array(of_parts(contents), np.uint32)).tolist())
        return array_of_content(b"".join(contents), first.dtype, (len(entries), *first.shape), self._prefix)

    def _value(self, entry: Entry, content: bytes) -> Any:
        if entry.dtype is string:
            return self._texts(entry, content)
        if entry.dtype is variant:
            return self._variants(entry, content)
        self._check([entry], [masked_one(of_bytes()(content))])
        return array_of_content(content, entry.dtype, entry.shape, self._prefix)

    def _check(self, entries: Sequence[Entry], found: Sequence[int]) -> None:
        for entry, checksum in zip(entries, found, strict=True):
            self._require_checksum(entry, checksum)

    def _require_checksum(self, entry: Entry, checksum: int) -> None:
        if entry.checksum != checksum:
            raise DataLossError.of(
                f"TensorBundle at {self._prefix} shard {entry.shard} ({entry.size} bytes): Checksum does not "
                f"match: stored {entry.checksum} vs. calculated on the restored bytes {checksum}"
            )

    def _texts(self, entry: Entry, content: bytes) -> Array:
        count = math.prod(entry.shape)
        sizes: list[int] = []
        place = 0
        try:
            if count > len(content):
                raise MalformedError
            for _ in range(count):
                size, place = varint(content, place, len(content))
                sizes.append(size)
        except MalformedError as cut:
            raise DataLossError.of(f"TensorBundle at {self._prefix}: the lengths of strings are cut") from cut
        if place + CHECKSUM + sum(sizes) != len(content):
            raise DataLossError.of(f"TensorBundle at {self._prefix}: the lengths of strings are corrupted")
        self._check([entry], [masked_one(of_bytes()(counted(sizes) + content[place:]))])
        lengths = content[:place]
        return array_of_content(lengths + content[place + CHECKSUM :], string, entry.shape, self._prefix)

    def _variants(self, entry: Entry, content: bytes) -> Any:
        return variant_value(messages_of(self._variant_texts(entry, content), self._prefix), self._prefix)

    def _variant_texts(self, entry: Entry, content: bytes) -> list[bytes]:
        """The messages `VariantTensorDataProto`. Raises DataLossError if they are corrupted."""
        texts: list[bytes] = []
        checksum, place = 0, 0
        try:
            while place < len(content):
                size, place = varint(content, place, len(content))
                end = place + size + CHECKSUM
                if end > len(content):
                    raise MalformedError
                texts.append(content[place : place + size])
                checksum = extended(checksum, size.to_bytes(8, "little") + content[place:end])
                place = end
        except MalformedError as cut:
            raise DataLossError.of(f"TensorBundle at {self._prefix}: a variant is cut") from cut
        self._check([entry], [masked_one(checksum)])
        return texts

    def close(self) -> None:
        """Closes the files."""
        for file in (self._index, *self._files.values()):
            file.close()


def _place_of(value: bytes, place: int) -> tuple[int, int, int] | None:
    """The place, the size and the checksum in the rest of an entry, from `place` on; None if it has other fields."""
    end = len(value) - 1 - CHECKSUM
    start = size = 0
    try:
        if place < end and value[place] == _OFFSET:
            start, place = varint(value, place + 1, end)
        if place < end and value[place] == _SIZE:
            size, place = varint(value, place + 1, end)
    except MalformedError:
        return None
    if place != end or value[place] != _CRC:
        return None
    return start, size, int.from_bytes(value[place + 1 :], "little")


def _follows(one: Entry, other: Entry) -> bool:
    return one.shard == other.shard and one.place + one.size == other.place
