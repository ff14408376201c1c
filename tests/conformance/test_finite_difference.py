"""At float64, along one random direction, derivatives of order 1 and 2 are the slopes of central differences."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest

from tests import evaluate
from tests.cases.dtype import is_differentiable
from tests.cases.recipe import Array, Example, recipes
from tests.conformance.table import Asked, accepted, each_name, evaluated, report, tf
from tests.evaluate import (
    GRADIENT,
    SECOND_ORDER,
    VALUE,
    Arrays,
    Gradient,
    Outcome,
    Refusal,
    Value,
    first_weights,
    second_weights,
)
from tests.tolerance import STEP, is_slope

# `gradient` and `second_order` find the same errors, unless TensorFlow itself were wrong.
pytestmark = pytest.mark.thorough

# Random values that are not near a corner.
SMOOTH_FILLS = {"normal", "positive", "unit", "above_one", "probability", "spread", "well_conditioned"}


@each_name
def test_first_derivative_is_the_slope(name: str) -> None:
    check(name, GRADIENT, output_sum)


@each_name
def test_second_derivative_is_the_slope_of_the_first(name: str) -> None:
    check(name, SECOND_ORDER, gradient_sum)


def check(name: str, order: int, weighted_sum: Callable[[Example, Outcome], float]) -> None:
    """Along a direction, the derivative must be the slope of the function's weighted sum."""
    failures, count = [], 0
    for each, derivatives, ends in zip(accepted(name), evaluated(name, SECOND_ORDER), neighbours(name)):
        if order_of_slope(each) < order:
            continue
        count += 1
        found = [derivatives[order], *(end[order - 1] for end in ends)]
        raised = [repr(outcome) for outcome in found if isinstance(outcome, Exception)]
        if raised:
            failures.append(f"{each.example!r}:\n    {raised[0]}")
            continue
        derivative, above, below = found
        got = along(derivative.entries, random_direction(each.example.arrays()))
        want = (weighted_sum(each.example, above) - weighted_sum(each.example, below)) / (2 * STEP)
        if not is_slope(got, want):
            failures.append(f"{each.example!r}:\n    derivative          {got}\n    central difference  {want}")
    report(failures, count)


@functools.lru_cache(maxsize=1)
def neighbours(name: str) -> list[tuple[list[Outcome | Exception], ...]]:
    """The answers a step above and a step below each accepted example, none where no slope is asked for.

    Both ends are the same calls on other numbers, so one program serves them.
    """
    examples = [(order_of_slope(each), each.example) for each in accepted(name)]
    above, below = (
        evaluate.answers(tf, [(order - 1, one, moved(one, distance)) for order, one in examples if order])
        for distance in (+STEP, -STEP)
    )
    pairs = zip(above, below, strict=True)
    return [next(pairs) if order else () for order, _ in examples]


def order_of_slope(each: Asked) -> int:
    """How often the example is differentiated to be held against a slope."""
    if is_smooth(each, "second_order", "second_slope"):
        return SECOND_ORDER
    return GRADIENT if is_smooth(each, "gradient", "slope") else VALUE


def is_smooth(each: Asked, derivative: str, promise: str) -> bool:
    """Whether all its floating inputs are float64 and away from corners, and any of them has a derivative."""
    want = each.wanted.get(derivative)
    if promise in each.row.exempt or want is None or isinstance(want, Refusal):
        return False
    found = [r for r in recipes((each.example.args, each.example.attributes)) if is_differentiable(r.dtype)]
    is_corner_free = all(isinstance(r, Array) and r.dtype == "float64" and r.fill in SMOOTH_FILLS for r in found)
    return is_corner_free and any(entry is not None for entry in want.entries)


def random_direction(arrays: Arrays) -> list[np.ndarray | None]:
    """A fixed direction for each floating array, None for the others."""
    rng = np.random.default_rng(0)
    return [rng.uniform(-1, 1, array.shape) if array.dtype == np.float64 else None for array in arrays]


def moved(example: Example, distance: float) -> Arrays:
    """The arrays of the example, at `distance` along the direction."""
    arrays = example.arrays()
    steps = zip(arrays, random_direction(arrays))
    return [array if step is None else array + distance * step for array, step in steps]


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
