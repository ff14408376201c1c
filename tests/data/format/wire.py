"""Messages of examples, written byte by byte."""

from __future__ import annotations

import struct
from typing import Any

Feature = tuple[str, list[Any]]
TAGS = {"bytes": 1, "float": 2, "int64": 3}


def varint(value: int) -> bytes:
    """A number in groups of seven bits."""
    value &= (1 << 64) - 1
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def field(number: int, content: bytes) -> bytes:
    """A field of bytes."""
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def feature(kind: str, values: list[Any], *, is_packed: bool = True) -> bytes:
    """A feature with a list of `kind`."""
    if kind == "bytes":
        return field(1, b"".join(field(1, value) for value in values))
    parts = [struct.pack("<f", value) if kind == "float" else varint(value) for value in values]
    tag = b"\x0d" if kind == "float" else b"\x08"
    listed = field(1, b"".join(parts)) if is_packed and parts else b"".join(tag + part for part in parts)
    return field(TAGS[kind], listed)


def entry(key: bytes, content: bytes) -> bytes:
    """An entry of a map."""
    return field(1, field(1, key) + field(2, content))


def features(given: dict[str, Feature]) -> bytes:
    """The message of a map of features."""
    return b"".join(entry(key.encode(), feature(*each)) for key, each in given.items())


def example(given: dict[str, Feature]) -> bytes:
    """An example."""
    return field(1, features(given))


def sequence(context: dict[str, Feature], lists: dict[str, list[Feature]]) -> bytes:
    """A sequence example."""
    listed = b"".join(
        entry(key.encode(), b"".join(field(1, feature(*each)) for each in rows)) for key, rows in lists.items()
    )
    return field(1, features(context)) + field(2, listed)
