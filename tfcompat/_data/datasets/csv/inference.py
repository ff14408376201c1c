"""The names and dtypes of the columns of CSV files, from their first records."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, NamedTuple

import numpy as np

from tfcompat._core.types.dtype import DType, float32, float64, int32, int64, string
from tfcompat._data.format.file_error import translated

# From the dtype with the fewest values to that with the most.
_DTYPES = (int32, int64, float32, float64, string)


class Probe(NamedTuple):
    """How the files are read to find the names and dtypes of their columns.

    Attributes:
      compression: `""`, `"GZIP"` or `"ZLIB"`.
    """

    names: Sequence[str]
    compression: str
    encoding: str
    field_delim: str
    use_quote_delim: bool

    def _rows(self, name: str) -> Iterator[list[str]]:
        """The records of a file, as Python's csv module divides it."""
        quoting = csv.QUOTE_MINIMAL if self.use_quote_delim else csv.QUOTE_NONE
        with translated(name), self._opened(name) as file:
            yield from csv.reader(file, delimiter=self.field_delim, quoting=quoting)

    def _opened(self, name: str) -> IO[str]:
        if self.compression == "GZIP":
            return gzip.open(name, "rt", encoding=self.encoding)
        return open(name, encoding=self.encoding, newline="\n")

    def column_names(self) -> list[str]:
        """The fields of the first record of all files. Raises ValueError if they differ, or a file is empty."""
        found: list[str] | None = None
        for name in self.names:
            first = next(self._rows(name), None)
            if first is None:
                raise ValueError(f"Failed when reading the header line of {name}. Is it an empty file?")
            if found is not None and first != found:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. File "
                    f"{name} has different column names."
                )
            found = first
        return found or []

    def dtypes(
        self, width: int, places: Sequence[int], na_value: str, number: int | None, *, has_header: bool
    ) -> list[DType]:
        """The dtypes of the columns `places` that suit the first `number` records, or all of them.

        Raises: ValueError if a record has not `width` fields.
        """
        found: list[DType | None] = [None] * len(places)
        for row in islice(self._records(width, has_header=has_header), number):
            for k, place in enumerate(places):
                if row[place] not in ("", na_value):
                    found[k] = _dtype_for(row[place], found[k])
        return [dtype or string for dtype in found]

    def _records(self, width: int, *, has_header: bool) -> Iterator[list[str]]:
        for name in self.names:
            for number, row in enumerate(self._rows(name), 1):
                if has_header and number == 1:
                    continue
                if len(row) != width:
                    raise ValueError(
                        f"Problem inferring types: CSV row {number} has {len(row)} number of fields. Expected: {width}."
                    )
                yield row


def _dtype_for(text: str, known: DType | None) -> DType:
    """The dtype with the fewest values that has those of a column of the dtype `known` and `text`."""
    first = 0 if known is None else _DTYPES.index(known)
    return next(dtype for dtype in _DTYPES[first:] if _CHECKS[dtype](text))


def _is_int32(text: str) -> bool:
    return _is_int64(text) and int32.min <= int(text) <= int32.max


def _is_int64(text: str) -> bool:
    try:
        return int64.min <= int(text) <= int64.max
    except ValueError:
        return False


def _is_below_infinity(kind: type[Any]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            with np.errstate(over="ignore"):
                return bool(kind(text) < np.inf)
        except ValueError:
            return False

    return check


_CHECKS: dict[DType, Callable[[str], bool]] = {
    int32: _is_int32,
    int64: _is_int64,
    float32: _is_below_infinity(np.float32),
    float64: _is_below_infinity(np.float64),
    string: lambda _: True,
}
