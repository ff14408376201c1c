"""Calls of a user's function by one iterator."""

from __future__ import annotations

from typing import Any

from tfcompat._data.block import Block
from tfcompat._data.function.calling import Calls
from tfcompat._data.function.row import outcomes
from tfcompat._data.function.stream import Streams


class Caller:
    """Calls of a user's function by one iterator."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._streams = Streams(calls.plan)

    def save(self) -> Any:
        """The positions in the random streams."""
        return self._streams.save()

    def restore(self, state: Any) -> None:
        """Returns to positions that `save` of a caller of the same function returned."""
        self._streams.restore(state)

    def go_on_after(self, earlier: Caller) -> None:
        """Shares the random streams of another caller of the function."""
        self._streams = earlier._streams

    def outcomes(self, block: Block) -> list[Block | Exception]:
        """The results of the elements of `block`: blocks of results, and the errors of elements, in order."""
        return outcomes(self._calls, self._streams, block)
