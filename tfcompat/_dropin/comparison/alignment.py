"""Pairs the records of two runs, line by line, and keeps the results of their comparison."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tfcompat._dropin.comparison.agreement import Tolerance, compare

THEIRS, OURS = 0, 1


class Place(NamedTuple):
    """A line of the program and the kind of its records: a printed line, a gradient, the result of a function."""

    line: str
    kind: str


class Difference(NamedTuple):
    """Two records that differ: the place, the number of the record at this place from 1, and the reason.

    `before` is the distance of the records at this place before it; nan if it is the first one. `order` counts the
    compared pairs of all places.
    """

    place: Place
    step: int
    reason: str
    distance: float
    before: float
    order: int


@dataclass
class Line:
    """The records of one place.

    Attributes:
      waiting: the records of both runs without a counterpart yet.
      seen: the number of records of each run; `compared`: that of pairs; `differing`: that of pairs that differ.
      first: the first difference; `largest`: the largest distance; `distances`: the distance of the latest pair.
      seconds: the times of the records of each run.
    """

    waiting: tuple[deque[dict[str, Any]], deque[dict[str, Any]]] = field(default_factory=lambda: (deque(), deque()))
    seen: list[int] = field(default_factory=lambda: [0, 0])
    compared: int = 0
    differing: int = 0
    dropped: int = 0
    first: Difference | None = None
    largest: float = 0.0
    latest: float = np.nan
    seconds: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))


class Alignment:
    """The comparison of two streams of records.

    Attributes:
      lines: the results by place, in the order in which TensorFlow's run, or else the other, reached them.
      ends: the last record of each run, with its outcome; None while it runs, or if it was killed.
    """

    def __init__(self, tolerance: Tolerance, most_waiting: int, ignored: frozenset[str] = frozenset()) -> None:
        self._tolerance = tolerance
        self._most_waiting = most_waiting
        self._ignored = ignored
        self._order = 0
        self._waiting = [0, 0]
        self.lines: dict[Place, Line] = {}
        self.ends: list[dict[str, Any] | None] = [None, None]

    def is_ahead(self, run: int) -> bool:
        """Whether a run is so far ahead that it should wait for the other, unless that is too far ahead itself."""
        return self._waiting[run] > self._most_waiting

    def add(self, run: int, record: dict[str, Any]) -> Difference | None:
        """Adds a record of a run; returns a difference if it is the first at its place."""
        if record["kind"] == "end":
            self.ends[run] = record
            return None
        if record["kind"] == "variable":
            place = Place("end", f"variable {record['line']} ({record['name'].partition(':')[0]})")
        else:
            place = Place(record["line"], record["kind"])
        if place.line in self._ignored:
            return None
        line = self.lines.setdefault(place, Line())
        line.seen[run] += 1
        if "seconds" in record:
            line.seconds[run].append(record["seconds"])
        other = line.waiting[1 - run]
        if not other:
            line.waiting[run].append(record)
            self._waiting[run] += 1
            return None
        self._waiting[1 - run] -= 1
        pair = (other.popleft(), record) if run == OURS else (record, other.popleft())
        return self._compare(place, line, *pair)

    def drop(self) -> None:
        """Drops the records that wait, if both runs are ahead of each other at different lines."""
        if all(waiting > self._most_waiting for waiting in self._waiting):
            for line in self.lines.values():
                line.dropped += sum(map(len, line.waiting))
                for records in line.waiting:
                    records.clear()
            self._waiting = [0, 0]

    def _compare(self, place: Place, line: Line, theirs: dict[str, Any], ours: dict[str, Any]) -> Difference | None:
        verdict = compare(theirs, ours, self._tolerance)
        self._order += 1
        line.compared += 1
        before, line.latest = line.latest, verdict.distance
        if not np.isnan(verdict.distance):
            line.largest = max(line.largest, verdict.distance)
        if not verdict.reason:
            return None
        line.differing += 1
        found = Difference(place, line.compared + line.dropped, verdict.reason, verdict.distance, before, self._order)
        if line.first is None:
            line.first = found
            return found
        return None

    def differences(self) -> list[Difference]:
        """The first difference of each place, the earliest first."""
        return sorted((line.first for line in self.lines.values() if line.first), key=lambda found: found.order)
