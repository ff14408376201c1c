"""A trace as a program that people can read, and the lines that it names."""

from __future__ import annotations

import inspect

import pytest

import tfcompat as tf
from tfcompat._core.location import user_line


@pytest.fixture(autouse=True)
def nothing_pending():
    """What other tests left unread is no part of the listings."""
    tf.sync()


def test_listing_shows_each_step_with_its_inputs_shape_and_dtype():
    v = tf.Variable([1.0, 2.0])
    y = tf.reduce_sum(tf.square(v) * 2.0, axis=0)
    rows = [line.split() for line in tf.listing_of(y).splitlines()]
    assert rows == [
        ["%0", "=", "leaf", "float32[2]"],
        ["%1", "=", "square(%0)", "float32[2]"],
        ["%2", "=", "multiply(%1,", "2.0)", "float32[2]"],
        ["%3", "=", "reduce_sum(%2,", "axis=0,", "keepdims=False)", "float32[]", "alive"],
    ]


def test_listing_of_a_finished_tensor_says_so():
    tensor = tf.constant([1.0, 2.0]) * 2.0
    tensor.numpy()
    assert tf.listing_of(tensor) == "a finished value: float32[2]"


def test_listing_shows_what_was_run_and_what_is_watched():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        y.numpy()
        z = y * 3.0
    shown = tape.listing().splitlines()
    assert [("run" in line, "watched" in line) for line in shown] == [
        (False, True),
        (True, False),
        (False, False),
    ]
    assert float(z) == 12.0


def test_user_line_is_the_callers():
    frame = inspect.currentframe()
    assert frame is not None
    assert user_line() == f"{__file__}:{frame.f_lineno}"
