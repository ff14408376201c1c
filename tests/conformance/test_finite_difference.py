"""At float64, along one random direction, derivatives of order 1 and 2 are the slopes of central differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.cases.dtype import is_differentiable
from tests.cases.recipe import Array, Example, recipes
from tests.conformance.table import each_name, recorded, report, tf
from tests.evaluate import (
    GRADIENT,
    SECOND_ORDER,
    VALUE,
    Arrays,
    Gradient,
    Outcome,
    Question,
    Refusal,
    Value,
    answers,
    first_weights,
    second_weights,
)
from tests.tolerance import STEP, is_slope

# Random values that are not near a corner.
SMOOTH_FILLS = {"normal", "positive", "unit", "above_one", "probability", "spread", "well_conditioned"}


@each_name
def test_first_derivative_is_the_slope(name: str) -> None:
    examples = [example for example, want in recorded(name, "gradient", "slope") if is_smooth(example, want)]
    check(examples, VALUE, output_sum, GRADIENT)


@each_name
def test_second_derivative_is_the_slope_of_the_first(name: str) -> None:
    examples = [example for example, want in recorded(name, "second_order", "second_slope") if is_smooth(example, want)]
    check(examples, GRADIENT, gradient_sum, SECOND_ORDER)


def check(
    examples: list[Example],
    function: Question,
    weighted_sum: Callable[[Example, Outcome], float],
    derivative: Question,
) -> None:
    """Along a direction, `derivative` must be the slope of the weighted sum of `function`."""
    places = [(example, example.arrays(), random_direction(example.arrays())) for example in examples]
    derived = answers(tf, derivative, [(example, arrays) for example, arrays, _ in places])
    above = answers(tf, function, [(example, moved(arrays, step, +STEP)) for example, arrays, step in places])
    below = answers(tf, function, [(example, moved(arrays, step, -STEP)) for example, arrays, step in places])
    failures = []
    for (example, _, direction), found, *ends in zip(places, derived, above, below):
        raised = [repr(each) for each in (found, *ends) if isinstance(each, Exception)]
        if raised:
            failures.append(f"{example!r}:\n    {raised[0]}")
            continue
        got = along(found.entries, direction)
        want = (weighted_sum(example, ends[0]) - weighted_sum(example, ends[1])) / (2 * STEP)
        if not is_slope(got, want):
            failures.append(f"{example!r}:\n    derivative          {got}\n    central difference  {want}")
    report(failures, len(examples))


def is_smooth(example: Example, want: Outcome) -> bool:
    """Whether all its floating inputs are float64 and away from corners, and any of them has a gradient."""
    if isinstance(want, Refusal) or all(entry is None for entry in want.entries):
        return False
    found = [recipe for recipe in recipes((example.args, example.attributes)) if is_differentiable(recipe.dtype)]
    return all(isinstance(r, Array) and r.dtype == "float64" and r.fill in SMOOTH_FILLS for r in found)


def random_direction(arrays: Arrays) -> list[np.ndarray | None]:
    """A fixed direction for each floating array, None for the others."""
    rng = np.random.default_rng(0)
    return [rng.uniform(-1, 1, array.shape) if array.dtype == np.float64 else None for array in arrays]


def moved(arrays: Arrays, direction: list[np.ndarray | None], distance: float) -> Arrays:
    """The arrays at `distance` along the direction."""
    return [array if step is None else array + distance * step for array, step in zip(arrays, direction)]


def along(entries: tuple[np.ndarray | None, ...], direction: list[np.ndarray | None]) -> float:
    """The derivative along the direction; None stands for zeros."""
    steps = [step for step in direction if step is not None]
    return sum(float(np.sum(entry * step)) for entry, step in zip(entries, steps) if entry is not None)


def output_sum(example: Example, outcome: Value) -> float:
    """The function whose gradient `GRADIENT` asks for."""
    floating = [leaf for leaf in outcome.leaves if is_differentiable(leaf.dtype.name)]
    return sum(float(np.sum(leaf * first_weights(example, i, leaf))) for i, leaf in enumerate(floating))


def gradient_sum(example: Example, outcome: Gradient) -> float:
    """The function whose gradient `SECOND_ORDER` asks for."""
    entries = [entry for entry in outcome.entries if entry is not None]
    return sum(float(np.sum(entry * second_weights(example, i, entry))) for i, entry in enumerate(entries))
