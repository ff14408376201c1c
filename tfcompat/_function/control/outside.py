"""Steps of a turn that are recorded outside of it, since they are the same in each."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcompat._core.node import Node, Number
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record
from tfcompat._function.control.turn import Turn
from tfcompat._function.control.window import Windows


class Outside:
    """The tensors outside of a turn that hold what stays the same in it."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._steps = {slot: node for node in turn.block.graph.node.path() for slot in range(node.first, node.slot)}
        self._found: dict[int, Tensor] = {}

    def tensor(self, slot: int) -> Tensor:
        """The tensor that holds what is in `slot` in each turn."""
        if slot not in self._found:
            self._find(slot)
        return self._found[slot]

    def rows(self, windows: Windows, *, is_backward: bool) -> Tensor:
        """What is read in the turns, stacked; `is_backward` from the last one on."""
        node = windows.node
        found = self._input(node.inputs[0])
        if windows.whole is not None:
            others = [k for k in range(1, len(node.inputs)) if k != windows.position]
            found = self._told(node, record(windows.whole, (found, *[self._input(node.inputs[k]) for k in others])))
        op = windows.op(is_backward=is_backward)
        return found if op is None else record(op, (found,))

    def _find(self, slot: int) -> None:
        turn, node = self._turn, self._steps[slot]
        if slot in turn.leaves:
            self._found[slot] = turn.operand(turn.leaves[slot])
        elif node.op is None:
            self._found[slot] = Tensor(np.asarray(self._input(node.inputs[0]), node.aval.dtype.as_numpy_dtype))
        else:
            found = self._told(node, record(node.op, tuple(map(self._input, node.inputs))))
            self._found.update(enumerate(found if node.op.many else (found,), node.first))

    def _input(self, reference: int | Number) -> Any:
        """What stands for `reference` outside."""
        if isinstance(reference, Number):
            graph = self._turn.block.graph
            return (graph.floats if reference.kind == "f" else graph.ints)[reference.index]
        return self.tensor(reference)

    def _told(self, node: Node, found: Any) -> Any:
        """`found`, which was recorded for `node`: complaints name the line where the turn does it."""
        here.trace.node.line = node.line
        return found
