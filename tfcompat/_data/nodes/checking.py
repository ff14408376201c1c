"""Datasets that check their input, or pass over its errors: `assert_cardinality`, `ignore_errors`."""

from __future__ import annotations

import logging

from tfcompat._core.system.error import FailedPreconditionError
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._data.blocks.block import Block
from tfcompat._data.nodes.cursor import Cursor
from tfcompat._data.nodes.node import INFINITE, UNKNOWN, Node, Unary

_logger = logging.getLogger("tensorflow")


class Checked(Unary):
    """The elements of a dataset that is said to have `number` of them, which is checked at its end."""

    label = "_AssertCardinalityDataset"

    def __init__(self, source: Node, number: int) -> None:
        super().__init__(source)
        self.number = number

    def count(self) -> int:
        return self.number

    def cursor(self) -> Cursor:
        return _Checked(self.source.cursor(), self.number)


class _Checked(Cursor):
    saved = ("_cursor", "_count")

    def __init__(self, cursor: Cursor, number: int) -> None:
        self._cursor = cursor
        self._number = number
        self._count = 0

    def is_possible(self) -> bool:
        return self._count >= 0

    def read(self, most: int) -> Block | None:
        is_bounded = self._number != INFINITE
        block = self._cursor.read(min(most, max(1, self._number - self._count)) if is_bounded else most)
        if block is not None:
            self._count += block.count
            if is_bounded and self._count > self._number:
                raise self._error(f"at least {_elements(self._count)}")
        elif self._count != self._number:
            raise self._error(f"only {_elements(self._count)}")
        return block

    def ends_silently(self) -> bool:
        return False

    def _error(self, found: str) -> Exception:
        wanted = _elements(self._number)
        return FailedPreconditionError.of(f"Input dataset was expected to contain {wanted} but contained {found}.")


def _elements(number: int) -> str:
    if number == INFINITE:
        return "an infinite number of elements"
    return f"{number} element{'' if number == 1 else 's'}"


class WithoutErrors(Unary):
    """The elements that have no error."""

    label = "_IgnoreErrorsDataset"

    def __init__(self, source: Node, log_warning: bool) -> None:
        super().__init__(source)
        self.log_warning = log_warning

    def count(self) -> int:
        return self.source.cardinality if self.source.cardinality == INFINITE else UNKNOWN

    def cursor(self) -> Cursor:
        return _WithoutErrors(self.source.cursor(), self.log_warning)


class _WithoutErrors(Cursor):
    saved = ("_cursor",)

    def __init__(self, cursor: Cursor, log_warning: bool) -> None:
        self._cursor = cursor
        self._log_warning = log_warning

    def read(self, most: int) -> Block | None:
        while True:
            try:
                return self._cursor.read(most)
            except Exception as error:
                if is_raised_by_handler(error):
                    raise
                if self._log_warning:
                    _logger.warning("Error raised with error message %s", error)
