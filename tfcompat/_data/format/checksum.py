"""Checksums of records: CRC-32C, masked as in TensorFlow's files.

The package google-crc32c computes them if it is installed, else NumPy: all parts of a block at a time, one byte of each
in a step.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

_POLYNOMIAL = 0x82F6_3B78
_ALL = 0xFFFF_FFFF
_ROTATION, _OFFSET = 15, 0xA282_EAD8
_WORD = 4
# Below this many bytes the tables are read byte by byte in Python.
_FEW_BYTES = 64
_LONGEST_PART = 1024


def masked(checksums: np.ndarray) -> np.ndarray:
    """The numbers that are stored for checksums, in 32 bits."""
    rotated = checksums >> np.uint32(_ROTATION) | checksums << np.uint32(32 - _ROTATION)
    return rotated + np.uint32(_OFFSET)


def masked_one(checksum: int) -> int:
    """The number that is stored for a checksum."""
    return ((checksum >> _ROTATION | checksum << 32 - _ROTATION) + _OFFSET) & _ALL


@functools.cache
def of_bytes() -> Callable[[bytes], int]:
    """The function that computes the checksum of bytes."""
    try:
        from google_crc32c import value
    except ImportError:
        return by_tables
    return value


def of_chunks(chunks: Iterable[Any]) -> int:
    """The checksum of all `chunks` together: bytes, or arrays of them that may not be written to."""
    try:
        from google_crc32c import extend
    except ImportError:
        # The next chunk may have the memory of this one.
        return by_tables(b"".join([bytes(chunk) for chunk in chunks]))
    checksum = 0
    for chunk in chunks:
        checksum = extend(checksum, chunk)
    return checksum


def extended(checksum: int, data: bytes) -> int:
    """The checksum of `data` behind other bytes, which have `checksum`."""
    try:
        from google_crc32c import extend
    except ImportError:
        if len(data) < _WORD:
            return _by_bytes(checksum ^ _ALL, data)
        # The same as that of `data` alone, with the checksum added to its first four bytes.
        first = int.from_bytes(data[:_WORD], "little") ^ checksum
        return by_tables(first.to_bytes(_WORD, "little") + data[_WORD:])
    return extend(checksum, data)


def of_parts(parts: Sequence[bytes]) -> list[int]:
    """The checksums of several parts."""
    function = of_bytes()
    return by_columns(parts) if function is by_tables else list(map(function, parts))


def by_tables(data: bytes) -> int:
    """The checksum of `data`, computed here."""
    if len(data) > _FEW_BYTES:
        return by_columns([data])[0]
    return _by_bytes(_ALL, data)


def _by_bytes(checksum: int, data: bytes) -> int:
    """The checksum of `data` behind others, of which `checksum` is the inverse."""
    table = _table().tolist()
    for byte in data:
        checksum = table[(checksum ^ byte) & 0xFF] ^ checksum >> 8
    return checksum ^ _ALL


def by_columns(parts: Sequence[bytes]) -> list[int]:
    """The checksums of `parts`, which are cut into rows of one length, computed in step, and joined again.

    Zeros before the first byte change no checksum that begins with 0; that it begins with ones is the same as to invert
    the first four bytes.
    """
    sizes = np.fromiter(map(len, parts), np.int64, len(parts))
    padded = np.maximum(sizes, _WORD)
    longest = int(padded.max(initial=_WORD))
    width = min(max(math.isqrt(int(padded.sum())), _FEW_BYTES), longest, _LONGEST_PART)
    counts = -(-padded // width)
    ends = np.cumsum(counts) * width
    starts = ends - sizes
    content = np.zeros(int(counts.sum()) * width, np.uint8)
    for part, start, end in zip(parts, starts.tolist(), ends.tolist(), strict=True):
        content[start:end] = np.frombuffer(part, np.uint8) if part else 0
    # A part shorter than four bytes has zeros before it, of which the inverse is not the same.
    whole = sizes >= _WORD
    content[(starts[whole, None] + np.arange(_WORD)).ravel()] ^= 0xFF
    rows = np.zeros(int(counts.sum()), np.uint32)
    table = _table()
    for column in content.reshape(-1, width).T:
        rows = table[(rows ^ column) & 0xFF] ^ rows >> np.uint32(8)
    found = _joined(rows, counts, width) ^ np.uint32(_ALL)
    return [int(one) if size >= _WORD else by_tables(part) for one, size, part in zip(found, sizes, parts, strict=True)]


def _joined(rows: np.ndarray, counts: np.ndarray, width: int) -> np.ndarray:
    """The checksums of parts of `counts` rows each."""
    found = rows[np.cumsum(counts) - counts]
    firsts = np.cumsum(counts) - counts
    shift = _shift(width)
    for step in range(1, int(counts.max(initial=1))):
        longer = np.flatnonzero(counts > step)
        checksum = found[longer]
        moved = np.zeros(len(longer), np.uint32)
        for k in range(_WORD):
            moved ^= shift[k][(checksum >> np.uint32(8 * k)) & np.uint32(0xFF)]
        found[longer] = moved ^ rows[firsts[longer] + step]
    return found


@functools.cache
def _table() -> np.ndarray:
    """The contribution of each byte to the checksum."""
    found = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        found = np.where(found & 1, found >> 1 ^ np.uint32(_POLYNOMIAL), found >> 1)
    return found


@functools.lru_cache(maxsize=64)
def _shift(width: int) -> Any:
    """The contribution of each byte of a checksum to the checksum after `width` further zeros."""
    table = _table()
    found = np.stack([np.arange(256, dtype=np.uint32) << np.uint32(8 * k) for k in range(_WORD)])
    for _ in range(width):
        found = table[found & np.uint32(0xFF)] ^ found >> np.uint32(8)
    return found
