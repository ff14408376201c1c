"""The array of an empty tensor array. The shape of its rows is not known until the first write."""

from __future__ import annotations

from tfcompat._autodiff.gradient import zeros
from tfcompat._core.aval import aval_of
from tfcompat._core.dtype import DType
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace
from tfcompat._function.graph import Graph


class Unshaped:
    """An array of `size` zero rows, which is made when the shape of the rows becomes known.

    Attributes:
      tensor: the array, once it is made.
    """

    def __init__(self, size: int, dtype: DType, graph: Graph | None = None, index: int = 0) -> None:
        """With a `graph`, the array is argument number `index` of that graph."""
        self.size = size
        self.dtype = dtype
        self.tensor: Tensor | None = None
        self._graph = graph
        self._index = index

    def resolve(self, dims: tuple[int, ...], trace: Trace) -> Tensor:
        """The array with rows of shape `dims`. It is made in `trace` unless it is an argument."""
        if self.tensor is None:
            aval = aval_of((self.size, *dims), self.dtype)
            if self._graph is not None:
                self.tensor = self._graph.argument(aval, self._index)
                return self.tensor
            node = trace.step(zeros(aval), (), ())
            return trace.tensor(node.first, aval)
        return self.tensor

    @property
    def is_argument(self) -> bool:
        """Whether it is the argument of a graph."""
        return self._graph is not None
