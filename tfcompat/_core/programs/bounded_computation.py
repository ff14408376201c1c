"""The function of arrays that a program computes if it finds sizes itself: it runs on padded arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np

from tfcompat._core.operation.bound import Bound, bounds_in
from tfcompat._core.programs.computation import computation
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node
from tfcompat._jaxpr.padded.evaluation import self_sized
from tfcompat._jaxpr.tracing import traced


def bounded(
    plan: Plan,
    bounds: Sequence[Bound],
    slots: Sequence[int],
    outputs: Sequence[int],
    guards: Sequence[tuple[int, int]],
    has_floats: bool,
    has_ints: bool,
) -> Callable[..., tuple[Any, ...]]:
    """As `computation`. Sizes of steps may contain the symbols of `bounds`, but not those of `slots` and `outputs`."""
    found = [bound.slot for bound in bounds]
    replay = computation(plan, slots, (*outputs, *found), guards, has_floats=has_floats, has_ints=has_ints, early=found)
    largest = {bound.name: bound.most for bound in bounds}
    places = {bound.name: len(outputs) + k for k, bound in enumerate(bounds)}
    kept = frozenset(places.values())

    def run(*args: Any) -> tuple[Any, ...]:
        jaxpr = traced(replay, [jax.ShapeDtypeStruct(np.shape(arg), arg.dtype) for arg in args])
        values = self_sized(jaxpr, largest, places)(*args)
        return tuple([value for place, value in enumerate(values) if place not in kept])

    return run


def planned(
    path: Sequence[Node],
    given: Iterable[int],
    slots: Sequence[int],
    bounds: Sequence[Bound],
    start: int = 0,
    checked: Sequence[Node] = (),
) -> tuple[Plan, list[Bound]]:
    """The steps of `path` that compute `slots`, and those of `bounds` that these find, or need to know.

    The value checks of the steps `checked` need to know their sizes, too. For the other arguments see `Plan`.
    """
    found: list[Bound] = []
    while True:
        plan = Plan(path, given, (*slots, *[bound.slot for bound in found]), start)
        needed = bounds_in((*plan.steps, *checked), bounds)
        if needed == found:
            return plan, found
        found = needed
