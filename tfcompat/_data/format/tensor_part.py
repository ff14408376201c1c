"""Tensors that were saved in parts, as TensorFlow 1 saves partitioned variables: the names and ranges of the parts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tfcompat._core.system.error import DataLossError
from tfcompat._data.format.bundle_reader import Entry

Extents = Sequence[tuple[int, int]]
_END, _WHOLE = b"\0\x01", -1
_ESCAPES = {0: b"\0\xff", 255: b"\xff\0"}
# A number has seven bits in each byte; the first bits, as many as it has bytes, are set.
_BITS, _ONES, _HEAD = 7, 0xFFFF0000, 0xFFFF


def key_of(name: bytes, extents: Extents) -> bytes:
    """The name of a part of the tensor `name`, in which the order of bytes is that of numbers."""
    text = b"".join([_ESCAPES.get(byte, bytes([byte])) for byte in name])
    rank = bytes([1, len(extents)]) if extents else b"\0"
    numbers = [_signed(start) + _signed(length or _WHOLE) for start, length in extents]
    return b"".join([b"\0", text, _END, rank, *numbers])


def _signed(number: int) -> bytes:
    size = (number if number >= 0 else ~number).bit_length() // _BITS + 1
    content = number.to_bytes(size, "big", signed=True)
    head = (_ONES >> size & _HEAD).to_bytes(2, "big")
    return bytes([byte ^ mask for byte, mask in zip(content, head, strict=False)]) + content[2:]


def ranges_of(entry: Entry) -> list[tuple[slice, ...]]:
    """The ranges of the parts of a tensor.

    Raises: DataLossError unless they are in the tensor, and have as many elements as it.
    """
    found: list[tuple[slice, ...]] = []
    total = 0
    for extents in entry.slices:
        sizes = [length or size for (_, length), size in zip(extents, entry.shape, strict=False)]
        fits = all(
            start >= 0 and size >= 0 and start + size <= whole
            for (start, _), size, whole in zip(extents, sizes, entry.shape, strict=False)
        )
        if len(extents) != len(entry.shape) or not fits:
            raise DataLossError.of(f"A part is not in the tensor {entry.key!r}")
        found.append(tuple(slice(start, start + size) for (start, _), size in zip(extents, sizes, strict=True)))
        total += math.prod(sizes)
    if total != math.prod(entry.shape):
        raise DataLossError.of(f"The parts of the tensor {entry.key!r} are not the whole of it")
    return found
