"""Division of the text of CSV files into records and fields, as TensorFlow's kernel divides it.

A record ends with a line feed, a carriage return, both, or the file. An error in a record takes the place of its field;
the record after it is read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import numpy as np

from tfcompat._core.system.error import InvalidArgumentError

Field = bytes | InvalidArgumentError
_QUOTE, _RETURN, _FEED = b'"\r\n'
_CHUNK, _MOST_CHUNK = 1 << 18, 1 << 26
_MOST_ROWS = 1024


class Table:
    """Records that have one number of fields.

    Attributes:
      fields: all fields, record by record.
      width: the number of fields of a record.
    """

    def __init__(self, fields: list[bytes], width: int) -> None:
        self.fields = fields
        self.width = width

    def rows(self) -> list[list[Field]]:
        """The fields of each record."""
        return [list(self.fields[start : start + self.width]) for start in range(0, len(self.fields), self.width)]


class CsvText:
    """The records of a file."""

    def __init__(self, file: BinaryIO, delimiter: bytes, *, has_quotes: bool) -> None:
        self._file = file
        self._delimiter = delimiter
        self._has_quotes = has_quotes
        self._plain = re.compile(b"[^\r\n" + re.escape(delimiter) + b"]*")
        quoted = b'"(?:[^"]|"")*+"|[^"\r\n' + re.escape(delimiter) + b"]*+"
        self._well_formed = re.compile(b"(" + quoted + b")(" + re.escape(delimiter) + b"|\r\n?|\n)")
        self._data = b""
        self._place = 0
        # Up to here, records are read one by one.
        self._end_of_irregular = 0
        self._is_complete = False

    def record(self) -> list[Field] | None:
        """The fields of the next record; None at the end of the file."""
        while True:
            if self._place < len(self._data):
                found = self._record(self._place)
                if found is not None:
                    fields, self._place = found
                    return fields
            elif self._is_complete:
                return None
            self._fill()

    def parts(self) -> Iterator[Table | list[list[Field]]]:
        """The rest of the file: tables, and the records between that have quotes or other numbers of fields."""
        rows: list[list[Field]] = []
        while True:
            table = self._quoted_table()
            if table is not None:
                if rows:
                    yield rows
                    rows = []
                yield table
                continue
            stop = self._end_of_plain()
            if stop > self._place:
                if rows:
                    yield rows
                    rows = []
                yield from self._divided(self._data[self._place : stop])
                self._place = stop
            fields = self.record()
            if fields is None:
                break
            rows.append(fields)
            if len(rows) >= _MOST_ROWS:
                yield rows
                rows = []
        if rows:
            yield rows

    def _fill(self) -> None:
        """Reads as much again as is left, and at least a chunk."""
        rest = self._data[self._place :]
        piece = self._file.read(min(max(len(rest), _CHUNK), _MOST_CHUNK))
        self._is_complete = not piece
        self._end_of_irregular -= self._place
        self._data, self._place = rest + piece, 0

    def _quoted_table(self) -> Table | None:
        """The lines that have been read, if they have quotes, are well-formed, and have one number of fields."""
        start, end = self._place, self._data.rfind(b"\n", self._place) + 1
        text = self._data[start:end]
        if not self._has_quotes or end <= start or start < self._end_of_irregular or b'"' not in text:
            return None
        self._end_of_irregular = end
        pairs = self._well_formed.findall(text) if text.count(b'"') % 2 == 0 else []
        # Malformed parts are missing among the pairs.
        if not pairs or sum(map(len, chain.from_iterable(pairs))) < len(text):
            return None
        is_last = [separator != self._delimiter for _, separator in pairs]
        width = is_last.index(True) + 1
        if len(pairs) % width or sum(is_last) * width != len(pairs) or not all(is_last[width - 1 :: width]):
            return None
        self._place = end
        return Table([_unquoted(field) if field[:1] == b'"' else field for field, _ in pairs], width)

    def _end_of_plain(self) -> int:
        """The end of the complete records from here on that have no quotes."""
        data = self._data
        end = data.find(b'"', self._place) if self._has_quotes else -1
        if end < 0:
            end = len(data)
            if self._is_complete:
                return end
        # A carriage return at the end may be the half of a line's end.
        after_feed = data.rfind(b"\n", self._place, end) + 1
        return after_feed or data.rfind(b"\r", self._place, max(end - 1, self._place)) + 1

    def _divided(self, text: bytes) -> Iterator[Table | list[list[Field]]]:
        """The records of a text without quotes."""
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        text = text.removesuffix(b"\n")
        width = text.partition(b"\n")[0].count(self._delimiter) + 1
        if self._is_table(text, width):
            yield Table(text.replace(b"\n", self._delimiter).split(self._delimiter), width)
        else:
            lines = text.split(b"\n")
            for start in range(0, len(lines), _MOST_ROWS):
                yield [list(line.split(self._delimiter)) for line in lines[start : start + _MOST_ROWS]]

    def _is_table(self, text: bytes, width: int) -> bool:
        """Whether all lines have `width` fields."""
        codes = np.frombuffer(text, np.uint8)
        separators = codes[(codes == _FEED) | (codes == self._delimiter[0])]
        kinds = np.append(separators, np.uint8(_FEED)) == _FEED
        if len(kinds) % width:
            return False
        table = kinds.reshape(-1, width)
        return bool(table[:, -1].all() and not table[:, :-1].any())

    def _record(self, place: int) -> tuple[list[Field], int] | None:
        """The record at `place`, and the place after it; None if its end has not been read yet."""
        data, size = self._data, len(self._data)
        fields: list[Field] = []
        while True:
            if self._has_quotes and place < size and data[place] == _QUOTE:
                found = self._quoted(place)
                if found is None:
                    return None
                field, end = found
            else:
                matched = self._plain.match(data, place)
                assert matched is not None
                field, end = matched[0], matched.end()
                if self._has_quotes and _QUOTE in field:
                    field = InvalidArgumentError.of("Unquoted fields cannot have quotes inside")
            if end >= size - 1 and not self._is_complete and data[end : end + 1] not in (b"\n", self._delimiter):
                return None
            fields.append(field)
            if end == size:
                return fields, end
            place = end + 1
            if data[end] == _FEED:
                return fields, place
            if data[end] == _RETURN:
                return fields, place + (data[place : place + 1] == b"\n")

    def _quoted(self, place: int) -> tuple[Field, int] | None:
        """The quoted field at `place`, and the place of the delimiter or the end of the line after it."""
        data, size = self._data, len(self._data)
        start = place = place + 1
        error: InvalidArgumentError | None = None
        while True:
            quote = data.find(b'"', place)
            place = quote + 2
            if not self._is_complete and (quote < 0 or quote + 1 == size):
                return None
            if quote < 0:
                message = "Reached end of file without closing quoted field in record"
                return InvalidArgumentError.of(message), size
            after = data[quote + 1 : quote + 2]
            if after in (b"", b"\n", b"\r", self._delimiter):
                return error or data[start:quote].replace(b'""', b'"'), quote + 1
            if after != b'"':
                error = InvalidArgumentError.of("Quote inside a string has to be escaped by another quote")


def _unquoted(field: bytes) -> bytes:
    """The text of a field with its quotes."""
    return field[1:-1].replace(b'""', b'"')
