"""The values that the body of a loop captures: arguments of its trace, or parts of the trace's key."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from types import CellType, FunctionType
from typing import Any

from tfcompat._core.structure.tensor import Tensor
from tfcompat._function.arguments.element import ElementSource

_EMPTY: Any = object()
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Captures:
    """The values that functions and the local functions among them capture.

    Attributes:
      arguments: the tensors and the iterators.
      key: equal for functions that differ in these only.
    """

    def __init__(self, functions: Iterable[Any], own: set[int]) -> None:
        """Without the variables whose cells have the ids `own`."""
        self.arguments: list[Any] = []
        self._cells: list[CellType] = []
        self._seen = own
        self.key = tuple([self._of(function) for function in functions])

    def _of(self, function: Any) -> Any:
        """The part of the key for `function`."""
        return (function.__code__, *[self._of_cell(cell) for cell in cells_of(function)])

    def _of_cell(self, cell: CellType) -> Any:
        if id(cell) in self._seen:
            return None
        self._seen.add(id(cell))
        try:
            value = cell.cell_contents
        except ValueError:
            return _EMPTY
        if type(value) is Tensor or isinstance(value, ElementSource):
            self.arguments.append(value)
            self._cells.append(cell)
            return type(value)
        if isinstance(value, _PLAIN):
            return type(value), "nan" if value != value else value
        if type(value).__name__ == "FunctionScope":  # of AutoGraph, one for each call
            return type(value)
        if _is_local(value):
            return self._of(value)
        return _Same(value)

    def replaced(self, values: list[Any]) -> _Replaced:
        """A context in which `values` are captured in place of `arguments`."""
        return _Replaced(self._cells, values)


class _Same:
    """An object that the body captures, as a key. An object that can't be referenced weakly is held."""

    __slots__ = ("_hash", "_reference")

    def __init__(self, value: Any) -> None:
        self._hash = id(value)
        try:
            self._reference: Callable[[], Any] = weakref.ref(value)
        except TypeError:
            self._reference = lambda: value

    def __eq__(self, other: object) -> bool:
        found = self._reference()
        return isinstance(other, _Same) and found is not None and found is other._reference()

    def __hash__(self) -> int:
        return self._hash


class _Replaced:
    def __init__(self, cells: list[CellType], values: list[Any]) -> None:
        self._cells = cells
        self._values = values

    def __enter__(self) -> None:
        self._swap()

    def __exit__(self, *_: object) -> None:
        self._swap()

    def _swap(self) -> None:
        for k, cell in enumerate(self._cells):
            cell.cell_contents, self._values[k] = self._values[k], cell.cell_contents


def _is_local(value: Any) -> bool:
    """Whether `value` is a function whose code and captured values determine its result."""
    if type(value) is not FunctionType or not value.__closure__:
        return False
    return not (value.__defaults__ or value.__kwdefaults__ or hasattr(value, "__wrapped__"))


def cells_of(function: Any) -> tuple[CellType, ...]:
    """The cells of the variables that `function` captures."""
    return getattr(function, "__closure__", None) or ()
