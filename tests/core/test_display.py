"""Traces as readable text, and the lines in it."""

from __future__ import annotations

import inspect

import tfcompat as tf
from tfcompat._core.system.location import user_line


def test_listing_shows_each_step_with_its_inputs_shape_and_dtype():
    v = tf.Variable([1.0, 2.0])
    y = tf.reduce_sum(tf.square(v) * 2.0, axis=0)
    rows = [line.split() for line in tf.listing_of(y).splitlines()]
    assert rows == [
        ["%0", "=", "leaf", "float32[2]"],
        ["%1", "=", "square(%0)", "float32[2]"],
        ["%2", "=", "multiply(%1,", "2.0)", "float32[2]"],
        ["%3", "=", "reduce_sum(%2,", "axis=0)", "float32[]", "alive"],
    ]


def test_listing_shows_only_attributes_that_were_chosen():
    x = tf.Variable([[1.0, 2.0]])
    shown = tf.listing_of(tf.matmul(x, x, transpose_b=True) + tf.reduce_max(x, axis=1, keepdims=True))
    steps = [line.split("  ")[0].partition(" = ")[2] for line in shown.splitlines()]
    assert steps == [
        "leaf",
        "matmul(%0, %0, transpose_b=True)",
        "reduce_max(%0, axis=1, keepdims=True)",
        "add(%1, %2)",
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
