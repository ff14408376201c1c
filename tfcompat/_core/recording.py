"""A recording: a path through the tree of structures, with the values that are not part of the structure."""

from __future__ import annotations

from typing import Any
from weakref import ref

from tfcompat._core.node import Node, tree
from tfcompat._core.tensor import Tensor

# Counting the references to a smaller buffer takes longer than allocating a new one (0.6 us on a CPU).
_SMALL_BUFFER = 4096


class Recording:
    """A path through the tree of structures, with its values.

    Attributes:
      node: the last node of the path.
      floats, ints: the recorded Python numbers, in order.
      leaves: the finished tensors that steps read, in order; `leaf_slots`: their slots by `id`; `constants`: those that
        are numbers.
      pending: weak references to the tensors that steps have made.
      replaced: for each assigned variable, by its number: the variable, and the tensor that it held before.
      start: slots before this one have been computed.
      kept: arrays of such slots, while a tape holds the trace.
      smallest: the size in bytes from which on buffers are donated.
      runs_once: whether its structure will not run again, so that no program is compiled for it.
      is_recurring: whether its structure will probably run again, as a function's will.
    """

    __slots__ = (
        *("constants", "floats", "ints", "is_recurring", "kept", "leaf_slots", "leaves", "node", "pending"),
        *("replaced", "runs_once", "smallest", "start"),
    )

    def __init__(self) -> None:
        self.node: Node = tree.root
        self.floats: list[float] = []
        self.ints: list[int] = []
        self.leaves: list[Tensor] = []
        self.constants: list[Tensor] = []
        self.leaf_slots: dict[int, int] = {}
        self.pending: list[ref[Tensor]] = []
        self.replaced: dict[int, tuple[Any, Tensor]] = {}
        self.kept: dict[int, Any] = {}
        self.start = 0
        self.smallest = _SMALL_BUFFER
        self.runs_once = False
        self.is_recurring = False
