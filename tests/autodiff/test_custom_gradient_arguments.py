"""Arguments and results of users' gradient functions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf


@tf.custom_gradient
def hundredfold(x):
    """The square of x, whose derivative is said to be 100 x."""
    return x * x, lambda upstream: upstream * 100.0 * x


def gradient_of(fn, *sources):
    """The gradients of `fn` at `sources`."""
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = fn(*sources)
    return values(tape.gradient(y, list(sources)))


def test_arguments_come_as_they_were_given():
    seen = []

    @tf.custom_gradient
    def fn(x, n, text, array):
        seen.extend([n, text, array.tolist()])
        return x * float(n), lambda upstream: (upstream * 10.0, None, None, None)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x, 3, "text", np.ones(2))
    assert seen == [3, "text", [1.0, 1.0]]
    assert values(y) == 6.0
    assert values(tape.gradient(y, x)) == 10.0


def test_variable_by_keyword_needs_nothing():
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def fn(x, *, factor):
        return x * factor, lambda upstream: upstream * 10.0

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x, factor=v)
    assert values(tape.gradient(y, [x, v])) == [10.0, None]


def test_captured_tensor_has_no_gradient():
    c = tf.constant(5.0)

    @tf.custom_gradient
    def fn(x):
        return x * c, lambda upstream: upstream * 100.0

    assert gradient_of(lambda x, _: fn(x), tf.constant(2.0), c) == [100.0, None]


def test_result_that_is_a_python_number():
    @tf.custom_gradient
    def fn(x):
        return 3.0 if x > 0.0 else 4.0, lambda upstream: upstream * 100.0

    assert gradient_of(fn, tf.constant(2.0)) == [100.0]


def test_result_that_is_the_argument():
    @tf.custom_gradient
    def fn(x):
        return x, lambda upstream: upstream * 100.0

    assert gradient_of(fn, tf.constant(2.0)) == [100.0]


def test_integer_result_has_no_gradient():
    @tf.custom_gradient
    def fn(x):
        return tf.cast(x, tf.int32), lambda _: None

    assert gradient_of(fn, tf.constant(2.0)) == [None]


@pytest.mark.parametrize("given", [np.float32(7.0), 7.0, tf.constant(7.0)], ids=["numpy", "float", "tensor"])
def test_gradient_that_is_a_value(given):
    @tf.custom_gradient
    def fn(x):
        return x * 2.0, lambda _: given

    assert gradient_of(fn, tf.constant(2.0)) == [7.0]


def test_too_many_gradients_are_a_value_error():
    @tf.custom_gradient
    def fn(x):
        return x * 2.0, lambda upstream: (upstream, upstream)

    with pytest.raises(ValueError, match="custom_gradient function expected to return 1 gradients, but returned 2"):
        gradient_of(fn, tf.constant(2.0))


def test_gradient_of_another_dtype_is_an_error():
    @tf.custom_gradient
    def fn(x):
        return x * 2.0, lambda upstream: tf.cast(upstream, tf.float64)

    with pytest.raises(tf.errors.InvalidArgumentError):
        gradient_of(lambda x: fn(x * 2.0), tf.constant(2.0))


def test_smaller_gradient_is_broadcast_on_its_way():
    @tf.custom_gradient
    def fn(x):
        return tf.reduce_sum(x), lambda upstream: upstream * 7.0

    assert gradient_of(lambda x: fn(x * tf.constant([1.0, 2.0])), tf.constant([3.0, 4.0])) == [[7.0, 14.0]]


def test_grad_pass_through_several_arguments():
    floors = tf.grad_pass_through(lambda p, q: (tf.floor(p), tf.floor(q)))

    def fn(x):
        a, b = floors(x * 1.5, x * 2.5)
        return a + 10.0 * b

    assert gradient_of(fn, tf.constant([1.0, 2.0])) == [[26.5, 26.5]]


def test_grad_pass_through_needs_as_many_results_as_arguments():
    floor = tf.grad_pass_through(lambda p, q: tf.floor(p) + q)
    with pytest.raises(ValueError, match="custom_gradient function expected to return 2 gradients, but returned 1"):
        gradient_of(floor, tf.constant(1.5), tf.constant(2.5))


def test_result_that_is_a_gradient_of_an_inner_tape():
    @tf.custom_gradient
    def fn(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tape.gradient(y, x), lambda upstream: upstream * 1000.0

    assert gradient_of(fn, tf.constant(2.0)) == [1000.0]
