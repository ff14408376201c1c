"""The wire format of protocol buffers, read as leniently as TensorFlow's parser of examples reads it.

A length that reaches beyond the enclosing message is cut at its end, and numbers may be longer than they need be.
"""

from __future__ import annotations

# Kinds of values, the lowest three bits of a tag.
_VARINT, _WORD, _BYTES, _HALF_WORD = 0, 1, 2, 5
_MOST_BYTES = 10
_MOST_SIGNED = 0x7FFF_FFFF


class MalformedError(Exception):
    """The bytes are not a message."""


def varint(data: bytes, place: int, end: int) -> tuple[int, int]:
    """The number of 64 bits that begins at `place`, and the position after it. Raises MalformedError if it is cut."""
    if place < end and data[place] < 0x80:
        return data[place], place + 1
    value = 0
    for count in range(_MOST_BYTES):
        if place >= end:
            break
        byte = data[place]
        value |= (byte & 0x7F) << 7 * count
        place += 1
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, place
    raise MalformedError


def size(data: bytes, place: int, end: int) -> tuple[int, int]:
    """The length that begins at `place`, 32 bits of a number, and the position after it."""
    value, place = varint(data, place, end)
    return value & 0xFFFF_FFFF, place


def limit(place: int, length: int, end: int) -> int:
    """The end of a message of `length` bytes at `place`, which is not beyond `end`."""
    return min(place + length, end) if length <= _MOST_SIGNED else end


def expect(data: bytes, place: int, end: int, tag: int) -> int:
    """The position after `tag`. Raises MalformedError if another tag begins at `place`."""
    if place >= end or data[place] != tag:
        raise MalformedError
    return place + 1


def span(data: bytes, place: int, end: int) -> tuple[int, int]:
    """The start and the end of the bytes whose length begins at `place`. Raises MalformedError if they are cut."""
    length, place = size(data, place, end)
    if place + length > end:
        raise MalformedError
    return place, place + length


def skip(data: bytes, place: int, end: int) -> int:
    """The position after the field that begins at `place`. Raises MalformedError for groups and broken fields."""
    tag, place = size(data, place, end)
    kind = tag & 7
    if kind == _VARINT:
        return varint(data, place, end)[1]
    if kind == _BYTES:
        length, place = size(data, place, end)
        return min(place + length, end) if length <= _MOST_SIGNED else place
    if kind not in (_WORD, _HALF_WORD):
        raise MalformedError
    place += 8 if kind == _WORD else 4
    if place > end:
        raise MalformedError
    return place
