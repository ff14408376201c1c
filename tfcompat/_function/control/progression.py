"""Values that are known in each iteration of a loop: equal, linear in the iteration's number, or a table."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import jax.numpy as jnp
import numpy as np

from tfcompat._function.block.procedure import constant
from tfcompat._jaxpr.size import is_open


class Pattern(NamedTuple):
    """A progression without its sizes.

    Attributes:
      dtype: the name of the dtype.
      is_linear: whether the values are linear in the iteration's number, and not equal.
      table: the bytes of the values if they are neither equal nor linear.
    """

    dtype: str
    is_linear: bool
    table: bytes | None


class Progression:
    """Known integers or booleans, one for each iteration, in the form that costs a scan least.

    Attributes:
      pattern: its form.
      first, step: the first value, and the difference of the second one: they may be sizes with symbols.
      table: the values if they are neither equal nor linear, else None.
    """

    def __init__(self, pattern: Pattern, first: Any, step: Any) -> None:
        self.pattern, self.first, self.step = pattern, first, step
        self.table = None if pattern.table is None else np.frombuffer(pattern.table, pattern.dtype)

    @classmethod
    def of(cls, values: np.ndarray) -> Self:
        """The progression of `values`."""
        first = values[0] if len(values) else np.zeros((), values.dtype)[()]
        is_same = bool((values == first).all())
        steps = np.diff(values[:2]) if values.dtype != bool else values[:0]
        step = steps[0] if len(steps) else np.zeros((), values.dtype)[()]
        count = np.arange(len(values)).astype(values.dtype)
        is_linear = not is_same and values.dtype != bool and bool((values == first + step * count).all())
        if is_same or is_linear:
            return cls(Pattern(values.dtype.name, is_linear, None), int(first), int(step))
        return cls(Pattern(values.dtype.name, False, np.ascontiguousarray(values).tobytes()), 0, 0)

    @property
    def sized(self) -> tuple[Any, Any]:
        """The first value and the step."""
        return self.first, self.step

    def at(self, number: Any, entry: Any) -> Any:
        """The value in iteration `number`; `entry` is that row of the table, if there is a table."""
        if entry is not None:
            return entry
        first = constant(self.first, self.pattern.dtype)
        if not self.pattern.is_linear:
            return first
        return first + jnp.asarray(number, first.dtype) * constant(self.step, self.pattern.dtype)

    def values(self, count: Any) -> Any:
        """The values in the first `count` iterations, as a vector."""
        if self.table is not None:
            return self.table
        if any(map(is_open, (count, *self.sized))):
            return self.at(jnp.arange(count), None) + jnp.zeros(count, self.pattern.dtype)
        return (self.first + self.step * np.arange(count)).astype(self.pattern.dtype)

    def last(self, count: Any) -> Any:
        """The value in the last of `count` iterations, if there is no table."""
        return self.first + self.step * (count - 1)

    def reversed(self, count: Any) -> Progression:
        """The values of `count` iterations in reverse order."""
        if self.table is None:
            return Progression(self.pattern, self.last(count), -self.step)
        return Progression(self.pattern._replace(table=self.table[::-1].tobytes()), 0, 0)
