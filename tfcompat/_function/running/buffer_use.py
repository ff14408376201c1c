"""Who refers to the buffers of variables: a launch may donate those that only the variables have."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from operator import gt, is_
from typing import Any

# The reference count of an object in a list: the list's reference, and that of the argument of `getrefcount`.
_LISTED = max(map(sys.getrefcount, [object()]))


def are_shared(values: list[Any], owners: int) -> bool:
    """Whether one of `values` has other references than those of this list and its `owners`."""
    return max(map(sys.getrefcount, values), default=0) > _LISTED + owners


class BufferUse:
    """Counts the references to buffers of which several variables may share one, as the components of variables do.

    Which variables share one is found once, and then only verified.
    """

    def __init__(self) -> None:
        # For each buffer, the place of the first one that is the same; the distinct places, and how often each occurs.
        self._firsts: Sequence[int] = ()
        self._distinct: Sequence[int] = ()
        self._uses: Sequence[int] = ()
        # The most references to each distinct buffer, by the number of owners.
        self._most: dict[int, list[int]] = {}

    def are_shared(self, buffers: list[Any], owners: int) -> bool:
        """Whether one of `buffers` has other references than those of this list and of the `owners` of each entry."""
        is_known = len(self._firsts) == len(buffers) and all(map(is_, map(buffers.__getitem__, self._firsts), buffers))
        if is_known and not self._exceed(buffers, owners):
            return False
        # Buffers that were different may be the same now.
        places: dict[int, int] = {}
        self._firsts = [places.setdefault(id(buffer), place) for place, buffer in enumerate(buffers)]
        uses = Counter(self._firsts)
        self._distinct, self._uses, self._most = list(uses), list(uses.values()), {}
        return self._exceed(buffers, owners)

    def _exceed(self, buffers: list[Any], owners: int) -> bool:
        most = self._most.get(owners)
        if most is None:
            most = self._most[owners] = [_LISTED - 1 + (1 + owners) * uses for uses in self._uses]
        return any(map(gt, map(sys.getrefcount, map(buffers.__getitem__, self._distinct)), most))
