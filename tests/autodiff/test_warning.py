"""Warnings to TensorFlow's logger, in TensorFlow's words."""

from __future__ import annotations

from tests.autodiff.reading import values, warnings_of_tensorflow
from tests.autodiff.subject import tf


def test_watch_of_an_integer_warns():
    with tf.GradientTape() as tape, warnings_of_tensorflow() as found:
        tape.watch(tf.constant(3))
        tape.watch(tf.constant(True))
    assert found == [
        "The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32",
        "The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.bool",
    ]


def test_integer_target_and_source_are_silent():
    x, n, v = tf.Variable(2.0), tf.constant(2), tf.Variable(3)
    with tf.GradientTape(persistent=True) as tape:
        target = tf.cast(x, tf.int32)
        y = tf.cast(n, tf.float32) * tf.cast(v, tf.float32)
    with warnings_of_tensorflow() as found:
        tape.gradient(target, x)
        tape.gradient(y, [n, v])
    assert found == []


def test_integer_variable_does_not_warn_as_it_is_read():
    with tf.GradientTape(), warnings_of_tensorflow() as found:
        tf.Variable(3) * 2
    assert found == []


def test_gradient_inside_a_persistent_tape_warns():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with warnings_of_tensorflow() as found:
            tape.gradient(y, x)
    assert found == [
        "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than "
        "calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to increased "
        "CPU and memory usage). Only call GradientTape.gradient inside the context if you actually want to trace the "
        "gradient in order to compute higher order derivatives."
    ]


def test_gradient_inside_a_tape_that_is_used_up_does_not_warn():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape, warnings_of_tensorflow() as found:
        tape.watch(x)
        tape.gradient(x * x, x)
    assert found == []


def test_gradient_inside_stop_recording_does_not_warn():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape, warnings_of_tensorflow() as found:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            tape.gradient(y, x)
    assert found == []


def test_same_warning_stops_after_five_times():
    with tf.GradientTape() as tape, warnings_of_tensorflow() as found:
        for _ in range(12):
            tape.watch(tf.constant(3, tf.int64))
    assert len(found) == 5


def test_float_tape_is_silent():
    x, v = tf.constant([1.0]), tf.Variable([2.0])
    with tf.GradientTape(persistent=True) as tape, warnings_of_tensorflow() as found:
        tape.watch([x, v])
        y = x * v
        with tape.stop_recording():
            assert values(tape.gradient(y, [x, v])) == [[2.0], [1.0]]
            tape.jacobian(y, x)
    assert found == []
