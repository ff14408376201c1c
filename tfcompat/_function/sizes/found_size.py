"""The sizes that the program of a graph finds: symbols, whose values steps of the graph compute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.operation.bound import found_sizes, prefix
from tfcompat._core.operation.inference import LEAST
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import UntraceableError
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._core.tracing.trace import here, record
from tfcompat._function.graphs.equal_value import EqualValues
from tfcompat._function.graphs.graph import Graph
from tfcompat._jaxpr.padded.bound import FOUND, POSITIVE, bounds
from tfcompat._jaxpr.size import is_open, symbols_of

_MOST = 32
# A symbol is named after the first of these numbers that it cannot exceed: JAX then knows which sizes are larger.
_ENDS = {"a": 32, "b": 128, "c": 512, "d": 2048, "e": 8192}
_WITHOUT_END = "z"


_scopes: dict[str, jax.export.SymbolicScope] = {}


def _scope_of(finder: str) -> jax.export.SymbolicScope:
    """The scope of the symbols in all traces of one kind: of functions, or of loops and branches within them.

    JAX takes some 50 ms to make one, and in the same scope equal steps of different traces have equal shapes.
    """
    found = _scopes.get(finder)
    return _scopes.setdefault(finder, _new_scope()) if found is None else found


def _new_scope() -> jax.export.SymbolicScope:
    """A scope for such symbols. Sizes may be 0 and 1, too: `bounded_step` tests whether the steps are right then."""
    constraints: list[str] = []
    for end, most in (*_ENDS.items(), (_WITHOUT_END, None)):
        for name in [_name(k, end) + sign for k in range(_MOST) for sign in ("", POSITIVE)]:
            constraints += [f"{name} >= {LEAST}", *([] if most is None else [f"{name} <= {most}"])]
    return jax.export.SymbolicScope(constraints)


def _name(number: int, end: str) -> str:
    return f"{FOUND}{number}{end}"


class FoundSizes:
    """The sizes that the program of `graph` finds.

    Attributes:
      counts: by symbol, the values of the sizes.
      values: by slot, the sizes with symbols that tensors of the graph have as values.
    """

    def __init__(self, graph: Graph, finder: str, first: int = 0) -> None:
        """`finder` is the kind of the traces; the first symbol has the number `first`."""
        self.counts: dict[str, Tensor] = {}
        self.values: dict[int, np.ndarray] = {}
        self._graph = graph
        self._finder = finder
        self._first = first
        self._equal = EqualValues(graph)
        self._symbols: dict[tuple[int, str, bool], Any] = {}
        self._tensors: dict[Any, Tensor] = {}
        self._largest: dict[str, int] = {}

    def has(self, size: Any) -> bool:
        """Whether `size` consists of these symbols."""
        return is_open(size) and symbols_of([size]) <= self.counts.keys()

    @property
    def next_number(self) -> int:
        """The number of the next symbol."""
        return self._first + len(self.counts)

    def first_rows(self, arrays: Sequence[Tensor], count: Tensor, what: str, least: int) -> list[Tensor]:
        """As `Graph.first_rows`. Raises UntraceableError in the trace of a part of the graph.

        Equal counts have one symbol: rows that were chosen by the same condition are as many. Of no rows all are taken.
        """
        if here.trace is not self._graph:
            raise UntraceableError(f"{what} depends on data, in a loop or a branch")
        if arrays[0]._aval.shape[0] == 0:
            return list(arrays)
        key = self._equal.number(count._slot), str(arrays[0]._aval.shape[0]), least > 0
        if key not in self._symbols:
            if self.next_number == _MOST:
                raise UntraceableError(f"{what} depends on data, as do {_MOST} others")
            name = self._named(arrays[0]._aval.shape[0], least)
            (self._symbols[key],) = jax.export.symbolic_shape(name, scope=_scope_of(self._finder))
            self.counts[name] = count
        size = self._symbols[key]
        taken = prefix(size)
        return [record(taken, (rows, self.counts[str(size)])) for rows in arrays]

    def _named(self, within: Any, least: int) -> str:
        """The name of the next symbol, for a size from `least` to `within`."""
        most = bounds(within, self._largest)[1]
        end = next((end for end in _ENDS if most <= _ENDS[end]), _WITHOUT_END)
        name = _name(self.next_number, end) + POSITIVE * (least > 0)
        self._largest[name] = most
        return name

    def tensor(self, sizes: Sizes) -> Tensor:
        """`sizes` as a tensor that the program computes, before the loop or the branch that asks for it."""
        key = (*map(str, sizes.array.ravel()), sizes.array.ndim, sizes.dtype)
        found = self._tensors.get(key)
        if found is None:
            found = self._tensors[key] = self._computed(sizes)
        return found

    def _computed(self, sizes: Sizes) -> Tensor:
        names = tuple(sorted(symbols_of(sizes.array.ravel())))
        wanted = tuple(sizes.array.tolist()) if sizes.array.ndim else sizes.array.item()
        part, here.trace = here.trace, self._graph
        try:
            found = record(found_sizes(wanted, names, sizes.dtype), tuple([self.counts[name] for name in names]))
        finally:
            here.trace = part
        self.values[found._slot] = sizes.array
        return found
