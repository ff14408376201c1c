"""Writing of many records at a time, to files of records that may be compressed."""

from __future__ import annotations

import contextlib
import zlib
from types import TracebackType
from typing import Self

import numpy as np

from tfcompat._data.format import snappy
from tfcompat._data.format.checksum import masked, masked_one, of_bytes, of_parts
from tfcompat._data.format.compressed import WINDOW_BITS
from tfcompat._data.format.file_error import translated
from tfcompat._data.format.record_reader import CHECKSUM, LENGTH

_BUFFER = 1 << 18


def framed(records: list[bytes]) -> bytes:
    """The bytes of `records` in a file."""
    checksums = masked(np.array(of_parts(records), np.uint32)).astype("<u4").tobytes()
    checksum = of_bytes()
    heads: dict[int, bytes] = {}
    parts: list[bytes] = []
    for place, record in enumerate(records):
        size = len(record)
        head = heads.get(size)
        if head is None:
            length = LENGTH.pack(size)
            head = heads[size] = length + CHECKSUM.pack(masked_one(checksum(length)))
        parts += (head, record, checksums[4 * place : 4 * place + 4])
    return b"".join(parts)


class RecordShard:
    """A file of records. `compression` is `""`, `"GZIP"`, `"ZLIB"` or `"SNAPPY"`.

    Raises: NotFoundError, FailedPreconditionError or another of `tf.errors` if the file cannot be written.
    """

    def __init__(self, path: str, compression: str) -> None:
        self._path = path
        self._compression = compression
        bits = WINDOW_BITS.get(compression)
        self._deflater = None if bits is None else zlib.compressobj(wbits=bits)
        self._waiting = bytearray()
        with translated(path):
            # Python's own buffer would also be written by a forked process.
            self._file = open(path, "wb", buffering=0)  # noqa: SIM115

    def write(self, records: list[bytes]) -> None:
        """Adds `records`."""
        data = framed(records)
        self._waiting += data if self._deflater is None else self._deflater.compress(data)
        if len(self._waiting) >= _BUFFER:
            self._flush()

    def _flush(self) -> None:
        data = bytes(self._waiting)
        self._waiting.clear()
        rest = memoryview(snappy.compressed(data) if self._compression == "SNAPPY" else data)
        with translated(self._path):
            while rest:
                rest = rest[self._file.write(rest) :]

    def close(self) -> None:
        """Writes the rest, and closes the file."""
        if self._file.closed:
            return
        if self._deflater is not None:
            self._waiting += self._deflater.flush()
        self._flush()
        with translated(self._path):
            self._file.close()

    def abandon(self) -> None:
        """Closes the file, which is not needed."""
        with contextlib.suppress(OSError):
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
