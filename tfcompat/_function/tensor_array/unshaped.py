"""The array behind a tensor array that nothing has been written into: the shape of its rows is not known yet."""

from __future__ import annotations

import functools

import jax.numpy as jnp

from tfcompat._core.aval import aval_of
from tfcompat._core.dtype import DType
from tfcompat._core.op import GradientRule, Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace
from tfcompat._function.graph import Graph


class Unshaped:
    """Zeros, `size` of them, as soon as it is known of which shape.

    Attributes:
      tensor: the array, once it is there.
    """

    def __init__(self, size: int, dtype: DType, graph: Graph | None = None, index: int = 0) -> None:
        """With a `graph` the array is that graph's argument number `index`."""
        self.size = size
        self.dtype = dtype
        self.tensor: Tensor | None = None
        self._graph = graph
        self._index = index

    def resolve(self, dims: tuple[int, ...], trace: Trace) -> Tensor:
        """The array of rows of shape `dims`; where it is no argument, made in `trace`."""
        if self.tensor is None:
            aval = aval_of((self.size, *dims), self.dtype)
            if self._graph is not None:
                self.tensor = self._graph.argument(aval, self._index)
                return self.tensor
            node = trace.step(_zeros(aval.shape, self.dtype), (), ())
            return trace.tensor(node.first, aval)
        return self.tensor

    @property
    def is_argument(self) -> bool:
        """Whether it is the argument of a graph."""
        return self._graph is not None


@functools.cache
def _zeros(dims: tuple[int, ...], dtype: DType) -> Op:
    return Op("zeros", lambda: jnp.zeros(dims, dtype.as_numpy_dtype), gradient=GradientRule(reads=False))
