"""Ops inside `tf.init_scope` are not recorded by tapes. Literals are TensorFlow's."""

from __future__ import annotations

import pytest

import tfcompat as tf


def test_what_is_computed_in_init_scope_is_a_constant_to_tapes():
    v = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            with tf.init_scope():
                factor = v * v
            y = factor * v * v
        first = inner.gradient(y, v)
    assert float(first) == 54.0
    assert float(outer.gradient(first, v)) == 18.0


def test_reading_and_assigning_in_init_scope_leaves_the_tape_as_it_was():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        with tf.init_scope():
            assert float(y) == 9.0
            v.assign(5.0)
        z = y * v
    assert float(tape.gradient(z, v)) == 39.0


def test_accumulator_pauses_in_init_scope():
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        with tf.init_scope():
            y = x * x
        z = y * x
    assert accumulator.jvp(y) is None
    assert float(accumulator.jvp(z)) == 4.0


def test_tape_goes_on_after_an_error_in_init_scope():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        with pytest.raises(ValueError, match="within"), tf.init_scope():
            raise ValueError("within")
        y = v * v
    assert float(tape.gradient(y, v)) == 6.0


def test_name_scopes_go_on_in_init_scope():
    with tf.name_scope("outer"), tf.init_scope():
        assert tf.Variable(1.0, name="inner").name == "outer/inner:0"
