"""A block: a branch or a loop's body, traced on its own, and the pure function that it computes."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat._core import nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.node import Node, Number
from tfcompat._core.op import Op, differentiable
from tfcompat._core.replay import Plan
from tfcompat._core.tensor import Tensor
from tfcompat._function.graph import Argument, Graph, fixed
from tfcompat._state.cell import Cell

Links = frozenset[int]
_NONE: Links = frozenset()


class Block:
    """A Python function, traced.

    Attributes:
      result: what the function answered, its leaves tensors (or None).
      outputs: the tensors among them.
      sources: where the value of each leaf comes from.
      updates: by number, the variables that it assigns, each with the tensor that it then holds.
    """

    def __init__(self, graph: Graph, function: Callable[[], Any]) -> None:
        with graph.recording():
            self.result = nest.map_structure(_returned, function(), expand_composites=True)
            leaves = nest.flatten(self.result, expand_composites=True)
            self.outputs: list[Tensor] = [leaf for leaf in leaves if leaf is not None]
            self.updates = {number: (cell, cell._tensor) for number, (cell, _) in graph.replaced.items()}
            self._slots = {id(tensor): graph.slot_of(tensor) for tensor in self.tensors()}
        self.graph = graph
        self.sources = [fixed(source) if type(source) is Tensor else source for source in graph.sources]
        self.path = [faithful(node) for node in graph.node.path()]
        self.leaves = [node.first for node in self.path if node.op is None and not node.inputs]
        self._numbers = {slot: number for number, slot in enumerate(self.leaves)}

    def tensors(self) -> list[Tensor]:
        """What it computes: its outputs, then what variables hold."""
        return [*self.outputs, *(tensor for _, tensor in self.updates.values())]

    def slots(self, tensors: Iterable[Tensor]) -> list[int]:
        """The slots of some of `tensors()`."""
        return [self._slots[id(tensor)] for tensor in tensors]

    def plan(self, slots: Sequence[int]) -> Plan:
        """What has to be evaluated to know `slots`."""
        return Plan(self.path, (), slots)

    def read(self, slots: Sequence[int]) -> list[int]:
        """The leaves, by number, that `slots` are computed from."""
        return [self._numbers[node.first] for node in self.plan(slots).leaves]

    def function(self, slots: Sequence[int]) -> Callable[[Sequence[Any]], list[Any]]:
        """The function that computes `slots` from the values of the leaves."""
        plan = self.plan(slots)

        def run(values: Sequence[Any]) -> list[Any]:
            found = plan.evaluate(dict(zip(self.leaves, values, strict=True)), self._number)
            return [found[slot] for slot in slots]

        return run

    def _number(self, number: Number) -> Any:
        held = self.graph.floats if number.kind == "f" else self.graph.ints
        return jnp.asarray(held[number.index], number.dtype.as_numpy_dtype)

    def links(self, slots: Sequence[int]) -> list[Links]:
        """For each of `slots` the leaves, by number, that its derivative depends on."""
        reached: dict[int, Links] = {slot: frozenset((k,)) for k, slot in enumerate(self.leaves)}
        for node in self.path:
            if node.op is not None:
                for k, aval in enumerate(node.avals):
                    if differentiable(aval):
                        parts = [reached.get(slot, _NONE) for slot in self._linked(node, k)]
                        reached[node.first + k] = _NONE.union(*parts)
        return [reached.get(slot, _NONE) for slot in slots]

    def _linked(self, node: Node, output: int) -> list[int]:
        custom = self.graph.watcher.customs.get(node.first)
        if custom is not None:
            return list(custom.inputs)
        assert node.op is not None
        return [slot for i, slot in enumerate(node.inputs) if type(slot) is int and node.op.links(output, i)]


class Operands:
    """What the blocks of one op read in the graph around it: a place for each tensor or variable.

    Attributes:
      tensors: their values there. They stand from place `first` on.
    """

    def __init__(self, tensors: Sequence[Tensor] = (), first: int = 0) -> None:
        self.tensors = list(tensors)
        self._first = first
        self._places: dict[int, int] = {}

    def place(self, source: Tensor | Cell) -> int:
        """The place of `source`. A variable is read where it comes up first."""
        key = id(source) if type(source) is Tensor else ~source._number
        if key not in self._places:
            self._places[key] = self._first + len(self.tensors)
            self.tensors.append(source if type(source) is Tensor else source._read())
        return self._places[key]

    def hold(self, cell: Cell, place: int) -> None:
        """Lets `place` stand for `cell`."""
        self._places[~cell._number] = place

    def places(self, block: Block) -> list[int]:
        """The places of the leaves of `block`; its arguments stand in the first ones."""
        return [
            source.index if type(source) is Argument else self.place(source)  # pyright: ignore[reportArgumentType]
            for source in block.sources
        ]


def faithful(node: Node) -> Node:
    """`node` with an op whose derivatives in JAX are those that tapes follow: no gradient flows where it says so."""
    op = node.op
    if op is None or not op.blocked:
        return node
    found = op.derived.get("faithful")
    if found is None:
        found = op.derived["faithful"] = Op(op.name, functools.partial(_stopped, op), label=op.label, many=True)
    twin = copy.copy(node)
    twin.op = found
    return twin


def _stopped(op: Op, *inputs: Any) -> tuple[Any, ...]:
    blocked = range(len(inputs)) if op.blocked is True else op.blocked
    return op.outputs(*[jax.lax.stop_gradient(x) if i in blocked else x for i, x in enumerate(inputs)])


def _returned(value: Any) -> Tensor | None:
    return None if value is None else convert_to_tensor(value)
