"""The position in a stream of random numbers, for ops in branches and loops of a program.

Only the program knows how often a branch is taken or a loop's body runs, so the position in the stream is a hidden
variable that it reads and assigns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.operation.op import GradientRule, Op
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.device import to_device
from tfcompat._core.tracing.trace import record
from tfcompat._core.types.shape import TensorShape
from tfcompat._random.seed import CallStream
from tfcompat._state.cell import Cell

_GONE_ON = Op("drawn_on", lambda vector, blocks: vector.at[1].add(blocks), gradient=GradientRule(blocked=True))


class Position(Cell):
    """The position in a seeded stream: the key and the two halves of the counter. Setting the seed restarts it."""

    _trainable = False

    def __init__(self, stream: CallStream) -> None:
        self.stream = stream
        self._followed = 0
        self._begin(self._first(), TensorShape([3]), "position")
        stream.restarts(self)

    def _first(self) -> Tensor:
        return Tensor(to_device(np.array(self.stream.first(), np.int64)))

    def restart(self) -> None:
        """Returns to the start of the stream."""
        self._held = self._first()
        self._followed = 0
        self.stream.restart()

    def again(self) -> Position:
        """The start of the same stream, for the op as part of another function."""
        return Position(self.stream.again())

    @property
    def seeds(self) -> Any:
        """The two seeds of the stream."""
        return self.stream.seeds

    def go_on_with(self, other: Position | CallStream) -> None:
        """Shares the position of `other`, for the same op in traces for other sizes or in code that runs untraced."""
        if isinstance(other, Position):
            self.__dict__ = other.__dict__
        else:
            self.stream.go_on_with(other)

    def follow(self) -> None:
        """Goes to the position of the stream, from which code that runs untraced may have drawn."""
        count = self.stream.position
        if count != self._followed:
            key, _, number = self.stream.first()
            self._held, self._followed = Tensor(to_device(np.array([key, count, number], np.int64))), count

    @property
    def is_followed(self) -> bool:
        """Whether the stream has not been drawn from since this position was that of the stream."""
        return self.stream.position == self._followed

    def lead(self, end: int) -> None:
        """Makes code that runs untraced draw from the position that is held, after `end` blocks."""
        self._followed = end
        self.stream.go_to(end)

    def drawn(self) -> Tensor:
        """The current position, for a draw; advances the position."""
        vector = self._read()
        self._rebind(record(_GONE_ON, (vector, self.stream._blocks)))
        return vector


def end_of(held: Tensor) -> int:
    """The number of blocks before the position `held`. Waits for the program that computes it."""
    return int(np.asarray(held._array)[1])
