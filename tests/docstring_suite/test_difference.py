"""Outcomes of examples are compared."""

from __future__ import annotations

import pytest

from tests.docstring_suite.difference import difference, reason_of

ARRAY = ("printed", "array([1.0, nan])\n")
ALIKE = [
    (ARRAY, ("printed", "array([1.00001,  nan])\n")),
    (("printed", "<object at 0x7f>"), ("printed", "<object at 0x12>")),
    (("printed", "<tensorflow.python.framework.Shape object>"), ("printed", "<tfcompat.Shape object>")),
    (("ValueError", "one text"), ("ValueError", "another")),
]
DIFFERENT = [
    (ARRAY, ("printed", "array([1.01, nan])\n")),
    (ARRAY, ("printed", "array([nan, 1.0])\n")),
    (ARRAY, ("printed", "tensor([1.0, nan])\n")),
    (ARRAY, ("printed", "array([1.0, nan, 2.0])\n")),
    (ARRAY, ("ValueError", "array([1.0, nan])\n")),
    (("ValueError", "text"), ("TypeError", "text")),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_outcomes_agree(one, other):
    assert not difference(one, other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_outcomes_differ(one, other):
    assert difference(one, other)


def test_known_differences_have_reasons():
    assert reason_of("tf.abs", ["tf.abs(-1)"]) is None
    assert "Queues" in reason_of("tf.abs", ["q = tf.queue.FIFOQueue(1, tf.int32)"])
    assert reason_of("tf.Tensor", ["type(e)"]) is not None
