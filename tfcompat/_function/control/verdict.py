"""The condition of a loop that does more than to answer: it assigns, prints, draws or can complain.

It is computed before the first iteration and after each, so its steps stand in two places. They are those of one trace:
what they draw in one place goes on where it ended in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfcompat._core import nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import Tensor
from tfcompat._core.trace import Trace
from tfcompat._function.body import Body
from tfcompat._function.control.unshaped import Unshaped
from tfcompat._function.graph import Drawn, Graph
from tfcompat._state.position import Position


class Verdict:
    """`condition`, a function of a structure like `state`, traced once and recorded wherever it is called."""

    def __init__(self, condition: Callable[..., Tensor], state: Sequence[Any]) -> None:
        leaves = _leaves(state)
        graph = _Shared("while_cond", creates=False, is_part=True)
        with graph.recording():
            given = [graph.argument(x._aval, k) if type(x) is Tensor else x for k, x in enumerate(leaves)]
            found = condition(*nest.pack_sequence_as(state, given, expand_composites=True))
            self._body = _SharedBody(graph, found, [found], {})

    def __call__(self, state: Sequence[Any]) -> Tensor:
        """Records what the condition does, and answers what it answers."""
        return self._body(_leaves(state))


def _leaves(state: Sequence[Any]) -> list[Any]:
    leaves = nest.flatten(state, expand_composites=True)
    return [x if type(x) is Unshaped else convert_to_tensor(x) for x in leaves]


class _Shared(Graph):
    """A graph whose steps are recorded in several places, all of which draw from the same streams."""

    __slots__ = ()

    def drawn(self, source: Drawn) -> Tensor:
        """What is drawn anew each time; without seeds, wherever the steps are recorded."""
        place = self.place_of(source)
        return self.drawn_at_call(source) if place is None else place.drawn()


class _SharedBody(Body):
    """The trace of such a graph."""

    def _places(self, trace: Trace) -> dict[int, Position]:
        del trace
        return {}
