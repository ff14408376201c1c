"""An op gives the same alone and inside a long trace: after fifty pending ops, read once at the end."""

from __future__ import annotations

import pytest

from tests.conformance.table import accepted, disagreement, each_name, report, tf
from tests.evaluate import VALUE, answer, fetch, pending

# Values are compared among all the examples of a name anyway.
pytestmark = pytest.mark.thorough


def pending_chain() -> object:
    """A tensor that fifty recorded ops have made."""
    value = tf.constant([[0.5, -1.5], [2.0, 0.25]])
    for i in range(25):
        value = tf.tanh(value * (1.0 + i / 25))
    return value


@each_name
def test_same_alone_and_inside_a_long_trace(name: str) -> None:
    examples = [each.example for each in accepted(name)][:1]
    alone = [answer(tf, VALUE, example) for example in examples]
    before = pending_chain()
    results = [pending(tf, VALUE, example, example.arrays())[VALUE] for example in examples]
    after = pending_chain()
    together = [fetch(tf, VALUE, result) for result in results]
    assert (before.numpy() == after.numpy()).all()
    found = (disagreement(example, got, want) for example, got, want in zip(examples, together, alone))
    report([failure for failure in found if failure], len(examples))
