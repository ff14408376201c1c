"""Known differences of gradients from TensorFlow 2.21; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


@pytest.mark.parametrize(
    ("function", "tensorflow"),
    [
        (lambda x: x < 1.0, "None"),
        (tf.argsort, "zeros"),
        (lambda x: tf.math.top_k(x, 1).indices, "zeros"),
        (tf.math.is_nan, "LookupError"),
        (tf.where, "LookupError"),
        (lambda x: tf.unique(x).idx, "LookupError"),
        (lambda x: tf.math.in_top_k([0], x[None], 1), "LookupError"),
    ],
    ids=["less", "argsort", "top_k", "is_nan", "where", "unique", "in_top_k"],
)
def test_integer_and_boolean_targets_have_no_gradient(function, tensorflow):
    del tensorflow  # TensorFlow's error, for comparison
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        target = function(x)
    assert not target.dtype.is_floating
    assert tape.gradient(target, x) is None


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: tf.while_loop(lambda i, *_: i < 2, lambda i, a, b: (i + 1, a * x, b * y), [0, x, y])[1],
        lambda x, y: tf.cond(x > 0.0, lambda: (x * 3.0, y), lambda: (x, y))[0],
    ],
    ids=["loop", "branch"],
)
def test_other_results_of_loops_have_no_gradient_in_functions(function):
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        found = tf.function(function)(x, y)
    # TensorFlow: [3.0, 0.0].
    assert [None if g is None else float(g) for g in tape.gradient(found, [x, y])] == [3.0, None]


def test_vectorized_map_has_custom_gradients_and_assertions():
    double = tf.custom_gradient(lambda x: (x * 2.0, lambda upstream: upstream * 7.0))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(double, x)
    assert y.numpy().tolist() == [2.0, 4.0]
    # TensorFlow: [2.0, 2.0].
    assert tape.gradient(y, x).numpy().tolist() == [7.0, 7.0]

    def checked(i):
        tf.debugging.assert_less(i, 1)
        return i

    # TensorFlow returns [0, 1].
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vectorized_map(checked, tf.range(2)).numpy()


def test_tape_begun_in_init_scope_records():
    v = tf.Variable(3.0)
    with tf.init_scope(), tf.GradientTape() as tape:
        y = v * v
    # TensorFlow: None.
    assert float(tape.gradient(y, v)) == 6.0


def test_zeros_of_second_derivatives_do_not_meet_infinity():
    # TensorFlow multiplies them out: it answers nan here.
    x, w = tf.Variable([[1.0]]), tf.Variable([[np.inf]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.nn.relu(tf.matmul(x, w))
        slope = inner.gradient(y, x)
    np.testing.assert_array_equal(outer.gradient(slope, x), [[0.0]])


def test_other_results_of_a_call_give_no_gradient():
    one, other = tf.Variable(2.0), tf.Variable(3.0)
    heads = tf.function(lambda x: (x * one, x * other))
    with tf.GradientTape(persistent=True) as tape:
        first, _ = heads(tf.constant(5.0))
    assert tape.gradient(first, one).numpy() == 5.0
    assert tape.gradient(first, other) is None
    zero = tape.gradient(first, other, unconnected_gradients="zero")
    assert zero.numpy() == 0.0
