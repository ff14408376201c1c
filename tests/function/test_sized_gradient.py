"""Custom gradients in functions with open sizes: Python runs once, and gradients are those of each call's sizes."""

from __future__ import annotations

import numpy as np

import tfcompat as tf

SPEC = tf.TensorSpec([None])
SIZES = (3, 5, 2, 3)


def numbers(size):
    return tf.range(1.0, size + 1.0)


def counted(function):
    """`function` for arguments of any size, and the list of its runs."""
    runs = []

    def noted(x):
        runs.append(x)
        return function(x)

    return tf.function(noted, input_signature=[SPEC]), runs


@tf.custom_gradient
def squared(x):
    """The square of `x`. Its gradient depends on the size of `x`, and on a value that is computed with it."""
    y = tf.square(x)
    size = tf.shape(x)[0]

    def slope(upstream):
        ones = tf.ones(tf.shape(x)) + tf.zeros([size])
        return upstream * x * tf.cast(size, tf.float32) + tf.reduce_sum(y) * ones

    return y, slope


def expected(x):
    return x * len(x) + (x**2).sum()


def test_gradient_of_a_call_on_a_tape():
    function, runs = counted(lambda x: tf.reduce_sum(squared(x)) + tf.reduce_sum(x))
    for size in SIZES:
        x = numbers(size)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        np.testing.assert_allclose(tape.gradient(y, x), expected(x.numpy()) + 1, 1e-6)
    assert len(runs) == 1


def test_gradient_in_the_function():
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = squared(x)
        return tape.gradient(y, x)

    function, runs = counted(derivative)
    for size in SIZES:
        np.testing.assert_allclose(function(numbers(size)), expected(numbers(size).numpy()), 1e-6)
    assert len(runs) == 1


def test_second_derivative():
    @tf.custom_gradient
    def cubed(x):
        return x**3, lambda upstream: upstream * x**2 * tf.cast(tf.size(x), tf.float32)

    function, runs = counted(cubed)
    for size in SIZES:
        x = numbers(size)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(function(x))
            slope = inner.gradient(y, x)
        np.testing.assert_allclose(outer.gradient(slope, x), 2 * size * x.numpy(), 1e-6)
    assert len(runs) == 1


def test_gradients_of_variables_and_of_outputs_that_are_not_used():
    factor = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        def slopes(of_product, of_sum, variables):
            return of_product * factor + of_sum, [10 * tf.reduce_sum(of_product * x) for _ in variables]

        return (x * factor, x + factor), slopes

    function, runs = counted(lambda x: scaled(x)[0])
    for size in SIZES:
        x = numbers(size)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        of_x, of_factor = tape.gradient(y, [x, factor])
        assert of_x.numpy().tolist() == [2.0] * size
        assert of_factor.numpy() == 10 * x.numpy().sum()
    assert len(runs) == 1


def test_recomputed_gradient():
    factor = tf.Variable(3.0)
    function, runs = counted(tf.recompute_grad(lambda x: tf.sin(x) * factor))
    for size in SIZES:
        x = numbers(size)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        of_x, of_factor = tape.gradient(y, [x, factor])
        np.testing.assert_allclose(of_x, 3 * np.cos(x.numpy()), 1e-5)
        np.testing.assert_allclose(of_factor, np.sin(x.numpy()).sum(), 1e-5)
    assert len(runs) == 1
