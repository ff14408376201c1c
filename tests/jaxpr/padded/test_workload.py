"""Whole computations on padded arrays, and that the comparison notices a mask that is missing."""

from __future__ import annotations

import jax.numpy as jnp
import pytest
from jax import lax

from tests.daily import without
from tests.jaxpr.padded.trial import MANY_SIZES, assert_as_exact, complaints, trial
from tests.jaxpr.padded.workload import TRIALS
from tfcompat._jaxpr.padded.equation import unchanged
from tfcompat._jaxpr.padded.evaluation import RULES


# Those with another open size are variants.
@pytest.mark.parametrize(
    "each", without([each for each in TRIALS if "open" in each.name], TRIALS), ids=lambda each: each.name
)
def test_workload_is_exact(each):
    assert_as_exact(each)


@pytest.mark.thorough
@pytest.mark.parametrize("each", TRIALS, ids=lambda each: each.name)
def test_workload_is_exact_at_many_sizes(each):
    assert_as_exact(each, MANY_SIZES)


# Computations in which each of the primitives has something to mask.
MASKED = {
    "argmax": lambda x: x.argmax(0),
    "dot_general": lambda x: x.T @ x,
    "reduce_max": lambda x: x.max(0),
    "reduce_sum": lambda x: x.sum(0),
    "rev": lambda x: lax.rev(x, (0,)),
    "sort": lambda x: jnp.sort(x, 0),
}


@pytest.mark.parametrize("name", MASKED)
def test_missing_mask_is_noticed(name, monkeypatch):
    each = trial(name, MASKED[name], "n, 3", is_differentiated=False)
    assert not complaints(each, ({"n": 7},))
    monkeypatch.setitem(RULES, name, unchanged)
    assert complaints(each, ({"n": 7},))
