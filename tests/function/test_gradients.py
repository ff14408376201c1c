"""`tf.gradients` and `tf.hessians` inside functions; the numbers are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

X = tf.constant([1.0, 2.0])
V = tf.Variable([3.0, 4.0])


def through(function, *args):
    return tf.function(function, autograph=False)(*args)


def square_of_square(x):
    y = x * x
    return tf.gradients(y * 3.0, [y, x])


def stopped(x):
    y = x * x
    return tf.gradients(y * x, [x, y], stop_gradients=[y])


CASES = {
    "one": (lambda x: tf.gradients(x * x, x), [[2, 4]]),
    "several targets": (lambda x: tf.gradients([x * x, 3 * x], [x]), [[5, 7]]),
    "a variable": (lambda x: tf.gradients(x * V, [x, V]), [[3, 4], [1, 2]]),
    "an intermediate tensor": (square_of_square, [[3, 3], [6, 12]]),
    "stop_gradients": (stopped, [[1, 4], [1, 2]]),
    "stop at the source": (lambda x: tf.gradients(x * x, [x], stop_gradients=[x]), [[2, 4]]),
    "unconnected": (lambda x: tf.gradients(x * x, [V, x]), [None, [2, 4]]),
    "zeros": (lambda x: tf.gradients(x * x, [V, x], unconnected_gradients="zero"), [[0, 0], [2, 4]]),
    "grad_ys": (lambda x: tf.gradients([x * x, x], x, grad_ys=[tf.constant([2.0, 3.0]), None]), [[5, 13]]),
    "second order": (lambda x: tf.gradients(tf.gradients(x**3, x), x), [[6, 12]]),
    "an integer target": (lambda x: tf.gradients(tf.cast(x, tf.int32), x), [None]),
    "a captured tensor": (lambda y: tf.gradients(X * y, X), [[1, 2]]),
    "hessian": (lambda x: tf.hessians(tf.reduce_sum(x**3), x), [[[6, 0], [0, 12]]]),
    "hessian of several targets": (lambda x: tf.hessians([x**3, x], [x]), [[[6, 0], [0, 12]]]),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients(name):
    function, expected = CASES[name]
    for found, want in zip(through(function, X), expected, strict=True):
        if want is None:
            assert found is None
        else:
            np.testing.assert_array_equal(found, want)


def test_rows_of_a_gathered_variable():
    (found,) = through(lambda x: tf.gradients(x[0] * tf.gather(V, [0, 0]), V), X)
    assert isinstance(found, tf.IndexedSlices)
    np.testing.assert_array_equal(found.indices, [0, 0])


def test_an_assignment_is_a_value_of_its_own():
    def function(x):
        V.assign(x * 2)
        return tf.gradients(V * V, [V, x])

    of_variable, of_argument = through(function, X)
    np.testing.assert_array_equal(of_variable, [4.0, 8.0])
    assert of_argument is None
    V.assign([3.0, 4.0])


@pytest.mark.parametrize("derivative", [tf.gradients, tf.hessians])
def test_outside_of_functions_there_are_tapes(derivative):
    with pytest.raises(RuntimeError, match=r"tf\.gradients is not supported when eager execution is enabled"):
        derivative(X, X)


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"Length mismatch\. Passed 1 grad_ys for 2 ys"):
        through(lambda x: tf.gradients([x * x, x], x, grad_ys=[x]), X)


@pytest.mark.parametrize("function", [lambda x: tf.hessians(tf.reduce_sum(x), V), lambda x: tf.hessians(x, x)])
def test_a_hessian_needs_a_second_derivative(function):
    with pytest.raises(ValueError, match="None values not supported"):
        through(function, X)
