"""How the blocks of a loop read their leaves from what the loop is given, as functions of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfcompat._function.control.block import Block, Links

_NONE: Links = frozenset()
Values = Sequence[Any]


@dataclass(frozen=True)
class Wiring:
    """The blocks of a loop, and the places of their leaves: 0 for the number of the iteration, then the operands.

    The first operands are the state: the loop variables, then the variables that it assigns.

    Attributes:
      test, step: the condition and the body; `places_of_test` and `places_of_step`: for each of their leaves its place.
      verdict: the slot in `test` of what the condition says; `after`: those in `step` of the next state.
      variables: how many of the parts of the state are loop variables.
      limit: the place of a limit on the iterations that only the program knows; `most`: one that is known.
    """

    test: Block
    step: Block
    places_of_test: Sequence[int]
    places_of_step: Sequence[int]
    verdict: int
    after: Sequence[int]
    variables: int
    limit: int | None
    most: int | None

    @property
    def size(self) -> int:
        """How many parts the state has."""
        return len(self.after)

    def reads(self, part: int | None) -> set[int]:
        """The places that a part of the next state is computed from, of None what the condition is."""
        if part is None:
            return {self.places_of_test[leaf] for leaf in self.test.read([self.verdict])}
        return {self.places_of_step[leaf] for leaf in self.step.read([self.after[part]])}

    def goes_on(self) -> Callable[[Values], Any]:
        """The function from what is in the places to what the condition says."""
        run = self.test.function([self.verdict])
        return lambda values: run([values[place] for place in self.places_of_test])[0]

    def next(self, parts: Sequence[int]) -> Callable[[Values], Values]:
        """The function from what is in the places to some parts of the next state."""
        run = self.step.function([self.after[part] for part in parts])
        return lambda values: run([values[place] for place in self.places_of_step])

    def links(self) -> tuple[Links, ...]:
        """For each part of the state the operands that its derivative depends on, after any number of iterations.

        Nothing leads through an assignment.
        """
        count = self.variables
        links = [{self.places_of_step[k] for k in leaves} for leaves in self.step.links(self.after[:count])]
        while True:
            wider = [found.union(*[links[p - 1] for p in found if 0 < p <= count]) for found in links]
            if wider == links:
                break
            links = wider
        answer = [frozenset({place - 1 for place in found if place} | {k}) for k, found in enumerate(links)]
        return (*answer, *[_NONE] * (self.size - count))
