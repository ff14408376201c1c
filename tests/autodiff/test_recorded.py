"""Which tensors the recording tapes follow, as TensorFlow's private `record` module said."""

from __future__ import annotations

import tfcompat as tf
from tfcompat._autodiff.recorded import could_possibly_record, should_record_backprop
from tfcompat._autodiff.suspension import unrecorded


def test_watched_tensors_and_those_derived_from_them():
    x, other, variable = tf.constant(2.0), tf.constant(3.0), tf.Variable(1.0)
    assert not could_possibly_record()
    assert not should_record_backprop([x, tf.convert_to_tensor(variable)])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * other
        assert could_possibly_record()
        found = [should_record_backprop([tensor]) for tensor in (x, y, tf.stop_gradient(y), other, other * 2)]
        assert found == [True, True, False, False, False]
        assert should_record_backprop([other, tf.convert_to_tensor(variable)])
        assert not should_record_backprop([])
        with unrecorded():
            assert not could_possibly_record()
            assert not should_record_backprop([x])
    assert not should_record_backprop([x, y])


def test_the_innermost_or_an_outer_tape_may_follow():
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(y)
            assert [should_record_backprop([tensor]) for tensor in (x, y, tf.constant(1.0))] == [True, True, False]


def test_in_a_function():
    seen = []

    @tf.function
    def function(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            seen.append((should_record_backprop([x * 2.0]), should_record_backprop([tf.constant(1.0)])))
        return x

    function(tf.constant(1.0))
    assert seen == [(True, False)]
