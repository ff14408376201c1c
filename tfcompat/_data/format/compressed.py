"""Streams of files that are plain, or compressed by zlib, gzip or snappy, which are read in bounded pieces."""

from __future__ import annotations

import re
import zlib
from typing import IO

from tfcompat._core.system.error import DataLossError
from tfcompat._data.format import snappy

_PIECE, _LARGEST_PIECE = 1 << 18, 1 << 26
_GZIP_BITS, _ZLIB_BITS = zlib.MAX_WBITS + 16, zlib.MAX_WBITS
WINDOW_BITS = {"GZIP": _GZIP_BITS, "ZLIB": _ZLIB_BITS}


class Plain:
    """A file as it is.

    Attributes:
      shortage: what TensorFlow says of a read beyond the end.
    """

    shortage = "Read less bytes than requested"

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, least: int) -> bytes:
        """The next piece: about `least` bytes, if that is more than a small piece; none at the end of the file."""
        return self._file.read(min(max(least, _PIECE), _LARGEST_PIECE))

    def remaining(self) -> int | None:
        """The number of bytes that are left; None for a pipe."""
        if not self._file.seekable():
            return None
        place = self._file.tell()
        size = self._file.seek(0, 2)
        self._file.seek(place)
        return size - place

    def seek(self, offset: int) -> int:
        """Continues at `offset`, and returns the number of bytes to skip: none."""
        self._file.seek(offset)
        return 0


class Inflated:
    """A file that is decompressed. A gzip file may have several members."""

    shortage = "EOF reached"

    def __init__(self, file: IO[bytes], compression_type: str) -> None:
        self._file = file
        self._bits = WINDOW_BITS[compression_type]
        self._begin()

    def _begin(self) -> None:
        self._inflater = zlib.decompressobj(self._bits)
        self._input = b""

    def read(self, least: int) -> bytes:
        """The next piece; none at the end of the file. It may have fewer bytes than `least`."""
        del least
        while True:
            if self._inflater.eof:
                if self._bits != _GZIP_BITS:
                    return b""
                rest = self._inflater.unused_data
                self._begin()
                self._input = rest
            self._input = self._input or self._file.read(_PIECE)
            try:
                found = self._inflater.decompress(self._input, _PIECE)
            except zlib.error as bad:
                raise DataLossError.of(_inflation(str(bad))) from bad
            was_empty = not self._input
            self._input = self._inflater.unconsumed_tail
            if found or was_empty:
                return found

    def remaining(self) -> int | None:
        """None: the number of bytes that are left is unknown."""
        return None

    def seek(self, offset: int) -> int:
        """Begins again, and returns `offset`: the number of bytes that the reader is to skip."""
        self._file.seek(0)
        self._begin()
        return offset


class Unsnapped:
    """A file of blocks that snappy has compressed."""

    shortage = "EOF reached"

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, least: int) -> bytes:
        """The next block; none at the end of the file. It may have fewer bytes than `least`."""
        del least
        while head := _filled(self._file, snappy.LENGTH.size):
            size = snappy.LENGTH.unpack(head)[0] if len(head) == snappy.LENGTH.size else 0
            block = _filled(self._file, size)
            if len(block) < size or not size:
                raise DataLossError.of("Corrupted block of compressed data.")
            if found := snappy.decompressed(block):
                return found
        return b""

    def remaining(self) -> int | None:
        """None: the number of bytes that are left is unknown."""
        return None

    def seek(self, offset: int) -> int:
        """Begins again, and returns `offset`: the number of bytes that the reader is to skip."""
        self._file.seek(0)
        return offset


def _filled(file: IO[bytes], size: int) -> bytes:
    """`size` bytes, or those before the end of the file, read in bounded pieces."""
    parts: list[bytes] = []
    while size and (part := file.read(min(size, _PIECE))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def stream_of(file: IO[bytes], compression_type: str) -> Plain | Inflated | Unsnapped:
    """The contents of a file. As in TensorFlow, those of an unknown compression are read as they are."""
    if compression_type in WINDOW_BITS:
        return Inflated(file, compression_type)
    return Unsnapped(file) if compression_type == "SNAPPY" else Plain(file)


def _inflation(message: str) -> str:
    """The words of TensorFlow for an error of Python's zlib."""
    found = re.fullmatch(r"Error (-?\d+) while decompressing data(?:: (.*))?", message)
    return f"inflate() failed with error {found[1]}: {found[2] or ''}" if found else message
