"""Traces of functions whose code finds sizes: symbols, whose values the program computes (see `_core/bound.py`)."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np

from tfcompat._core.bound import found_sizes, prefix
from tfcompat._core.error import UntraceableError
from tfcompat._core.inference import LEAST
from tfcompat._core.sizes import Sizes
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record
from tfcompat._function.graph import Graph
from tfcompat._jaxpr.size import symbols_of


class BoundedGraph(Graph):
    """The trace of a function that finds sizes.

    Attributes:
      found: by symbol, the values of the sizes.
      found_sizes: by slot, the sizes with symbols that tensors in the trace have as values.
    """

    __slots__ = ("found", "found_sizes")

    def __init__(self, label: str, *, creates: bool) -> None:
        super().__init__(label, creates=creates)
        self.found: dict[str, Tensor] = {}
        self.found_sizes: dict[int, np.ndarray] = {}

    def first_rows(self, vectors: Sequence[Tensor], count: Tensor) -> list[Tensor]:
        """As `Graph.first_rows`. Raises UntraceableError in a loop or a branch."""
        self._require_current()
        name = f"u{len(self.found)}"
        # It may be 1, too: `bounded_body` tests whether the steps are right then.
        (size,) = jax.export.symbolic_shape(name, constraints=[f"{name} >= {LEAST}"])
        self.found[name] = count
        taken = prefix(size)
        return [record(taken, (vector, count)) for vector in vectors]

    def sizes(self, sizes: Sizes) -> Tensor:
        """`sizes` as a tensor that the program computes."""
        self._require_current()
        names = tuple(sorted(symbols_of(sizes.array.ravel())))
        wanted = tuple(sizes.array.tolist()) if sizes.array.ndim else sizes.array.item()
        found = record(found_sizes(wanted, names, sizes.dtype), tuple([self.found[name] for name in names]))
        self.found_sizes[found._slot] = sizes.array
        return found

    def _require_current(self) -> None:
        if here.trace is not self:
            raise UntraceableError("a size that depends on data is found in a loop or a branch")
