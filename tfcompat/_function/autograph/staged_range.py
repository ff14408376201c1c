"""Ranges in functions that are traced, whose limits may be known only when the function is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tfcompat._core.calls.by_row import element_trace
from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.tracing.constancy import settled, size_value
from tfcompat._core.types.dtype import as_dtype
from tfcompat._function.graphs.graph import is_symbolic
from tfcompat._function.graphs.refusal import refuse_iteration
from tfcompat._ops.array.creation import _RANGE_DTYPES
from tfcompat._ops.array.creation import range as known_range
from tfcompat._ops.array.known import known
from tfcompat._ops.elementwise.algebraic import add, floordiv, multiply, negative, subtract
from tfcompat._ops.elementwise.rounding import cast


def _forwarded(name: str) -> Callable[..., Any]:
    """The operator `name` of a range as a tensor."""

    def operate(self: StagedRange, *operands: Any) -> Any:
        return getattr(self._as_tensor(), name)(*operands)

    return operate


class StagedRange:
    """A `tf.range` whose length is only known when the function is called. It is an iterable, not a tensor.

    Any other use, except in functions of the elements of datasets, needs a length that calls are expected to have.

    Attributes:
      start, limit, delta: scalar tensors of one dtype.
    """

    stands_for_tensor = True

    def __init__(self, start: Tensor, limit: Tensor, delta: Tensor) -> None:
        self.start = start
        self.limit = limit
        self.delta = delta

    def __iter__(self) -> NoReturn:
        refuse_iteration()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"'StagedRange' object has no attribute '{name}'")
        return getattr(self._as_tensor(), name)

    def _as_tensor(self, *_: Any) -> Tensor:
        """The range as a tensor. Raises FindsSizeError unless its length is expected."""
        if element_trace() is not None or not self.start.dtype.is_integer:
            return known_range(self.start, self.limit, self.delta)
        delta = Tensor(known(self.delta, "tf.range"))
        if not np.asarray(delta):
            return known_range(self.start, self.limit, delta)
        count = known(negative(floordiv(subtract(self.start, self.limit), delta)), "tf.range")
        return add(self.start, multiply(delta, known_range(max(count.item(), 0), dtype=delta.dtype)))

    __add__ = _forwarded("__add__")
    __radd__ = _forwarded("__radd__")
    __sub__ = _forwarded("__sub__")
    __rsub__ = _forwarded("__rsub__")
    __mul__ = _forwarded("__mul__")
    __rmul__ = _forwarded("__rmul__")
    __truediv__ = _forwarded("__truediv__")
    __rtruediv__ = _forwarded("__rtruediv__")
    __floordiv__ = _forwarded("__floordiv__")
    __rfloordiv__ = _forwarded("__rfloordiv__")
    __mod__ = _forwarded("__mod__")
    __rmod__ = _forwarded("__rmod__")
    __pow__ = _forwarded("__pow__")
    __rpow__ = _forwarded("__rpow__")
    __matmul__ = _forwarded("__matmul__")
    __rmatmul__ = _forwarded("__rmatmul__")
    __lt__ = _forwarded("__lt__")
    __le__ = _forwarded("__le__")
    __gt__ = _forwarded("__gt__")
    __ge__ = _forwarded("__ge__")
    __eq__ = _forwarded("__eq__")
    __ne__ = _forwarded("__ne__")
    __neg__ = _forwarded("__neg__")
    __abs__ = _forwarded("__abs__")
    __getitem__ = _forwarded("__getitem__")
    __hash__ = object.__hash__


def range_of(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    """`tf.range` in a function: a tensor if the limits are known, otherwise a `StagedRange`."""
    ends = [
        settled(convert_to_tensor(end)) for end in ((start, limit, delta) if limit is not None else (0, start, delta))
    ]
    if any(end.shape.rank for end in ends) or all(not is_symbolic(end) or size_value(end) is not None for end in ends):
        return known_range(start, limit, delta, dtype, name)
    wanted = max((end.dtype for end in ends), key=_RANGE_DTYPES.index) if dtype is None else as_dtype(dtype)
    return StagedRange(*[cast(end, wanted) for end in ends])
