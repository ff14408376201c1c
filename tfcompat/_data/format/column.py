"""Serialized examples, all rows of a block at a time: each step of the parser reads one number or tag of every row.

Only the layout that protocol buffers write is read in this way. For any other input the answer is None, and the
examples are to be read one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tfcompat._data.format.rule import Column, Rule
from tfcompat._data.format.value_list import Kind, texts
from tfcompat._data.format.wire import MalformedError

_FIRST, _SECOND = 0x0A, 0x12
_CONTINUED = 0x80
# Numbers of this many bytes are below 2**28, more than the length of any example that is read here.
_MOST_LENGTH_BYTES = 4
_MOST_BYTES = 10
_FOUR = 4


class _OtherLayoutError(Exception):
    """The rows are to be read one by one."""


class _Cursor:
    """Places in joined bytes, one for each row, which advance together."""

    def __init__(self, data: bytes, places: np.ndarray) -> None:
        self.data = data
        self.bytes = np.frombuffer(data, np.uint8)
        self.places = places

    def expect(self, tag: int) -> None:
        """Advances over a tag, which every row must have."""
        if (self.bytes[self.places] != tag).any():
            raise _OtherLayoutError
        self.places = self.places + 1

    def length(self) -> np.ndarray:
        """The number at each place."""
        found = self.bytes[self.places]
        self.places = self.places + 1
        if not (found & _CONTINUED).any():
            return found.astype(np.int64)
        value = (found & 0x7F).astype(np.int64)
        goes_on = found >= _CONTINUED
        for count in range(1, _MOST_LENGTH_BYTES):
            part = np.where(goes_on, self.bytes[self.places], 0)
            value |= (part & 0x7F).astype(np.int64) << 7 * count
            self.places = self.places + goes_on
            goes_on = part >= _CONTINUED
            if not goes_on.any():
                return value
        raise _OtherLayoutError

    def require_end(self, lengths: np.ndarray, ends: np.ndarray) -> None:
        """Raises an error unless a message of `lengths` ends at `ends`."""
        if (self.places + lengths != ends).any():
            raise _OtherLayoutError


class _Found:
    """Where the rows have a feature: row numbers, and starts and ends of its messages."""

    def __init__(self) -> None:
        self.rows: list[np.ndarray] = []
        self.starts: list[np.ndarray] = []
        self.ends: list[np.ndarray] = []

    def add(self, rows: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> None:
        """Adds a feature of further rows."""
        self.rows.append(rows)
        self.starts.append(starts)
        self.ends.append(ends)

    def in_order(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows in ascending order. No row may have the feature twice."""
        if len(self.rows) == 1:
            return self.rows[0], self.starts[0], self.ends[0]
        rows = np.concatenate(self.rows)
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        if (rows[1:] == rows[:-1]).any():
            raise _OtherLayoutError
        return rows, np.concatenate(self.starts)[order], np.concatenate(self.ends)[order]


def columns(rows: Sequence[bytes], rules: Mapping[bytes, Rule]) -> dict[bytes, Column] | None:
    """The columns of the features in `rows`; None if the rows are to be read one by one."""
    try:
        # Reads beyond the last row find zeros, and no tag is zero.
        data = b"".join([*rows, bytes(_MOST_BYTES)])
        found = _features(data, np.fromiter(map(len, rows), np.int64, len(rows)), rules)
        return {key: _column(data, found[key], rule.kind, len(rows)) for key, rule in rules.items()}
    except _OtherLayoutError:
        return None


def _features(data: bytes, lengths: np.ndarray, rules: Mapping[bytes, Rule]) -> dict[bytes, _Found]:
    found = {key: _Found() for key in rules}
    row_ends = np.cumsum(lengths)
    rows = np.flatnonzero(lengths)
    ends = row_ends[rows]
    cursor = _Cursor(data, (row_ends - lengths)[rows])
    if len(rows):
        cursor.expect(_FIRST)
        cursor.require_end(cursor.length(), ends)
    while len(rows):
        inside = cursor.places < ends
        if not inside.all():
            rows, ends, cursor.places = rows[inside], ends[inside], cursor.places[inside]
            continue
        cursor.expect(_FIRST)
        size = cursor.length()
        entry_ends = cursor.places + size
        if (entry_ends > ends).any():
            raise _OtherLayoutError
        cursor.expect(_FIRST)
        key_sizes = cursor.length()
        key_starts = cursor.places
        cursor.places = key_starts + key_sizes
        if (cursor.places >= entry_ends).any():
            raise _OtherLayoutError
        cursor.expect(_SECOND)
        cursor.require_end(cursor.length(), entry_ends)
        _share_out(found, cursor, rows, key_starts, key_sizes, entry_ends)
        cursor.places = entry_ends
    return found


def _share_out(
    found: Mapping[bytes, _Found],
    cursor: _Cursor,
    rows: np.ndarray,
    key_starts: np.ndarray,
    key_sizes: np.ndarray,
    ends: np.ndarray,
) -> None:
    """Adds the features of `rows`, which begin at the cursor, to those of their keys."""
    start, size = int(key_starts[0]), int(key_sizes[0])
    first = cursor.data[start : start + size]
    is_same = (key_sizes == size).all()
    if is_same and (cursor.bytes[key_starts[:, None] + np.arange(size)] == np.frombuffer(first, np.uint8)).all():
        if first in found:
            found[first].add(rows, cursor.places, ends)
        return
    of_key: dict[bytes, list[int]] = {}
    for k, (place, count) in enumerate(zip(key_starts.tolist(), key_sizes.tolist(), strict=True)):
        of_key.setdefault(cursor.data[place : place + count], []).append(k)
    for key, listed in of_key.items():
        if key in found:
            found[key].add(rows[listed], cursor.places[listed], ends[listed])


def _column(data: bytes, found: _Found, kind: Kind, count: int) -> Column:
    lengths = np.zeros(count, np.int64)
    present = np.zeros(count, np.bool_)
    if not found.rows:
        return Column(np.empty(0, kind.dtype.as_numpy_dtype), lengths, present)
    rows, starts, ends = found.in_order()
    cursor = _Cursor(data, starts)
    cursor.expect(kind)
    sizes = cursor.length()
    cursor.require_end(sizes, ends)
    present[rows] = True
    if kind is Kind.BYTES:
        parsed, lengths[rows] = _texts(cursor, sizes, ends)
        return Column(parsed, lengths, present)
    full = sizes > 0
    if not full.all():
        rows, ends, cursor.places = rows[full], ends[full], cursor.places[full]
    cursor.expect(_FIRST)
    sizes = cursor.length()
    cursor.require_end(sizes, ends)
    joined = b"".join([data[a:b] for a, b in zip(cursor.places.tolist(), ends.tolist(), strict=True)])
    parsed, lengths[rows] = _floats(joined, sizes) if kind is Kind.FLOAT else _numbers(joined, sizes)
    return Column(parsed, lengths, present)


def _floats(joined: bytes, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if (sizes % _FOUR).any():
        raise _OtherLayoutError
    return np.frombuffer(joined, "<f4") if joined else np.empty(0, np.float32), sizes // _FOUR


def _numbers(joined: bytes, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of up to ten bytes, of which the last is below 128."""
    parts = np.frombuffer(joined, np.uint8)
    is_last = parts < _CONTINUED
    if is_last.all():
        return parts.astype(np.int64), sizes
    # The number of numbers before each byte; a row must end with a number.
    until = np.zeros(len(parts) + 1, np.int64)
    np.cumsum(is_last, out=until[1:])
    ends = np.cumsum(sizes)
    if not is_last[ends[sizes > 0] - 1].all():
        raise _OtherLayoutError
    lasts = np.flatnonzero(is_last)
    starts = np.concatenate([[0], lasts[:-1] + 1])
    widths = lasts - starts + 1
    if widths.max() > _MOST_BYTES:
        raise _OtherLayoutError
    shifts = (np.arange(len(parts)) - np.repeat(starts, widths)) * 7
    shifted = (parts & 0x7F).astype(np.uint64) << shifts.astype(np.uint64)
    return np.bitwise_or.reduceat(shifted, starts).view(np.int64), until[ends] - until[ends - sizes]


def _texts(cursor: _Cursor, sizes: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Strings. Where each row has one, its length is that of the rest."""
    data = cursor.data
    starts = cursor.places
    if (sizes >= 2).all() and (cursor.bytes[starts] == _FIRST).all():
        cursor.places = starts + 1
        lengths = cursor.length()
        if (cursor.places + lengths == ends).all():
            found = np.empty(len(ends), object)
            found[:] = [data[a:b] for a, b in zip(cursor.places.tolist(), ends.tolist(), strict=True)]
            return found, np.ones(len(ends), np.int64)
    try:
        listed = [texts(data, a, b) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    except MalformedError:
        raise _OtherLayoutError from None
    found = np.empty(sum(map(len, listed)), object)
    found[:] = [text for parts in listed for text in parts]
    return found, np.fromiter(map(len, listed), np.int64, len(listed))
