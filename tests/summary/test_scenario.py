"""Events and errors of calls of `tf.summary` are those that TensorFlow's writers and TensorBoard's plugins make."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests import oracle
from tests.summary import scenario


@pytest.mark.parametrize("name", scenario.CALLS)
def test_events_are_those_of_tensorflow(name):
    assert scenario.answers(tf, name) == oracle.load("summary")[name]
