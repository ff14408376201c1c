"""A recording: a path through the tree of structures, with the values that the structure leaves open."""

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
      node: where the path stands.
      floats, ints: the Python numbers met, in order.
      leaves: the finished tensors that steps read, in order; `leaf_slots` finds their slots by `id`. `constants` holds
        those that are numbers.
      pending: weak references to the tensors that steps have made.
      replaced: for each variable that was assigned, by its number: the variable, and the tensor that it held before.
      start: slots before this one have been run.
      kept: arrays of such slots, while a tape holds the trace.
      smallest: programs take over buffers of at least this many bytes.
      runs_once: whether its structure will not come back, so that no program is compiled for it.
      comes_back: whether its structure probably will, as a function's does.
    """

    __slots__ = (
        *(
            "comes_back",
            "constants",
            "floats",
            "ints",
            "kept",
            "leaf_slots",
            "leaves",
            "node",
            "pending",
            "replaced",
            "smallest",
        ),
        *("runs_once", "start"),
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
        self.comes_back = False
