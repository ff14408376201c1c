"""Weights for the targets."""

from __future__ import annotations

import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf


def weighed(weights, *, several=False):
    """The gradient of [x**2, (x**3)] at [1, 2] with `weights`."""
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
        z = x * x * x
    return tape.gradient([y, z] if several else y, x, output_gradients=weights)


def test_tensor_weighs_the_target():
    assert values(weighed(tf.constant([3.0, 5.0]))) == [6.0, 20.0]


def test_list_of_one_tensor_weighs_the_target():
    assert values(weighed([tf.constant([3.0, 5.0])])) == [6.0, 20.0]


def test_list_of_tensors_weighs_each_target():
    weights = [tf.constant([1.0, 0.0]), tf.constant([0.0, 10.0])]
    assert values(weighed(weights, several=True)) == [2.0, 120.0]


def test_scalar_is_broadcast():
    assert values(weighed(tf.constant(2.0))) == [4.0, 8.0]


def test_variable_weighs_the_target():
    assert values(weighed(tf.Variable([3.0, 5.0]))) == [6.0, 20.0]


def test_gradient_that_is_the_weight_is_not_the_variable():
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 5.0])
    with tf.GradientTape(persistent=True) as tape:
        v * v
    weight = tape.gradient(x, x, output_gradients=v)
    assert values(weight) == [3.0, 5.0]
    assert values(tape.gradient(v, [weight, v])) == [None, [1.0, 1.0]]


def test_variable_that_weighs_is_watched():
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 5.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        g = inner.gradient(y, x, output_gradients=v)
    assert values(outer.gradient(g, v)) == [2.0, 4.0]


def test_python_list_is_a_list_of_weights_of_which_one_is_used():
    assert values(weighed([3.0, 5.0])) == [6.0, 12.0]


def test_none_in_the_list_of_weights():
    with pytest.raises(ValueError, match=r"Attempt to convert a value .None. with an unsupported type"):
        weighed([None, tf.constant([1.0, 1.0])], several=True)


def test_target_without_a_weight_counts_once():
    assert values(weighed([tf.constant([10.0, 10.0])], several=True)) == [23.0, 52.0]


def test_weights_of_another_dtype():
    with pytest.raises(tf.errors.InvalidArgumentError):
        weighed(tf.constant([1.0, 1.0], tf.float64))


def test_weights_of_another_shape():
    with pytest.raises(tf.errors.InvalidArgumentError):
        weighed(tf.constant([1.0, 1.0, 1.0]))


def test_structure_of_weights_is_that_of_the_targets():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        targets = {"a": x * x, "b": [3.0 * x]}
    weights = {"a": tf.constant(10.0), "b": [tf.constant(100.0)]}
    assert values(tape.gradient(targets, x, output_gradients=weights)) == 340.0


def test_outer_tape_sees_the_weights():
    x, w = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as outer:
        outer.watch([x, w])
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        g = inner.gradient(y, x, output_gradients=w)
    assert values(outer.gradient(g, [x, w])) == [60.0, 12.0]


def test_weights_that_depend_on_the_source():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        w = x * 10.0
    assert values(tape.gradient(y, x, output_gradients=w)) == 80.0


def test_weight_of_a_target_that_is_its_own_source():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        x * x
    assert values(tape.gradient(x, x, output_gradients=tf.constant(7.0))) == 7.0


def test_double_backward_recovers_a_jacobian_vector_product():
    x = tf.constant([1.0, 2.0])
    direction = tf.constant([1.0, -1.0])
    with tf.GradientTape() as outer:
        dummy = tf.ones([2])
        outer.watch(dummy)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        g = inner.gradient(y, x, output_gradients=dummy)
    assert values(outer.gradient(g, dummy, output_gradients=direction)) == [3.0, -12.0]


def test_gradient_of_no_target_with_weights():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        n = tf.cast(x, tf.int32)
    assert tape.gradient([n], x, output_gradients=[tf.constant(1)]) is None
