"""Reads of variables that a block assigns: for tapes they are reads of the variable, whatever the block assigned to it.

A value that a block has assigned leads nowhere, as after every assignment. What reads it there also takes in zeros, an
operand of the whole op that stands for the variable: its gradient is that of all these reads.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from tfcompat._autodiff.gradient import zeros
from tfcompat._core.aval import Aval
from tfcompat._core.node import Node
from tfcompat._core.op import Op, differentiable
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record
from tfcompat._function.graph import Graph
from tfcompat._state.cell import Cell


@jax.custom_jvp
def _read(value: Any, zeros: Any) -> Any:
    """`value`, with the derivative of `zeros`."""
    del zeros
    return value


_read.defjvp(lambda primals, tangents: (_read(*primals), tangents[1]))

_READ = Op("read", _read, blocked=frozenset((0,)))


class Readings:
    """The reads of variables that a block assigns, as steps of their own. The block answers the slots `outputs`."""

    def __init__(self, graph: Graph, outputs: Sequence[int]) -> None:
        found = list(_found(graph, outputs)) if graph.is_part else []
        stand_ins = {number: graph.slot_of(graph.reading(cell)) for number, (cell, _) in found}
        end = graph.node.slot
        reads = [(number, cell, slot) for number, (cell, slots) in found for slot in slots]
        self._renamed = {slot: end + k for k, (_, _, slot) in enumerate(reads)}
        self._steps = {
            slot: _step(read, slot, stand_ins[number], cell._tensor._aval)
            for (number, cell, slot), read in zip(reads, self._renamed.values(), strict=True)
        }
        self._zeros = frozenset(stand_ins.values())

    def slot(self, slot: int) -> int:
        """The slot of the read, if `slot` is read so; else itself."""
        return self._renamed.get(slot, slot)

    def path(self, path: Sequence[Node]) -> list[Node]:
        """`path` with the reads in it: what it computes from the values read depends on the zeros."""
        if not self._renamed:
            return list(path)
        found = [node for node in path if node.first in self._zeros]
        for node in path:
            if node.first in self._zeros:
                continue
            found.append(self._redirected(node))
            found += [self._steps[slot] for slot in range(node.first, node.slot) if slot in self._steps]
        return found

    def _redirected(self, node: Node) -> Node:
        if self._renamed.keys().isdisjoint(node.inputs):
            return node
        inputs = tuple([self.slot(slot) if type(slot) is int else slot for slot in node.inputs])
        twin = copy.copy(node)
        twin.inputs = inputs
        return twin


def _found(graph: Graph, outputs: Sequence[int]) -> Iterator[tuple[int, tuple[Cell, list[int]]]]:
    """By number, the variables that `graph` assigns and tapes can follow, with the slots that they are read from.

    What a branch reads first is a value from outside; in a loop it is what the iteration before has assigned.
    """
    watcher = graph.watcher
    used = _used(graph, outputs)
    first = {graph.leaf_slots[key] for key in graph.cells}
    for number, (reference, slots) in watcher.reads.items():
        cell = reference()
        late = [slot for slot in slots if slot in used and (graph.is_iterated or slot not in first)]
        if cell is not None and late and number in graph.assigned and differentiable(cell._tensor._aval):
            yield number, (cell, late)


def _used(graph: Graph, outputs: Sequence[int]) -> set[int]:
    """The slots that a derivative may lead to."""
    found = {*outputs, *[slot for custom in graph.watcher.customs.values() for slot in custom.inputs]}
    for node in graph.node.path():
        if node.op is not None and node.op.blocked is not True:
            found.update(slot for slot in node.inputs if type(slot) is int)
    return found


def _step(slot: int, value: int, zeros: int, aval: Aval) -> Node:
    node = Node(None, _READ, (value, zeros), (aval, aval), (aval,), "")
    node.first, node.slot = slot, slot + 1
    return node


def stand_in(cell: Cell) -> Tensor:
    """The zeros that stand for `cell` in the graph around a block."""
    return record(zeros(cell._tensor._aval), ())


def touch(cell: Cell, zeros: Tensor) -> None:
    """Tells tapes that `zeros` stand for a read of `cell`."""
    for tape in here.tapes:
        tape.touch_at(cell, here.trace.slot_of(zeros))
