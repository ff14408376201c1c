"""The graph of a loop's body: random numbers differ from iteration to iteration."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.aval import aval_of
from tfcompat._core.dtype import int32
from tfcompat._core.op import Op
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import here, record
from tfcompat._function.graph import Drawn, Graph

_SHIFT = 32
# 2 ** 32 divided by the golden ratio: it keeps the numbers of nested loops' iterations apart.
_SPREAD = 2654435769
_MOST = 2**31 - 1


class IteratedGraph(Graph):
    """A graph whose argument 0 is the number of the iteration.

    Draws without a seed, and those of iterations that run `at_once`, know the number alone: in the first iteration they
    are what they would be without a loop, in iteration k the op's stream goes on from a place of its own: k times
    2 ** 32 is added to the high half of the counter. In nested loops k is a hash of the iterations' numbers.
    """

    __slots__ = ("_at_once", "iteration")

    is_iterated = True

    def __init__(self, label: str, *, at_once: bool = False) -> None:
        super().__init__(label, creates=False, is_part=True)
        self._at_once = at_once
        self.iteration = self.argument(aval_of((), int32), 0)

    @property
    def keeps_places(self) -> bool:
        """Whether its draws, and those of its parts, find out where the one before has ended."""
        return not self._at_once and super().keeps_places

    def drawn(self, source: Drawn) -> Tensor:
        """What each iteration draws anew."""
        place = self.place_of(source)
        if place is not None:
            return place.drawn()
        vector = super().drawn(source)
        inner, here.trace = here.trace, self
        try:
            return record(_MOVED, (vector, self.iteration))
        finally:
            here.trace = inner


def _moved(drawn: Any, iteration: Any) -> Any:
    key, low, high = drawn
    place = (high >> _SHIFT) * np.int64(_SPREAD) + iteration.astype(np.int64) & _MOST
    return jnp.stack((key, low, (place << _SHIFT) + (high & (2**_SHIFT - 1))))


_MOVED = Op("drawn_in_iteration", _moved, blocked=True)
