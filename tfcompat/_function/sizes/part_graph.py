"""The trace of a branch, or of a loop's condition or body, which may find sizes of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfcompat._core.calls.by_row import is_within_elements
from tfcompat._core.operation.sampling import are_open
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.system.error import SeveralSizesError, UntraceableError
from tfcompat._core.system.location import is_raised_by_user
from tfcompat._core.tracing.sizes import Sizes
from tfcompat._function.graphs.graph import Graph
from tfcompat._function.graphs.source import Drawn
from tfcompat._function.sizes.found_size import FoundSizes
from tfcompat._jaxpr.size import is_open, symbols_of


class PartGraph(Graph):
    """A graph for a part of the function whose trace is current.

    Sizes that it finds are symbols within it. From outside it is a step with known sizes.

    Attributes:
      found: the sizes that it finds; None without any.
    """

    __slots__ = ("found",)

    def __init__(self, label: str, *, creates: bool = False) -> None:
        super().__init__(label, creates=creates, is_part=True)
        self.found: FoundSizes | None = None

    @property
    def found_sizes(self) -> Mapping[int, np.ndarray]:
        """By slot, the sizes with symbols that tensors in the trace have as values."""
        return {} if self.found is None else self.found.values

    def is_found(self, size: Any) -> bool:
        """As `Graph.is_found`."""
        return self._owns(size) or super().is_found(size)

    def finds_part_of(self, size: Any) -> bool:
        """As `Graph.finds_part_of`."""
        return self.found is not None and not self.found.counts.keys().isdisjoint(symbols_of([size]))

    def _owns(self, size: Any) -> bool:
        return self.found is not None and self.found.has(size)

    def first_rows(self, arrays: Sequence[Tensor], count: Tensor, what: str, least: int = 0) -> list[Tensor]:
        """As `Graph.first_rows`.

        Raises: UntraceableError if the largest number is not known here, or if rows are computed at once.
        """
        size = arrays[0]._aval.shape[0]
        if not self.is_part:
            return super().first_rows(arrays, count, what, least)
        if is_within_elements() or not all(part.may_find for part in self._parts()):
            raise UntraceableError(f"{what} depends on data, in a loop or a branch")
        if is_open(size) and not self._owns(size):
            raise SeveralSizesError(f"{what} depends on data, in a loop or a branch, and its bound is {size}")
        if self.found is None:
            around = [part.found.next_number for part in self._parts() if part.found is not None]
            self.found = FoundSizes(self, "part", max(around, default=0))
        return self.found.first_rows(arrays, count, what, least)

    @property
    def may_find(self) -> bool:
        """Whether it may find sizes: a step that runs all iterations at once may not."""
        return True

    def _parts(self) -> Iterator[PartGraph]:
        """This part and those around it."""
        graph: Any = self
        while isinstance(graph, PartGraph):
            yield graph
            graph = graph.outer

    def sizes(self, sizes: Sizes) -> Tensor:
        """As `Graph.sizes`. Raises UntraceableError if only some of the symbols are found here."""
        names = symbols_of(sizes.array.ravel())
        if self.found is None or names.isdisjoint(self.found.counts):
            return super().sizes(sizes)
        if not names <= self.found.counts.keys():
            raise UntraceableError(f"sizes depend on data, in a loop or a branch, and on others: {sizes.array}")
        return self.found.tensor(sizes)

    def drawn(self, source: Drawn) -> Tensor:
        """As `Graph.drawn`. Raises UntraceableError if as many numbers are drawn as it has found."""
        blocks = source.stream.blocks
        if self.found is not None and is_open(blocks) and not symbols_of([blocks]).isdisjoint(self.found.counts):
            raise UntraceableError("as many random numbers are drawn as a loop or a branch finds")
        return super().drawn(source)

    def refused(self, error: Exception) -> Exception:
        """The error for `error`, which was raised while the body was traced.

        It is an UntraceableError if the body may fail because sizes are symbols, for which code may raise any error.
        """
        if self.found is None or isinstance(error, UntraceableError) or is_raised_by_user(error):
            return error
        kind = SeveralSizesError if are_open() else UntraceableError
        return kind(f"a size depends on data, in a loop or a branch: {error}")
