"""Integers and booleans that are the same whenever the function that is being traced runs: those made of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfcompat._core.node import Node, Number
from tfcompat._core.tensor import Tensor
from tfcompat._function.control.counted import arithmetic_of
from tfcompat._function.graph import Graph


def constant_of(tensor: Tensor) -> Any:
    """The value of `tensor`, if arithmetic on constants makes it and it has no axes; else None."""
    graph = tensor._trace
    if tensor._array is not None:
        return np.asarray(tensor._array)
    return _Constants(graph).at(tensor._slot) if isinstance(graph, Graph) else None


class _Constants:
    """What is constant in `graph`, and in those around it."""

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
        held = self._graph.floats if number.kind == "f" else self._graph.ints
        return np.asarray(held[number.index], number.dtype.as_numpy_dtype)

    def _leaf(self, node: Node) -> Any:
        """What comes from a function around this one; arguments and variables are no constants."""
        tensor = self._graph.leaves[node.leaves - 1]
        is_own = tensor._trace is self._graph or id(tensor) in self._graph.cells
        return None if is_own else constant_of(tensor)
