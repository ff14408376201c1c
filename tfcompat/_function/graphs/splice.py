"""Records a stored trace again at the end of another one: a function called under a tape or in another function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcompat._core.structure.node import Node, Number, Reference
from tfcompat._core.tracing.trace import Trace


def splice(body: Node, trace: Trace, leaves: tuple[int, ...], numbers: tuple[Sequence[float], Sequence[int]]) -> Any:
    """Records the steps that lead to `body`, whose leaves are the slots `leaves` of `trace`; returns their slots.

    The recorded nodes depend on structure alone, so they are cached at the node where the trace ended before.
    """
    key = (body, leaves)
    floats, ints = numbers
    while True:
        start = trace.node
        memo = start.memos.get(key)
        if memo is None:
            memo = start.memos[key] = _recorded(body, start, leaves)
        if trace.node is start:  # else a signal handler has recorded steps meanwhile
            # The node is set last: numbers beyond those of the node, left behind by an interrupt, are overwritten.
            trace.floats[start.floats :] = floats
            trace.ints[start.ints :] = ints
            trace.node = memo[0]
            return memo[1]


def _recorded(body: Node, end: Node, leaves: Sequence[int]) -> tuple[Node, dict[int, int]]:
    """Nodes after `end` for the steps that lead to `body`: the last of them, and the slots by those of `body`."""
    given = iter(leaves)
    offsets = {"f": end.floats, "i": end.ints}
    slots: dict[int, int] = {}
    steps: dict[int, Node] = {}

    def moved(reference: Reference) -> Reference:
        if isinstance(reference, Number):
            return reference._replace(index=reference.index + offsets[reference.kind])
        return slots[reference]

    for node in body.path():
        if node.op is None and not node.inputs:
            slots[node.first] = next(given)
            continue
        inputs = tuple([moved(reference) for reference in node.inputs])
        step = end.next.get((node.op, inputs))
        if step is None:
            step = end.extended((node.op, inputs), node.op, inputs, node.signature, node.avals, node.line)
            if node.origin is not None:
                step.origin = node.origin.with_forward(steps[node.origin.forward.first])
        steps[node.first] = end = step
        slots.update(zip(range(node.first, node.slot), range(step.first, step.slot), strict=True))
    return end, slots
