"""Whether a function wastes time by computing with as many rows as there can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tfcompat._core.operation.bound import Bound

# The number of calls whose sizes are looked at.
_CALLS = 3
# What calls that run their Python code take longer, in nanoseconds, and how many times as long padded arrays may take.
MARGIN = 2e6
_FACTOR = 3.0

# From the values of the sizes to the estimated nanoseconds of the steps that have them.
Cost = Callable[[Mapping[str, int]], float]


class Waste:
    """The estimated time on padded arrays, compared with that for the true sizes of the first calls.

    Attributes:
      cost: the estimated time of the steps with such sizes, for some sizes; `fixed`: of the other steps.
      is_pending: whether it needs the sizes of the next call.
      is_too_large: whether calls had better run their Python code, for the sizes that they find.
    """

    def __init__(self, cost: Cost, bounds: Sequence[Bound], fixed: float) -> None:
        self.cost = cost
        self.fixed = fixed
        self._padded = cost({bound.name: bound.most for bound in bounds})
        self._calls = 0
        self._true = 0.0
        self.is_pending = self._padded > MARGIN
        self.is_too_large = False

    def note(self, sizes: Mapping[str, int]) -> None:
        """Takes the true `sizes` of a call."""
        self._calls += 1
        self._true += self.cost(sizes)
        if self._calls == _CALLS:
            self.is_pending = False
            self.is_too_large = self._padded > MARGIN + _FACTOR * self._true / _CALLS
