"""At float64, along one random direction, derivatives of order 1 and 2 are the slopes of central differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests import evaluate, tolerance
from tests.cases.dtype import is_differentiable
from tests.cases.recipe import Array, Example, recipes
from tests.conformance.table import each_name, recorded, report, tf
from tests.evaluate import Arrays, Gradient, Outcome, Refusal

# Random values that are not near a corner.
SMOOTH_FILLS = {"normal", "positive", "unit", "above_one", "probability", "spread", "well_conditioned"}


@each_name
def test_first_derivative_is_the_slope(name: str) -> None:
    examples = [example for example, want in recorded(name, "gradient", "slope") if is_smooth(example, want)]
    check(examples, weighted_output, evaluate.gradient)


@each_name
def test_second_derivative_is_the_slope_of_the_first(name: str) -> None:
    examples = [example for example, want in recorded(name, "second_order", "second_slope") if is_smooth(example, want)]
    check(examples, weighted_gradient, evaluate.second_order)


def check(
    examples: list[Example], function: Callable[[Example, Arrays], float], derive: Callable[..., Gradient]
) -> None:
    """The entries that `derive` gives must be the slope of `function`."""
    failures = []
    for example in examples:
        entries = derive(tf, example).entries
        arrays = example.arrays()
        direction = random_direction(arrays)
        moved = [step for step in direction if step is not None]
        got = sum(float(np.sum(entry * step)) for entry, step in zip(entries, moved) if entry is not None)
        want = slope(lambda at, example=example: function(example, at), arrays, direction)
        if not tolerance.is_slope(got, want):
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


def slope(function: Callable[[Arrays], float], arrays: Arrays, direction: list[np.ndarray | None]) -> float:
    """The central difference of `function` along `direction`."""
    ends = [
        function([array if step is None else array + sign * step for array, step in zip(arrays, direction)])
        for sign in (tolerance.STEP, -tolerance.STEP)
    ]
    return (ends[0] - ends[1]) / (2 * tolerance.STEP)


def weighted_output(example: Example, arrays: Arrays) -> float:
    """The function whose gradient `evaluate.gradient` takes."""
    leaves = evaluate.fetch(tf, evaluate.pending_value(tf, example, arrays)).leaves
    floating = [leaf for leaf in leaves if is_differentiable(leaf.dtype.name)]
    return sum(float(np.sum(leaf * evaluate.first_weights(example, i, leaf))) for i, leaf in enumerate(floating))


def weighted_gradient(example: Example, arrays: Arrays) -> float:
    """The function whose gradient `evaluate.second_order` takes."""
    entries = [entry for entry in evaluate.gradient(tf, example, arrays).entries if entry is not None]
    return sum(float(np.sum(entry * evaluate.second_weights(example, i, entry))) for i, entry in enumerate(entries))
