"""Reading of files of records: `TFRecord` files, plain or compressed.

A record is its length, the checksum of the length, the data, and the checksum of the data.
"""

from __future__ import annotations

import struct
from collections import deque
from types import TracebackType
from typing import IO, Self

import numpy as np

from tfcompat._core.system.error import DataLossError, OpError
from tfcompat._data.format.checksum import masked, masked_one, of_bytes, of_parts
from tfcompat._data.format.compressed import stream_of
from tfcompat._data.format.file_error import translated

LENGTH, CHECKSUM = struct.Struct("<Q"), struct.Struct("<I")
_HEADER, _FOOTER = LENGTH.size + CHECKSUM.size, CHECKSUM.size
# The number of lengths whose checksums are remembered.
_MOST_LENGTHS = 4096


class RecordReader:
    """The records of a file, one after the other, and the offset of the next one.

    A record is held in memory only if the file has all of it, whatever length its header claims. The data of several
    records are read ahead, and their checksums are checked together; an error is raised when its record is asked for.

    Raises: NotFoundError, FailedPreconditionError or PermissionDeniedError if the file cannot be opened; DataLossError
      by `read` if a record is corrupted or truncated.
    """

    def __init__(self, path: str, compression_type: str = "") -> None:
        with translated(path):
            self._file: IO[bytes] = open(path, "rb", buffering=0)  # noqa: SIM115
        self._path = path
        self._stream = stream_of(self._file, compression_type)
        self._lengths: dict[bytes, int] = {}
        self._begin(0)

    def _begin(self, offset: int) -> None:
        self.offset = offset
        # Where the bytes begin that are read and not yet divided into records.
        self._start = offset
        self._rest = b""
        self._ready: deque[bytes] = deque()
        self._failure: OpError | None = None
        self._is_done = False

    def seek(self, offset: int) -> None:
        """Continues at `offset`, which must be that of a record; in a compressed file, of the decompressed bytes."""
        with translated(self._path):
            skipped = self._stream.seek(offset)
        self._begin(offset)
        while skipped:
            piece = self._stream.read(0)
            if not piece:
                break
            self._rest = piece[skipped:]
            skipped = max(skipped - len(piece), 0)

    def read(self) -> bytes | None:
        """The next record; None at the end of the file."""
        while not self._ready:
            if self._failure is not None:
                failure, self._failure, self._is_done = self._failure, None, True
                raise failure
            if self._is_done:
                return None
            self._fill()
        record = self._ready.popleft()
        self.offset += _HEADER + len(record) + _FOOTER
        return record

    def read_block(self, count: int) -> list[bytes]:
        """At least one and at most `count` records; none at the end of the file."""
        first = self.read()
        if first is None:
            return []
        found = [first]
        while self._ready and len(found) < count:
            found.append(self._ready.popleft())
        self.offset += sum(map(len, found[1:])) + (_HEADER + _FOOTER) * (len(found) - 1)
        return found

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        record = self.read()
        if record is None:
            raise StopIteration
        return record

    def _fill(self) -> None:
        """Reads a piece of the file, and the rest of the record at its end."""
        try:
            needed = self._divide()
            while not self._ready and needed:
                needed = self._extend(needed)
        except OpError as failure:
            self._failure = failure

    def _extend(self, needed: int) -> int:
        """Reads on until the record that begins the rest is complete, or the file ends."""
        remaining = self._stream.remaining()
        if remaining is not None and needed > remaining and len(self._rest) >= _HEADER:
            raise self._truncated()
        parts = [self._rest]
        while needed > 0:
            with translated(self._path):
                piece = self._stream.read(needed)
            if not piece:
                break
            parts.append(piece)
            needed -= len(piece)
        self._rest = b"".join(parts)
        if needed > 0:
            # A header that is cut is the end of the file.
            if len(self._rest) >= _HEADER:
                raise self._truncated()
            self._is_done = True
            return 0
        return self._divide()

    def _divide(self) -> int:
        """Divides the rest into records, and returns how many bytes the next record needs."""
        rest, lengths = self._rest, self._lengths
        place, end = 0, len(rest)
        records: list[bytes] = []
        stored: list[bytes] = []
        needed = _HEADER - end
        try:
            while end - place >= _HEADER:
                header = rest[place : place + _HEADER]
                length = lengths.get(header)
                if length is None:
                    length = self._length(header, place)
                after = place + _HEADER + length + _FOOTER
                needed = after - end
                if needed > 0:
                    break
                records.append(rest[place + _HEADER : after - _FOOTER])
                stored.append(rest[after - _FOOTER : after])
                place = after
                needed = _HEADER - (end - place)
        except DataLossError as failure:
            self._failure, needed = failure, 0
        self._accept(records, stored)
        self._rest, self._start = rest[place:], self._start + place
        return max(needed, 0)

    def _length(self, header: bytes, place: int) -> int:
        """The length of the data after a header. Raises DataLossError if the header is corrupted."""
        if masked_one(of_bytes()(header[: LENGTH.size])) != CHECKSUM.unpack_from(header, LENGTH.size)[0]:
            at = self._start + place
            raise DataLossError.of(f"corrupted record at {at}{'' if at else ' (Is this even a TFRecord file?)'}")
        if len(self._lengths) >= _MOST_LENGTHS:
            self._lengths.clear()
        return self._lengths.setdefault(header, LENGTH.unpack_from(header)[0])

    def _accept(self, records: list[bytes], stored: list[bytes]) -> None:
        """Adds `records` up to the first whose checksum differs from the stored one."""
        found = masked(np.array(of_parts(records), np.uint32))
        wrong = np.flatnonzero(found != np.frombuffer(b"".join(stored), "<u4")) if records else np.empty(0, np.int64)
        good = records[: int(wrong[0])] if len(wrong) else records
        self._ready.extend(good)
        if len(wrong):
            place = self._start + sum(map(len, good)) + (_HEADER + _FOOTER) * len(good)
            self._failure = DataLossError.of(f"corrupted record at {place + _HEADER}")

    def _truncated(self) -> DataLossError:
        return DataLossError.of(f"truncated record at {self._start}' failed with {self._stream.shortage}")

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
