"""Conversion of the fields of CSV records to columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import InvalidArgumentError
from tfcompat._core.types.dtype import FLOATING, DType, int32, string
from tfcompat._data.blocks.block import Block
from tfcompat._data.datasets.csv.text import Field, Table
from tfcompat._ops.text.number import real, whole_of

_WHOLE, _REAL = b"0123456789+-", b"0123456789+-.eE"
_KERNEL_NAMES = {"float32": "float", "float64": "double"}


class FieldRule:
    """How the fields of a column are read.

    Attributes:
      default: the value of an empty field; None if it is required.
    """

    def __init__(self, default: Tensor, missing: bytes) -> None:
        self.dtype: DType = default.dtype
        values = default.__array__().ravel().tolist()
        self.default: Any = values[0] if values else None
        self._missing = missing
        self._parse: Callable[[bytes], Any] = real if self.dtype in FLOATING else whole_of(self.dtype)

    def value(self, field: bytes, place: int) -> Any:
        """The value of a field of the column `place`. Raises InvalidArgumentError if it has none."""
        if not field or field == self._missing:
            if self.default is None:
                raise InvalidArgumentError.of(f"Field {place} is required but missing in record!")
            return self.default
        if self.dtype is string:
            return field
        try:
            return self._parse(field.strip())
        except InvalidArgumentError:
            kind = _KERNEL_NAMES.get(self.dtype.name, self.dtype.name)
            shown = field.decode(errors="replace")
            raise InvalidArgumentError.of(f"Field {place} in record is not a valid {kind}: {shown}") from None

    def column(self, fields: list[bytes]) -> np.ndarray[Any, Any] | None:
        """The values of many fields; None if one has none."""
        has_missing = b"" in fields or (self._missing and self._missing in fields)
        if has_missing and self.default is None:
            return None
        if self.dtype is string:
            if has_missing:
                fields = [self.default if not field or field == self._missing else field for field in fields]
            return self.array(fields)
        is_real = self.dtype in FLOATING
        try:
            if has_missing or b"".join(fields).translate(None, _REAL if is_real else _WHOLE):
                return self.array([self.value(field, 0) for field in fields])
            return self.array(list(map(float if is_real else int, fields)))
        except (InvalidArgumentError, ValueError, OverflowError):
            return None

    def array(self, values: Sequence[Any]) -> np.ndarray[Any, Any]:
        """The array of values. Raises OverflowError if one does not fit."""
        if self.dtype is string:
            found = np.empty(len(values), object)
            found[:] = values
            return found
        if self.dtype is int32:
            wide = np.array(values, np.int64)
            if len(wide) and (wide.min() < int32.min or wide.max() > int32.max):
                raise OverflowError
            return wide.astype(np.int32)
        with np.errstate(over="ignore"):
            return np.array(values, np.float64 if self.dtype in FLOATING else np.int64).astype(
                self.dtype.as_numpy_dtype
            )


class Selection(NamedTuple):
    """The columns that are read: those in `selected`, or else all that are not in `excluded`."""

    selected: tuple[int, ...]
    excluded: tuple[int, ...]

    def places(self, width: int) -> list[int]:
        """The places of the selected fields among `width` of them."""
        if self.selected:
            return [place for place in self.selected if place < width]
        return [place for place in range(width) if place not in self.excluded]


class Converter:
    """Makes blocks of records, and errors."""

    def __init__(self, rules: Sequence[FieldRule], selection: Selection) -> None:
        self._rules = rules
        self._selection = selection

    def outcomes(self, part: Table | list[list[Field]]) -> list[Block | Exception]:
        """The records of a part of a file: blocks, and errors in the places of their records."""
        if isinstance(part, Table):
            block = self._block(part)
            if block is not None:
                return [block]
            part = part.rows()
        return self._one_by_one(part)

    def _block(self, table: Table) -> Block | None:
        """The block of a table; None if a record has an error."""
        places = self._selection.places(table.width)
        if len(places) != len(self._rules):
            return None
        columns: list[np.ndarray[Any, Any]] = []
        for rule, place in zip(self._rules, places, strict=True):
            column = rule.column(table.fields[place :: table.width])
            if column is None:
                return None
            columns.append(column)
        return Block(tuple(columns), len(columns[0]))

    def _one_by_one(self, rows: list[list[Field]]) -> list[Block | Exception]:
        found: list[Block | Exception] = []
        good: list[list[Any]] = []
        for row in rows:
            try:
                good.append(self._values(row))
            except InvalidArgumentError as error:
                found += self._joined(good)
                found.append(error)
                good = []
        return found + self._joined(good)

    def _joined(self, rows: list[list[Any]]) -> list[Block]:
        if not rows:
            return []
        columns = zip(self._rules, zip(*rows, strict=True), strict=True)
        return [Block(tuple([rule.array(column) for rule, column in columns]), len(rows))]

    def _values(self, row: list[Field]) -> list[Any]:
        """The values of a record. Raises the error that TensorFlow finds first."""
        wanted = len(self._rules)
        places = set(self._selection.places(len(row)))
        values: list[Any] = []
        for place, field in enumerate(row):
            if isinstance(field, InvalidArgumentError):
                raise field
            if place in places:
                if len(values) == wanted:
                    raise InvalidArgumentError.of(f"Expect {wanted} fields but have more in record")
                values.append(self._rules[len(values)].value(field, len(values)))
        if len(values) != wanted:
            raise InvalidArgumentError.of(f"Expect {wanted} fields but have {len(values)} in record")
        return values
