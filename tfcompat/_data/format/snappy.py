"""The format of snappy: reading, and writing without compression.

A stream of TensorFlow is a sequence of blocks, each with its length before it.
"""

from __future__ import annotations

import struct

from tfcompat._core.system.error import DataLossError
from tfcompat._data.format.stored_tensor import number_bytes
from tfcompat._data.format.wire import MalformedError, varint

LENGTH = struct.Struct(">I")
# The largest blocks that are read, and that are written: as TensorFlow's buffers.
_MOST, _BLOCK = 1 << 28, 1 << 18
_LONGEST_SHORT = 60
_COPY_1, _COPY_2, _LITERAL = 1, 2, 0


def compressed(data: bytes) -> bytes:
    """A stream with `data` as it is: its blocks have no repetitions."""
    blocks: list[bytes] = []
    for start in range(0, len(data), _BLOCK):
        block = compressed_block(data[start : start + _BLOCK])
        blocks += [LENGTH.pack(len(block)), block]
    return b"".join(blocks)


def compressed_block(data: bytes) -> bytes:
    """A block with `data` as it is."""
    if not data:
        return number_bytes(0)
    size = len(data) - 1
    head = bytes([size << 2]) if size < _LONGEST_SHORT else bytes([63 << 2]) + size.to_bytes(4, "little")
    return number_bytes(len(data)) + head + data


def decompressed(block: bytes) -> bytes:
    """The data of a block. Raises DataLossError if it is corrupted."""
    try:
        size, place = varint(block, 0, len(block))
        if size > _MOST:
            raise MalformedError
        found = bytearray()
        while place < len(block):
            place = _step(block, place, found)
            if len(found) > size:
                raise MalformedError
    except (MalformedError, IndexError) as bad:
        raise DataLossError.of("Corrupted block of compressed data.") from bad
    if len(found) != size:
        raise DataLossError.of("Corrupted block of compressed data.")
    return bytes(found)


def _step(block: bytes, place: int, found: bytearray) -> int:
    """Adds the data of the element at `place` to `found`, and returns the place of the next element."""
    tag = block[place]
    kind, upper = tag & 3, tag >> 2
    place += 1
    if kind == _LITERAL:
        size = upper + 1
        if upper >= _LONGEST_SHORT:
            width = upper - _LONGEST_SHORT + 1
            size = int.from_bytes(block[place : place + width], "little") + 1
            place += width
        if place + size > len(block):
            raise MalformedError
        found += block[place : place + size]
        return place + size
    if kind == _COPY_1:
        size, offset, width = (upper & 7) + 4, (upper >> 3) << 8 | block[place], 1
    else:
        width = 2 if kind == _COPY_2 else 4
        size, offset = upper + 1, int.from_bytes(block[place : place + width], "little")
        if place + width > len(block):
            raise MalformedError
    start = len(found) - offset
    if offset == 0 or start < 0:
        raise MalformedError
    # A copy may reach into itself, which repeats the bytes between.
    part = found[start : start + size]
    found += (part * (size // len(part) + 1))[:size]
    return place + width
