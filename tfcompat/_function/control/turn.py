"""A turn: a block that runs again and again, and what of it is known before it does."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here
from tfcompat._function.control.block import Block
from tfcompat._function.control.counted import COUNTED, Counted, doing, slots_of


class Turn:
    """A block that runs again and again on a state.

    The leaves of the block's trace stand for places. Place 0 is the number of the turn; then come the parts of the
    state, the tensors whose rows are gone through, one in each turn, and what else is read.

    Attributes:
      block: the block.
      leaves: by the slot of a leaf its place.
      after: for each part of the state the slot of what it is after a turn.
      avals: by slot, the shape and dtype of what is there.
      is_backward: whether the tensors are gone through from their last rows on.
    """

    def __init__(
        self,
        block: Block,
        places: Sequence[int],
        operands: Sequence[Tensor],
        after: Sequence[int],
        *,
        rows: int = 0,
        is_backward: bool = False,
    ) -> None:
        """`operands` are in the places from 1 on when the first turn begins; `rows` of them are gone through."""
        self.block = block
        self.leaves = dict(zip(block.starts, places, strict=True))
        self.after = list(after)
        self.avals = {slot: aval for node in block.path for slot, aval in enumerate(node.avals, node.first)}
        self._operands = list(operands)
        self.is_backward = is_backward
        self._rows = rows

    @property
    def parts(self) -> range:
        """The places of the state."""
        return range(1, 1 + len(self.after))

    @property
    def rows(self) -> range:
        """The places of the tensors that are gone through."""
        return range(self.parts.stop, self.parts.stop + self._rows)

    def forget(self) -> None:
        """Lets go of the operands: what is recorded must not keep the values that it was traced with."""
        self._operands = []

    def operand(self, place: int) -> Tensor:
        """What is in `place` when the first turn begins."""
        return self._operands[place - 1]

    @functools.cached_property
    def counters(self) -> set[int]:
        """The parts of the state that are known in each turn: integers and booleans that depend on such alone."""
        found = {place for place in self.parts if self.known(place) is not None}
        while True:
            slots = self._counted(found).slots
            still = {place for place in found if self.after[place - 1] in slots}
            if still == found:
                return found
            found = still

    @functools.cached_property
    def counted(self) -> Counted:
        """What is known in each turn."""
        return self._counted(self.counters)

    def _counted(self, counters: set[int]) -> Counted:
        places = {place for place in self.leaves.values() if place and self.known(place) is not None}
        known = {0} | counters | places.difference(self.parts)
        return Counted(self.block, [slot for slot, place in self.leaves.items() if place in known])

    def known(self, place: int) -> np.ndarray | None:
        """What is in `place` when the first turn begins, or row by row, if that is constant and can be counted with."""
        tensor = self.operand(place)
        ndim = tensor.ndim - (place in self.rows)
        value = constant(tensor) if ndim == 0 and tensor.dtype in COUNTED else None
        return value[::-1] if value is not None and place in self.rows and self.is_backward else value

    def is_known(self, place: int) -> bool:
        """Whether what is in `place` can be counted with in each turn."""
        return place == 0 or (place in self.counters if place in self.parts else self.known(place) is not None)

    @functools.cached_property
    def idle(self) -> set[int]:
        """The parts of the state that no turn changes."""
        return {place for slot, place in self.leaves.items() if place in self.parts and self.after[place - 1] == slot}

    @functools.cached_property
    def fixed(self) -> set[int]:
        """The slots that hold the same in each turn."""
        found = {slot for slot, place in self.leaves.items() if place in self.idle or place >= self.rows.stop}
        kept = doing(self.block) | self.block.graph.watcher.customs.keys()
        for node in self.block.path:
            if node.op is None and node.inputs:
                found.add(node.first)
            elif node.op is not None and node.first not in kept and found.issuperset(slots_of(node)):
                found.update(range(node.first, node.slot))
        return found


def constant(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` if it is the same whenever the function that is being traced runs."""
    is_variable = id(tensor) in here.graph.cells
    return None if tensor._array is None or is_variable else np.asarray(tensor._array)
