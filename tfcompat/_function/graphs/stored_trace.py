"""The stored trace of a function's body, with the facts that calls of the function need."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.structure.watched import watched
from tfcompat._function.graphs.graph import Graph, fixed
from tfcompat._function.graphs.source import Argument, Drawn
from tfcompat._state.cell import Cell
from tfcompat._state.variable import Variable

_IS_WATCHED = attrgetter("_is_watched")


class StoredTrace:
    """A finished trace.

    Attributes:
      graph: the graph that was traced.
      node: the last node of the trace.
      numbers: the floats and the integers of the trace.
      sources: the source of the value of each leaf; `leaf_slots` and `leaf_avals` have their slots and avals.
      outputs: for each leaf of the result (slot, aval), or (value, None) for a value that is the same in every call.
      updates: (variable, slot, aval) for each variable that a call assigns.
      created: the variables that were created while tracing.
      loses_variables: whether a created variable is no longer referenced, so that the next call would create another.
      effects: (slot, aval) for each tensor that is computed for its side effects.
      customs: by first slot, the steps with a custom gradient.
      late_reads: (variable, slot) for each read of a variable that the body had assigned before.
      parameters: by number, the variables among the arguments, as indices of leaves. A call brings its own variables.
      has_open_sizes: whether it is the copy of a trace with symbols, for some sizes.
      changeable: the variables that it captures and whose shapes later assignments may change, with their avals.
    """

    def __init__(self, graph: Graph, flat: Sequence[Any], parameters: dict[int, int]) -> None:
        """The trace of `graph`, which is still recording. `flat` are the leaves of the result."""
        self.graph = graph
        # The tensors that are numbers of it; how many tensors tapes had watched when these were last examined.
        self._numbers = [tensor for tensor in graph.embedded.values() if not tensor._is_watched]
        self._examined = -1
        self.has_open_sizes = False
        self.outputs = [_output(graph, value) for value in flat]
        made = [reference() for reference, _ in graph.created]
        self.created = [cell for cell in made if cell is not None]
        self.loses_variables = len(self.created) < len(made)
        changed = [cell for cell, _ in graph.assigned.values() if cell is not None] + self.created
        self.updates = [(cell, graph.slot_of(cell._tensor), cell._tensor._aval) for cell in changed]
        self.effects = [(tensor._slot, tensor._aval) for tensor in graph.effects]
        self.customs = graph.watcher.customs
        self.late_reads = _late_reads(graph)
        self.parameters = parameters
        self.node = graph.node
        self.numbers = graph.floats, graph.ints
        self.sources = [fixed(source) if type(source) is Tensor else source for source in graph.sources]
        leaves = [node for node in self.node.path() if node.op is None and not node.inputs]
        self.leaf_slots = [node.first for node in leaves]
        self.leaf_avals = [node.aval for node in leaves]
        self.changeable = [
            (source, aval)
            for source, aval in zip(self.sources, self.leaf_avals, strict=True)
            if isinstance(source, Cell) and source.has_open_shape and source._number not in parameters
        ]

    @property
    def fits(self) -> bool:
        """Whether captured variables have the shapes that they had, and no tape has watched a number of it."""
        if self._examined != (count := watched.count):
            if any(map(_IS_WATCHED, self._numbers)):
                return False
            self._examined = count
        return all(cell._tensor._aval == aval for cell, aval in self.changeable)

    @property
    def is_replaceable(self) -> bool:
        """Whether another trace may replace it, as it no longer `fits`."""
        return bool(self.changeable or self._numbers)

    def variables(self) -> tuple[Variable, ...]:
        """The variables that it reads or assigns."""
        cells = [source for source in self.sources if isinstance(source, Variable)]
        cells += [cell for cell, _, _ in self.updates if isinstance(cell, Variable)]
        return tuple({cell._number: cell for cell in cells}.values())

    def cell(self, cell: Cell, flat: Sequence[Any]) -> Cell:
        """The variable that a call on the leaves `flat` uses in place of `cell`."""
        index = self.parameters.get(cell._number)
        return cell if index is None else flat[index]

    def leaf(self, source: Any, flat: Sequence[Any]) -> Tensor:
        """The computed value of the leaf from `source` for a call on the leaves `flat`."""
        kind = type(source)
        if kind is Argument:
            return computed(flat[source.index])
        if kind is Tensor:
            return source
        if kind is Drawn:
            return Tensor(np.array(source.stream(), np.int64))
        return computed(self.cell(source, flat)._held)


def computed(tensor: Tensor) -> Tensor:
    """`tensor`, with a value."""
    if tensor._array is None:
        tensor._value("function")
    return tensor


def _output(graph: Graph, value: Any) -> tuple[Any, Any]:
    if type(value) is Tensor and value._array is None:
        return graph.slot_of(value), value._aval
    return value, None


def _late_reads(graph: Graph) -> list[tuple[Cell, int]]:
    first = {graph.leaf_slots[key] for key in graph.cells}
    reads = [(reference(), slot) for reference, slots in graph.watcher.reads.values() for slot in slots]
    return [(cell, slot) for cell, slot in reads if cell is not None and slot not in first]
