"""The lists of values in the features of an example, one feature at a time."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from tfcompat._core.types.dtype import DType, float32, int64, string
from tfcompat._data.format.wire import MalformedError, expect, limit, size, span, varint

# Tags: field 1 as bytes, as a number, and as four bytes.
_BYTES_TAG, _NUMBER_TAG, _FOUR_BYTES_TAG = 0x0A, 0x08, 0x0D
_FOUR = 4


class Kind(IntEnum):
    """The tag of the list in a feature; NONE for a feature that has no list."""

    NONE = 0
    BYTES = 0x0A
    FLOAT = 0x12
    INT64 = 0x1A

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return {Kind.BYTES: string, Kind.FLOAT: float32, Kind.INT64: int64}[self]

    @property
    def noun(self) -> str:
        """The name of the values in error messages."""
        return {Kind.BYTES: "bytes", Kind.FLOAT: "float", Kind.INT64: "int64"}[self]

    @property
    def type_name(self) -> str:
        """The name of the data type in error messages."""
        return "string" if self is Kind.BYTES else self.noun


KINDS = {kind.dtype: kind for kind in (Kind.BYTES, Kind.FLOAT, Kind.INT64)}


def kind_of(data: bytes, place: int, end: int) -> Kind | None:
    """The kind of the feature at `place`; None for one that examples don't have."""
    if place >= end:
        return Kind.NONE
    found = data[place]
    return Kind(found) if found in (Kind.BYTES, Kind.FLOAT, Kind.INT64) else None


def values(data: bytes, place: int, end: int, kind: Kind, count: int | None = None) -> tuple[Any, int]:
    """The values of the list of `kind` whose length begins at `place`, and how many it declares.

    If `count` is known, no more floats than these are read; of a list of floats that declares more, all need not exist.

    Raises: MalformedError if the list is broken.
    """
    length, place = size(data, place, end)
    end = limit(place, length, end)
    if kind is Kind.BYTES:
        found = texts(data, place, end)
        return found, len(found)
    if place >= end:
        return [], 0
    if data[place] == _BYTES_TAG:
        return _packed(data, place + 1, end, kind, count)
    found = _floats(data, place, end) if kind is Kind.FLOAT else _numbers(data, place, end)
    return found, len(found)


def texts(data: bytes, place: int, end: int) -> list[bytes]:
    """The strings of a list. Raises MalformedError if it is broken."""
    found: list[bytes] = []
    while place < end:
        place, after = span(data, expect(data, place, end, _BYTES_TAG), end)
        found.append(data[place:after])
        place = after
    return found


def _packed(data: bytes, place: int, end: int, kind: Kind, count: int | None) -> tuple[Any, int]:
    """Values without tags between them. What follows them is ignored."""
    length, place = size(data, place, end)
    end = limit(place, length, end)
    if kind is Kind.INT64:
        found = _packed_numbers(data, place, end)
        return found, len(found)
    declared = length // _FOUR
    read = declared if count is None else min(declared, count)
    if place + read * _FOUR > end:
        raise MalformedError
    return np.frombuffer(data[place : place + read * _FOUR], "<f4"), declared


def values_in_sequence(data: bytes, place: int, end: int, kind: Kind) -> tuple[Any, int]:
    """The values of the list of `kind` whose length begins at `place`, and the position after those that were read.

    Unlike in an example, floats that are cut at the end of a message are as many as there are.

    Raises: MalformedError if the list is broken.
    """
    length, place = size(data, place, end)
    end = limit(place, length, end)
    if kind is Kind.BYTES:
        return texts(data, place, end), end
    if place >= end:
        return [], place
    if data[place] != _BYTES_TAG:
        return (_floats if kind is Kind.FLOAT else _numbers)(data, place, end), end
    length, place = size(data, place + 1, end)
    end = limit(place, length, end)
    if kind is Kind.INT64:
        return _packed_numbers(data, place, end), end
    if (end - place) % _FOUR:
        raise MalformedError
    return np.frombuffer(data[place:end], "<f4"), end


def _packed_numbers(data: bytes, place: int, end: int) -> list[int]:
    found: list[int] = []
    while place < end:
        number, place = varint(data, place, end)
        found.append(_signed(number))
    return found


def _floats(data: bytes, place: int, end: int) -> Any:
    parts: list[bytes] = []
    while place < end:
        place = expect(data, place, end, _FOUR_BYTES_TAG)
        if place + _FOUR > end:
            raise MalformedError
        parts.append(data[place : place + _FOUR])
        place += _FOUR
    return np.frombuffer(b"".join(parts), "<f4")


def _numbers(data: bytes, place: int, end: int) -> list[int]:
    found: list[int] = []
    while place < end:
        number, place = varint(data, expect(data, place, end, _NUMBER_TAG), end)
        found.append(_signed(number))
    return found


def _signed(number: int) -> int:
    return number - (number >> 63 << 64)
