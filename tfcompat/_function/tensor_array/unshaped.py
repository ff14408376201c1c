"""The array of an empty tensor array. The shape of its rows is not known until the first write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._autodiff.gradient import zeros
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.trace import Trace
from tfcompat._core.types.aval import aval_of
from tfcompat._core.types.dtype import DType

# The sizes of a row.
Sizes = tuple[Any, ...]


class Unshaped:
    """An array of `size` zero rows, which is made when the shape of the rows becomes known.

    Attributes:
      tensor: the array, once it is made.
    """

    def __init__(self, size: Any, dtype: DType, argument: Callable[[Sizes], Tensor] | None = None) -> None:
        """It is the argument of a graph that `argument` makes for the shape of the rows, if that is given."""
        self.size = size
        self.dtype = dtype
        self.tensor: Tensor | None = None
        self._argument = argument

    def resolve(self, dims: Sizes, trace: Trace) -> Tensor:
        """The array with rows of shape `dims`. It is made in `trace` unless it is an argument."""
        if self.tensor is None:
            if self._argument is not None:
                self.tensor = self._argument(dims)
                return self.tensor
            aval = aval_of((self.size, *dims), self.dtype)
            node = trace.step(zeros(aval), (), ())
            return trace.tensor(node.first, aval)
        return self.tensor

    @property
    def is_argument(self) -> bool:
        """Whether it is the argument of a graph."""
        return self._argument is not None
