"""Where a window that slides over a padded axis finds its elements."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfcompat._jaxpr.padded.padding import Padding
from tfcompat._jaxpr.padded.placement import shifted, spread
from tfcompat._jaxpr.size import is_open


class Slide(NamedTuple):
    """How a window slides along one axis.

    Attributes:
      axis: the operand's axis.
      low: how many elements stand before the operand; a size, which may have symbols.
      extent: how many elements the window spans, those that it skips included.
      stride: how far it moves.
      dilation: the distance of the operand's elements.
      places: how many places it has, padded.
    """

    axis: int
    low: Any
    extent: int
    stride: int
    dilation: int
    places: int

    @property
    def reach(self) -> int:
        """How many elements all places of the window cover together."""
        return max(self.places - 1, 0) * self.stride + self.extent

    def placed(self, padding: Padding, array: Any, value: Any) -> tuple[Any, Slide]:
        """`array` with the window's first element in it or `value` before it, and how the window slides along that."""
        if is_open(self.low):
            array = spread(array, self.axis, 0, 0, self.dilation - 1, value)
            least, most = padding.bounds(self.low)
            array = shifted(array, self.axis, padding.value(self.low), least, most, self.reach, value)
            return array, self._replace(low=0, dilation=1)
        low, high = self.margins(array.shape[self.axis])
        if low >= 0 and high > -self.stride:
            return array, self
        # XLA's convolutions on CPUs read wrong elements for some negative margins.
        array = spread(array, self.axis, min(low, 0), min(high, 0), self.dilation - 1, value)
        return array, self._replace(low=max(low, 0), dilation=1)

    def margins(self, size: int) -> tuple[int, int]:
        """How many elements stand before and behind the `size` elements of the operand; fewer if negative."""
        low = int(self.low)
        return low, self.reach - low - ((size - 1) * self.dilation + 1 if size else 0)
