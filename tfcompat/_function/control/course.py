"""The course of a loop: how many turns it takes, and what is known in each, where constants decide about that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfcompat._function.control.turn import Turn

# A longer loop with a condition isn't counted: for the gradient of a counted one something of each turn is kept.
MOST_TURNS = 1 << 16
_WIDER = 4

# From what is in the places, of several turns at once, whether these turns are taken.
GoesOn = Callable[[Mapping[int, Any]], Any]


@dataclass
class Course:
    """How a loop goes.

    Attributes:
      count: the number of turns.
      values: by the slots of `Turn.counted`, what is there in each turn.
      final: by the places of `Turn.counters`, what is there after the last one.
    """

    count: int
    values: dict[int, np.ndarray]
    final: dict[int, Any]


def course_of(turn: Turn, goes_on: GoesOn | None, most: int | None) -> Course | None:
    """The course of `most` turns, or of fewer if it `goes_on` no longer; None if that takes too many."""
    walk = _Walk(turn, goes_on)
    length = 1
    while not walk.is_over and (most is None or walk.count < most):
        if goes_on is not None and walk.count > MOST_TURNS:
            return None
        length = min(length, MOST_TURNS if most is None else most - walk.count)
        length = _WIDER * length if walk.look(length) == length else 1
    is_long = goes_on is not None and walk.count > MOST_TURNS
    return None if is_long else Course(walk.count, walk.values(), walk.state)


class _Walk:
    """What NumPy finds out about the turns, several at once: the counters are taken to move on as they did before.

    Attributes:
      count: how many turns were taken so far.
      state: by its place, what is in each counter then.
      is_over: whether there are no more.
    """

    def __init__(self, turn: Turn, goes_on: GoesOn | None) -> None:
        self.count = 0
        self.state: dict[int, Any] = {place: turn.known(place) for place in turn.counters}
        self.is_over = False
        self._turn = turn
        self._goes_on = goes_on
        self._drift: dict[int, Any] = dict.fromkeys(self.state, 0)
        self._found: list[dict[int, np.ndarray]] = []

    def look(self, length: int) -> int:
        """Looks at the next turns, so many; answers how many of them are taken and begin as expected."""
        ahead = self._ahead(length)
        with np.errstate(all="ignore"):
            found = self._turn.counted.values(
                {slot: ahead[place] for slot, place in self._turn.leaves.items() if place in ahead}
            )
            going = length if self._goes_on is None else _prefix(np.broadcast_to(self._goes_on(ahead), length))
        values = {slot: np.broadcast_to(found[slot], length) for slot in self._turn.counted.slots}
        after = {place: values[self._turn.after[place - 1]] for place in self.state}
        right = 1 + min([_prefix(after[place][:-1] == ahead[place][1:]) for place in after], default=length - 1)
        self.is_over = going < right
        taken = min(going, right)
        if taken:
            self._found.append({slot: value[:taken] for slot, value in values.items()})
            self._go_on({place: (ahead[place][taken - 1], value[taken - 1]) for place, value in after.items()})
        self.count += taken
        return taken

    def _go_on(self, last: dict[int, tuple[Any, Any]]) -> None:
        """Takes in what each counter was before and after the last turn."""
        with np.errstate(all="ignore"):
            for place, (before, after) in last.items():
                self.state[place] = after
                self._drift[place] = 0 if after.dtype == bool else after - before

    def values(self) -> dict[int, np.ndarray]:
        """What is in each of the slots in the turns that were taken."""
        none = {slot: np.zeros(0, self._turn.avals[slot].dtype.as_numpy_dtype) for slot in self._turn.counted.slots}
        return {slot: np.concatenate([part[slot] for part in (none, *self._found)]) for slot in none}

    def _ahead(self, length: int) -> dict[int, Any]:
        """What is in the places in the next turns, as it is expected."""
        turns = np.arange(length)
        ahead: dict[int, Any] = {0: (turns + self.count).astype(np.int32)}
        for place in set(self._turn.leaves.values()).difference(ahead, self.state, self._turn.parts):
            value = self._turn.known(place)
            if value is not None:
                ahead[place] = value[self.count : self.count + length] if place in self._turn.rows else value
        for place, value in self.state.items():
            drift = self._drift[place]
            ahead[place] = value + drift * turns.astype(value.dtype) if drift else np.full(length, value)
        return ahead


def _prefix(holds: np.ndarray) -> int:
    """How many of `holds` are true before the first that isn't."""
    return len(holds) if holds.all() else int(holds.argmin())
