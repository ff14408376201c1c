"""Counters and gauges of a process, in which libraries note their use: each has a cell for its labels."""

from __future__ import annotations

from typing import Any, ClassVar

_MOST_LABELS = 2


class Cell:
    """The number of a counter, or the value of a gauge, for some labels."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def value(self) -> Any:
        """The number or the value; before it is set 0, False or an empty string."""
        return self._value


class CounterCell(Cell):
    """A number that grows."""

    def increase_by(self, value: int) -> None:
        """Adds `value`, unless it is negative. Raises TypeError if it is not an integer."""
        if not isinstance(value, int):
            raise TypeError(f"Counter: the value must be an integer, got {value!r}.")
        self._value += max(value, 0)


class GaugeCell(Cell):
    """A value that is set."""

    def set(self, value: Any) -> None:
        """Sets the value. Raises TypeError for one of another type."""
        if not isinstance(value, type(self._value)):
            raise TypeError(f"The value of the gauge must be of type {type(self._value).__name__}, got {value!r}.")
        self._value = value


class Metric:
    """Cells by labels. Source: TF 2.21, `tensorflow.python.eager.monitoring`."""

    _cell: ClassVar[type[Cell]] = GaugeCell
    _start: ClassVar[Any]

    def __init__(self, name: str, description: str, *labels: str) -> None:
        """Takes the names of the labels. Raises ValueError for more than two, TypeError unless all are strings."""
        if len(labels) > _MOST_LABELS:
            raise ValueError(f"Cannot create {type(self).__name__} metric with label >= {_MOST_LABELS + 1}")
        self._labels = _strings(name, description, *labels)[2:]
        self._cells: dict[tuple[str, ...], Any] = {}

    def get_cell(self, *labels: str) -> Any:
        """The cell for `labels`. Raises ValueError unless each name has one, TypeError for no string."""
        if len(labels) != len(self._labels):
            raise ValueError(f"The {type(self).__name__} expects taking {len(self._labels)} labels")
        return self._cells.setdefault(_strings(*labels), self._cell(self._start))


class Counter(Metric):
    """Numbers that grow."""

    _cell, _start = CounterCell, 0


class IntGauge(Metric):
    """Integers."""

    _start = 0


class StringGauge(Metric):
    """Strings."""

    _start = ""


class BoolGauge(Metric):
    """Truth values."""

    _start = False


def _strings(*values: str) -> tuple[str, ...]:
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"The names and labels of metrics must be strings, got {value!r}.")
    return values
