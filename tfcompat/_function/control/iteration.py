"""The iteration of a loop: which of its values are known while tracing.

A value is known if integer and boolean arithmetic computes it from constants and from the iteration's number. NumPy
evaluates that arithmetic for many iterations at once; nothing is compiled for it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.structure.node import Node, Number
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import here
from tfcompat._core.types.dtype import INTEGER, bool_
from tfcompat._function.block.block import Block
from tfcompat._function.control.arithmetic import Function, by_numpy
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.sizes.bounded_step import are_symbols_in

COUNTED = INTEGER | {bool_}


class Counted:
    """The scalar integers and booleans of a block that NumPy can compute from some of its leaves.

    Attributes:
      slots: their slots.
    """

    def __init__(self, block: Block, leaves: Iterable[int]) -> None:
        """Finds what follows from the values of `leaves`."""
        self.slots = set(leaves)
        self._numbers: dict[int | Number, Any] = {}
        self._steps: list[tuple[Function, Node]] = []
        kept = effectful_steps(block)
        for node in block.path:
            self._numbers.update({number: block.value(number) for number in node.inputs if type(number) is Number})
            if node.op is None and node.inputs and node.aval.dtype in COUNTED:
                self.slots.add(node.first)
                self._numbers[node.first] = self._numbers[node.inputs[0]]
            elif node.op is not None and node.first not in kept and self.slots.issuperset(slots_of(node)):
                function = arithmetic_of(node)
                if function is not None:
                    self.slots.update(range(node.first, node.slot))
                    self._steps.append((function, node))

    def values(self, given: Mapping[int, Any]) -> dict[int, Any]:
        """The values of `slots`, given those of the leaves: scalars, or vectors with an element for each iteration."""
        values: dict[Any, Any] = {**self._numbers, **given}
        for function, node in self._steps:
            outputs = function(*[values[reference] for reference in node.inputs])
            values.update(zip(range(node.first, node.slot), outputs, strict=True))
        return values


def effectful_steps(block: Block) -> set[int]:
    """The steps with side effects, by their first slots."""
    return {node.first for node in block.path if not block.effects.isdisjoint(range(node.first, node.slot))}


def slots_of(node: Node) -> list[int]:
    """The slots that `node` reads."""
    return [reference for reference in node.inputs if type(reference) is int]


def arithmetic_of(node: Node) -> Function | None:
    """The NumPy function that computes the outputs of `node`; None unless it is arithmetic on integers and booleans."""
    assert node.op is not None
    if any(aval.ndim or aval.dtype not in COUNTED for aval in (*node.signature, *node.avals)):
        return None
    key = ("numpy", node.signature)
    if key not in node.op.derived:
        node.op.derived[key] = by_numpy(node.op.outputs, [aval.struct for aval in node.signature])
    return node.op.derived[key]


class Iteration:
    """The block that a loop runs in each iteration.

    Each leaf of the block's trace corresponds to a place. Place 0 is the iteration's number; the others are the parts
    of the state, the tensors of which each iteration gets a row, and the other operands, in this order.

    Attributes:
      block: the block.
      leaves: the place of each leaf, by slot.
      after: for each part of the state, the slot of its next value.
      avals: shapes and dtypes, by slot.
      is_backward: whether the rows come in reverse order.
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
        """`operands` are the initial values from place 1 on; `rows` of them, after the state, are read by row."""
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
        """The places of the tensors of which each iteration gets a row."""
        return range(self.parts.stop, self.parts.stop + self._rows)

    def forget(self) -> None:
        """Drops the operands: the recorded op must not keep the values that it was traced with alive."""
        self._operands = []

    def carry(self, places: set[int]) -> None:
        """Makes the values of `places`, parts of the state, unknown: each iteration computes them."""
        self.counters = self.counters - places
        self.__dict__.pop("counted", None)

    def operand(self, place: int) -> Tensor:
        """The initial value of `place`."""
        return self._operands[place - 1]

    @functools.cached_property
    def counters(self) -> set[int]:
        """The parts of the state whose value is known in each iteration."""
        found = {place for place in self.parts if self.known(place) is not None}
        while True:
            slots = self._counted(found).slots
            still = {place for place in found if self.after[place - 1] in slots}
            if still == found:
                return found
            found = still

    @functools.cached_property
    def counted(self) -> Counted:
        """The values that are known in each iteration."""
        return self._counted(self.counters)

    def _counted(self, counters: set[int]) -> Counted:
        places = {place for place in self.leaves.values() if place and self.known(place) is not None}
        known = {0} | counters | places.difference(self.parts)
        return Counted(self.block, [slot for slot, place in self.leaves.items() if place in known])

    def known(self, place: int) -> np.ndarray | None:
        """The constant initial value of `place`, or its rows in order; None unless it is a known integer or boolean."""
        tensor = self.operand(place)
        ndim = tensor.ndim - (place in self.rows)
        value = constant(tensor) if ndim == 0 and tensor.dtype in COUNTED else None
        return value[::-1] if value is not None and place in self.rows and self.is_backward else value

    def is_known(self, place: int) -> bool:
        """Whether the value of `place` is known in each iteration."""
        return place == 0 or (place in self.counters if place in self.parts else self.known(place) is not None)

    @functools.cached_property
    def idle(self) -> set[int]:
        """The parts of the state that no iteration changes."""
        return {place for slot, place in self.leaves.items() if place in self.parts and self.after[place - 1] == slot}

    @functools.cached_property
    def fixed(self) -> set[int]:
        """The loop-invariant slots."""
        found = {slot for slot, place in self.leaves.items() if place in self.idle or place >= self.rows.stop}
        kept = effectful_steps(self.block) | self.block.graph.watcher.customs.keys()
        if self.block.graph.node.bounds:  # the sizes that it finds are unknown outside
            kept |= {node.first for node in self.block.path if node.op is not None and are_symbols_in(node)}
        for node in self.block.path:
            if node.op is None and node.inputs:
                found.add(node.first)
            elif node.op is not None and node.first not in kept and found.issuperset(slots_of(node)):
                found.update(range(node.first, node.slot))
        return found


def constant(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` if every call of the function that is being traced finds the same, else None."""
    is_variable = id(tensor) in here.graph.cells
    return None if tensor._array is None or is_variable else np.asarray(tensor._array)


def constant_of(tensor: Tensor) -> Any:
    """The value of a scalar that integer and boolean arithmetic computes from constants; None of other tensors."""
    graph = tensor._trace
    if tensor._array is not None:
        return np.asarray(tensor._array)
    return _Constants(graph).at(tensor._slot) if isinstance(graph, Graph) else None


class _Constants:
    """The constants of `graph` and of the graphs around it."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._path = graph.node.path()
        self._steps = {slot: node for node in self._path for slot in range(node.first, node.slot)}

    def at(self, slot: int) -> Any:
        """The value in `slot`, or None."""
        node = self._steps[slot]
        if node.op is None:
            return self._number(node.inputs[0]) if node.inputs else self._leaf(node)
        function = arithmetic_of(node)
        if function is None:
            return None
        values: Sequence[Any] = [self._number(x) if type(x) is Number else self.at(x) for x in node.inputs]
        return None if any(value is None for value in values) else function(*values)[slot - node.first]

    def _number(self, number: Any) -> np.ndarray:
        return number.on_host(self._graph.floats, self._graph.ints)

    def _leaf(self, node: Node) -> Any:
        """The value of a leaf from a graph around this one; arguments and variables are not constant."""
        tensor = self._graph.leaves[node.leaves - 1]
        is_own = tensor._trace is self._graph or id(tensor) in self._graph.cells
        return None if is_own else constant_of(tensor)
