"""Places of sizes in a recording: in the shape of a leaf, or among an op's attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfcompat._core.operation.op import Op
from tfcompat._core.structure.node import Node
from tfcompat._core.types.aval import Aval


class Place(NamedTuple):
    """A size in a recording.

    Attributes:
      step: the number of the step.
      positions: the path to the size, from the aval of a leaf's output or from an op: positions of axes, of arguments
        in a recipe, and of elements of tuples.
    """

    step: int
    positions: tuple[int, ...]

    def read(self, path: Sequence[Node]) -> Any:
        """The size at this place of the recording `path`."""
        node = path[self.step]
        value: Any = node.avals[0] if node.op is None else node.op
        for position in self.positions:
            value = parts(value)[position]
        return value

    def inside(self, position: int) -> Place:
        """The place of a part of the value at this place."""
        return Place(self.step, (*self.positions, position))


def parts(value: Any) -> Sequence[Any]:
    """The parts of an aval (sizes), of an op that has a recipe (its arguments), of a tuple."""
    if isinstance(value, Aval):
        return value.shape
    if isinstance(value, Op):
        return () if value.recipe is None else value.recipe.sized
    return value if isinstance(value, tuple) else ()
