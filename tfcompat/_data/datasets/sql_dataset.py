"""Datasets of the rows of queries of SQLite databases."""

from __future__ import annotations

import math
import re
import sqlite3
from itertools import islice
from typing import Any
from urllib.parse import quote

import numpy as np

from tfcompat._core.structure.spec import TensorSpec
from tfcompat._core.system.error import InvalidArgumentError, UnknownError
from tfcompat._core.types.dtype import DType, as_dtype, bool_, float64, int8, int16, int32, int64, string, uint8, uint16
from tfcompat._data.blocks.block import Block
from tfcompat._data.blocks.nesting import flatten, mapped
from tfcompat._data.blocks.structure import Structure
from tfcompat._data.datasets.dataset import Dataset
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import UNKNOWN, Node
from tfcompat._data.nodes.source import scalar_string

_DTYPES = (string, int8, int16, int32, int64, uint8, uint16, bool_, float64)
# SQLite reads the number that a text begins with.
_NUMBER = re.compile(rb"\s*([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|[-+]?\.\d+(?:[eE][-+]?\d+)?)")
_INTEGER = re.compile(rb"\s*([-+]?\d+)")
_LEAST, _MOST = -(2**63), 2**63 - 1


class SqlDataset(Dataset):
    """The rows that `query` finds in the SQLite database in the file `data_source_name`, which is only read.

    `output_types` is a structure with the dtype of each column: bool, float64, string, or a type of integers but uint32
    and uint64. Values are converted as SQLite does: a missing one is 0 or an empty string.

    Raises: InvalidArgumentError for another `driver_name` than "sqlite", or another dtype. When rows are read:
      UnknownError for a query or a file that SQLite refuses; InvalidArgumentError for another number of columns.
    Source: TF 2.21 `tf.data.experimental.SqlDataset`.
    """

    def __init__(self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any) -> None:
        spec = mapped(lambda dtype: TensorSpec([], as_dtype(dtype)), output_types)
        driver = scalar_string(driver_name, "driver_name")
        if driver != "sqlite":
            raise InvalidArgumentError.of(
                f"The database type, {driver}, is not supported by SqlDataset. The set of supported databases is: "
                "{'sqlite'}."
            )
        if any(each.dtype not in _DTYPES for each in flatten(spec)):
            names = ", ".join(dtype.name for dtype in _DTYPES)
            raise InvalidArgumentError.of(f"Each element of `output_types_` must be one of: {names}")
        path, text = scalar_string(data_source_name, "data_source_name"), scalar_string(query, "query")
        self._node = _Rows(Structure(spec), path, text)


class _Rows(Node):
    """The rows of a query."""

    label = "SqlDatasetV2"

    def __init__(self, structure: Structure, path: str, query: str) -> None:
        super().__init__(structure)
        self.path = path
        self.query = query

    def count(self) -> int:
        return UNKNOWN

    def cursor(self) -> Cursor:
        return _RowCursor(self)


class _RowCursor(Cursor):
    """Reads rows from a connection of its own, which ends with it.

    Attributes:
      _count: the number of rows that were read.
      _connection: closed when the last row was read.
    """

    saved = ("_count",)

    def __init__(self, node: _Rows) -> None:
        self._connection: sqlite3.Connection | None = None
        self._node = node
        self._dtypes: list[DType] = [part.spec.dtype for part in node.structure.components]
        self._count = 0
        self._found: sqlite3.Cursor | None = None
        self._has_ended = False
        self._error: sqlite3.Error | None = None

    def read(self, most: int) -> Block | None:
        if self._has_ended:
            return None
        try:
            if self._found is None:
                self._found = self._executed()
            rows = self._rows(self._found, most)
        except sqlite3.Error as bad:
            if "readonly" in str(bad):
                raise self._columns_error(0) from bad
            raise UnknownError.of(f"Prepare() failed: {bad}: {self._node.query}") from bad
        if not rows:
            self._has_ended = True
            self._close()
            return None
        self._count += len(rows)
        columns = zip(*rows, strict=True)
        found = [_column(column, dtype) for column, dtype in zip(columns, self._dtypes, strict=True)]
        return Block(tuple(found), len(rows))

    def _rows(self, found: sqlite3.Cursor, most: int) -> list[Any]:
        """The next rows, at most `most`; an error after some of them is raised by the next call."""
        error, self._error = self._error, None
        if error is not None:
            raise error
        rows: list[Any] = []
        try:
            rows.extend(islice(found, most))
        except sqlite3.Error as bad:
            if not rows:
                raise
            self._error = bad
        return rows

    def _executed(self) -> sqlite3.Cursor:
        """The rows behind those that were read."""
        place = f"file:{quote(self._node.path)}?mode=ro"
        self._connection = sqlite3.connect(place, uri=True, check_same_thread=False)
        self._connection.text_factory = bytes
        found = self._connection.execute(self._node.query)
        count = len(found.description or ())
        if count != len(self._dtypes):
            raise self._columns_error(count)
        next(islice(found, self._count, self._count), None)
        return found

    def _columns_error(self, count: int) -> InvalidArgumentError:
        return InvalidArgumentError.of(
            f"The number of columns in query ({count}) must match the number of elements in output_types "
            f"({len(self._dtypes)})"
        )

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._close()
        self._has_ended = False

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._found = None

    def __del__(self) -> None:
        self._close()


def _column(values: Any, dtype: DType) -> np.ndarray:
    """The values of a column."""
    if dtype is string:
        found = np.empty(len(values), object)
        found[:] = [_text(value) for value in values]
        return found
    if dtype is float64:
        return np.array([float(_number(value, _NUMBER)) for value in values])
    numbers = [_number(value, _INTEGER) for value in values]
    whole = np.array([int(max(_LEAST, min(number, _MOST))) for number in numbers], np.int64)
    # As in TensorFlow, integers that are too large for a smaller type wrap around.
    return whole.astype(dtype.as_numpy_dtype)


def _text(value: Any) -> bytes:
    if value is None:
        return b""
    if not isinstance(value, float):
        return value if isinstance(value, bytes) else str(value).encode()
    # As SQLite writes numbers: 15 digits, with a point.
    if math.isinf(value):
        return b"Inf" if value > 0 else b"-Inf"
    digits, power, exponent = f"{value:.15g}".partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{power}{exponent}".encode()


def _number(value: Any, pattern: re.Pattern[bytes]) -> Any:
    """A number, the one that a text begins with, or 0."""
    if isinstance(value, bytes):
        found = pattern.match(value)
        return (int if pattern is _INTEGER else float)(found[1]) if found else 0
    return value or 0
