"""Which values of a trace are equal because the same steps compute them from the same values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from tfcompat._core.structure.node import Node, Number
from tfcompat._core.structure.tensor import Tensor
from tfcompat._function.graphs.graph import Graph

# Larger constants are not compared.
_MOST_BYTES = 1024
_NONE: Mapping[int, int] = MappingProxyType({})


class EqualValues:
    """The values of `graph`, numbered: equal numbers mean equal values."""

    def __init__(self, graph: Graph, same: Mapping[int, int] = _NONE) -> None:
        """`same` are slots whose values are known to be equal to those of earlier slots."""
        self._graph = graph
        # The steps by op and numbers of their inputs; the number of each slot, if it is not the slot itself.
        self._known: dict[Any, Node] = {}
        self._numbers = dict(same)
        self._count = 0

    def number(self, slot: int) -> int:
        """The number of the value in `slot`: the first slot with this value."""
        path = self._graph.node.path()
        for step in path[self._count :]:
            key = self._constant(step) if step.op is None else (step.op, *map(self._key, step.inputs))
            if key is None or (step.op is not None and step.op.calls_python):
                continue
            known = self._known.setdefault(key, step)
            if known is not step:
                self._numbers.update({step.first + k: known.first + k for k in range(len(step.avals))})
        self._count = len(path)
        return self._numbers.get(slot, slot)

    def _constant(self, leaf: Node) -> Any:
        """A key for the value of `leaf`, if that is a number, or a small array that is the same in every call."""
        if leaf.inputs:
            return leaf.aval, *map(self._key, leaf.inputs)
        source = self._graph.sources[leaf.leaves - 1]
        if type(source) is not Tensor or source._is_symbolic() or leaf.aval.nbytes > _MOST_BYTES:
            return None
        return leaf.aval, np.asarray(source).tobytes()

    def _key(self, reference: Any) -> Any:
        if type(reference) is Number:
            return repr(reference.of(self._graph.floats, self._graph.ints)), reference.dtype
        return self._numbers.get(reference, reference)
