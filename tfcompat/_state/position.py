"""Where a stream of random numbers goes on: for ops that a program runs as often as its values say.

Only the program knows how often a branch is taken or a loop's body runs, so the place in the stream is a hidden
variable that it reads and assigns.
"""

from __future__ import annotations

import numpy as np

from tfcompat._core.device import to_device
from tfcompat._core.op import GradientRule, Op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import record
from tfcompat._random.seed import CallStream
from tfcompat._state.cell import Cell

_GONE_ON = Op("drawn_on", lambda vector, blocks: vector.at[1].add(blocks), gradient=GradientRule(blocked=True))


class Position(Cell):
    """The place in a stream with seeds: the key and the two halves of the counter. Setting the seed restarts it."""

    _trainable = False

    def __init__(self, stream: CallStream) -> None:
        self.stream = stream
        self._begin(self._first(), TensorShape([3]), "position")
        stream.restarts(self)

    def _first(self) -> Tensor:
        return Tensor(to_device(np.array(self.stream.first(), np.int64)))

    def restart(self) -> None:
        """Goes back to where the stream begins."""
        self._held = self._first()

    def again(self) -> Position:
        """The start of the same stream, for the op as part of another function."""
        return Position(self.stream.again())

    def go_on_with(self, other: Position) -> None:
        """Makes this and `other` one place, for the op in traces for other sizes."""
        self.__dict__ = other.__dict__

    def drawn(self) -> Tensor:
        """The place as it is, for a draw; the next draw finds the place after it."""
        vector = self._read()
        self._rebind(record(_GONE_ON, (vector, self.stream._blocks)))
        return vector
