"""Inputs that are broken at random have TensorFlow's outcomes: the same values, or an error of the same class."""

from __future__ import annotations

import pytest

from tests import repetition
from tests.data.format import hostile


@pytest.mark.soak
@pytest.mark.parametrize("kind", hostile.KINDS)
def test_outcomes_are_those_of_tensorflow(kind):
    outcome = hostile.KINDS[kind][1]
    count = hostile.COUNT if repetition.count(10) == 10 else 300
    found = bytes(hostile.digest(outcome(data)) for data in hostile.inputs(kind, count))
    wrong = [k for k, (one, other) in enumerate(zip(found, hostile.recorded()[kind])) if one != other]
    assert not wrong, [hostile.inputs(kind, count)[k] for k in wrong[:3]]
