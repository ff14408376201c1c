"""Progressions: the forms of values that are known in each iteration of a loop."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf  # noqa: F401  # sets JAX's types
from tfcompat._function.control.progression import Progression

CASES = [
    (np.array([5, 5, 5]), "equal"),
    (np.array([3]), "equal"),
    (np.array([True, True]), "equal"),
    (np.zeros(0, np.int32), "equal"),
    (np.array([2, 4, 6], np.int32), "linear"),
    (np.array([9, 8, 7], np.int64), "linear"),
    (np.array([1, 0, 255], np.uint8), "linear"),
    (np.array([1, 2, 4], np.int32), "table"),
    (np.array([True, False, True]), "table"),
]


def form(progression: Progression) -> str:
    """The form of `progression`."""
    if progression.table is not None:
        return "table"
    return "linear" if progression.pattern.is_linear else "equal"


@pytest.mark.parametrize(("values", "expected"), CASES, ids=[f"{values.dtype}{values.tolist()}" for values, _ in CASES])
def test_values_are_kept_in_the_cheapest_form(values: np.ndarray, expected: str) -> None:
    found = Progression.of(values)
    assert form(found) == expected
    np.testing.assert_array_equal(found.values(len(values)), values)
    assert found.values(len(values)).dtype == values.dtype
    entries = [None] * len(values) if found.table is None else found.table
    np.testing.assert_array_equal([found.at(k, entry) for k, entry in enumerate(entries)], values)


@pytest.mark.parametrize(
    "values", [np.array([2, 4, 6]), np.array([9, 8]), np.array([1, 2, 4]), np.array([7, 7])], ids=str
)
def test_reversed_values_are_in_reverse_order(values: np.ndarray) -> None:
    np.testing.assert_array_equal(Progression.of(values).reversed(len(values)).values(len(values)), values[::-1])


def test_progressions_that_differ_in_sizes_only_have_one_pattern() -> None:
    one, longer, other = (Progression.of(np.array(values)) for values in ([1, 2, 3], [4, 6, 8, 10], [1, 2, 4]))
    assert one.pattern == longer.pattern
    assert one.pattern != other.pattern
    assert one.pattern != Progression.of(np.array([1, 2, 3], np.int32)).pattern
