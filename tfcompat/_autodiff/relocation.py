"""Copies the steps recorded in one trace to the end of another.

This is needed if gradients of a tape are requested, or if the tape is entered again, while other tapes record into
another trace or in another thread. The steps of the tape are then recorded again in that trace, where the other tapes
record the steps that follow.
"""

from __future__ import annotations

from tfcompat._core.structure.node import Node, Number, Origin, Reference
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace

# Tensors by `id`, with their slots.
Moved = dict[int, tuple[Tensor, int]]


class Copy:
    """The steps of a trace, copied into another one.

    Attributes:
      slots: maps the slots of the original to those of the copy.
      positions: maps the number of slots before a step of the original to that of the copy.
    """

    def __init__(self, original: Trace, before: int, trace: Trace) -> None:
        """Records the steps of `original` before a slot, and all of its leaves, into `trace`.

        A leaf that is in both traces is not copied.
        """
        self.slots: dict[int, int] = {}
        self.positions: dict[int, int] = {}
        self._original = original
        self._before = before
        self._trace = trace
        self._is_body = original.is_symbolic
        self._steps: dict[int, Node] = {}
        self._constants = {original.leaf_slots.get(id(tensor)): tensor for tensor in original.constants}
        for node in original.node.path():
            if node.op is None or node.first < before:
                self._add(node)
        self._end = trace.node.slot

    def position(self, position: int) -> int:
        """The position in the copy for a position in the original; the copy's end for any later one."""
        return self.positions.get(position, self._end)

    def found_tensors(self, moved_before: Moved) -> tuple[Moved, dict[int, int]]:
        """The live tensors of the original, and for their slots in the copy the leaves that some of them were before.

        The trace finds the other tensors in the copy from now on.
        """
        alive = [tensor for reference in self._original.pending if (tensor := reference()) is not None]
        moved = {id(tensor): (tensor, self.slots[tensor._slot]) for tensor in alive if tensor._slot < self._before}
        moved |= {key: (tensor, self.slots[slot]) for key, (tensor, slot) in moved_before.items()}
        twins: dict[int, int] = {}
        for key, (tensor, slot) in moved.items():
            leaf = self._trace.find(tensor)
            if leaf is None:
                self._trace.leaf_slots[key] = slot
                self._trace.constants.append(tensor)
            elif leaf != slot:
                twins[slot] = leaf
        return moved, twins

    def _add(self, node: Node) -> None:
        self.positions.setdefault(node.first, self._trace.node.slot)
        if node.op is None:
            self.slots[node.first] = self._trace.slot_of(self._leaf(node))
            return
        inputs = tuple([self._input(reference) for reference in node.inputs])
        step = self._trace.step(node.op, inputs, node.signature, self._origin(node))
        self._steps[node.first] = step
        self.slots.update(zip(range(node.first, node.slot), range(step.first, step.slot), strict=True))

    def _leaf(self, node: Node) -> Tensor:
        if node.inputs:
            known = self._constants.get(node.first)
            return self._original.number(node) if known is None else known
        # In the body of a function a variable's tensor may represent its current value.
        return self._original.tensor(node.first, node.aval) if self._is_body else self._original.leaves[node.leaves - 1]

    def _input(self, reference: Reference) -> Reference:
        if not isinstance(reference, Number):
            return self.slots[reference]
        kind, index, dtype = reference
        if kind == "f":
            self._trace.floats.append(self._original.floats[index])
            return Number(kind, len(self._trace.floats) - 1, dtype)
        self._trace.ints.append(self._original.ints[index])
        return Number(kind, len(self._trace.ints) - 1, dtype)

    def _origin(self, node: Node) -> Origin | None:
        origin = node.origin
        return None if origin is None else origin.with_forward(self._steps[origin.forward.first])
