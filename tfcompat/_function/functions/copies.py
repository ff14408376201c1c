"""The copies of traces with open dimensions for the sizes of calls: the latest are kept."""

from __future__ import annotations

from collections.abc import Hashable

from tfcompat._core.system.config import settings
from tfcompat._function.running.body import Body

# The part of the bound on steps that the copies of one function may use, and the least number of copies.
_PART, _FEWEST = 4, 8


class Copies:
    """The steps of each copy, by the key of its calls, in the order in which the copies were made."""

    def __init__(self) -> None:
        self._steps: dict[Hashable, int] = {}
        self._total = 0

    def add(self, key: Hashable, body: Body) -> list[Hashable]:
        """Adds the copy `body`; returns the keys of those to drop. A dropped copy is made again when it is needed."""
        self._total -= self._steps.pop(key, 0)
        self._steps[key] = body.stored.node.slot
        self._total += self._steps[key]
        dropped: list[Hashable] = []
        while self._total > settings.max_steps // _PART and len(self._steps) > _FEWEST:
            dropped.append(next(iter(self._steps)))
            self._total -= self._steps.pop(dropped[-1])
        return dropped
