"""The rules of `tfcompat._autodiff.connection`, one test for each. TensorFlow gives the same answers."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat._autodiff.connection import after_iterations

ZERO = tf.UnconnectedGradients.ZERO


def gradient(compute, x=3.0, **options):
    """The gradient of `compute(x)` for x, as a number or None."""
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = compute(x)
    found = tape.gradient(y, x, **options)
    return None if found is None else float(found)


def second(compute):
    """The second derivative of `compute(x)` for x = 3, as a number or None."""
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = compute(x)
        slope = inner.gradient(y, x)
    found = outer.gradient(slope, x)
    return None if found is None else float(found)


def test_value_that_is_not_floating_carries_no_gradient():
    assert gradient(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32)) is None


@pytest.mark.parametrize(
    ("compute", "expected"),
    [(lambda x: 2.0 * x, 2.0), (tf.sign, 0.0), (tf.floor, None), (lambda x: tf.stop_gradient(x) * x, 3.0)],
    ids=["linear", "constant", "blocked", "partly_blocked"],
)
def test_op_decides_whether_it_connects(compute, expected):
    assert gradient(compute) == expected


@pytest.mark.parametrize(("returned", "expected"), [(5.0, 5.0), (None, None)], ids=str)
def test_custom_gradient_passes_on_what_the_function_returns(returned, expected):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda upstream: None if returned is None else upstream * returned

    assert gradient(f) == expected


def test_step_outside_of_the_tape_is_not_recorded():
    x = tf.constant(3.0)
    y = x * x
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = y * 2.0
    assert tape.gradient(z, x) is None


def test_gradients_of_several_ways_are_added():
    assert gradient(lambda x: x * x + 2.0 * x) == 8.0


def test_op_without_a_gradient_raises():
    with pytest.raises(LookupError, match="gradient registry has no entry for"):
        gradient(lambda x: tf.reduce_sum(tf.linalg.logm(tf.reshape(tf.cast(x, tf.complex64), [1, 1]))))


@pytest.mark.parametrize(
    ("compute", "expected"),
    [(lambda x: x * x, 2.0), (lambda x: 2.0 * x, None), (tf.nn.relu, 0.0)],
    ids=["square", "linear", "relu"],
)
def test_second_derivative_exists_if_the_first_reads_the_input(compute, expected):
    assert second(compute) == expected


def shifted(x):
    return tf.while_loop(lambda k, _: k < 3, lambda k, y: (k + 1, y + 1.0), [0, x])[1]


def doubled(x):
    return tf.while_loop(lambda k, _: k < 3, lambda k, y: (k + 1, 2.0 * y), [0, x])[1]


def squared(x):
    return tf.while_loop(lambda k, _: k < 2, lambda k, y: (k + 1, y * y), [0, x])[1]


@pytest.mark.parametrize(
    ("compute", "once", "twice"),
    [
        (lambda x: tf.cond(x > 0.0, lambda: x * x, lambda: x), 6.0, 2.0),
        (lambda x: tf.cond(x > 0.0, lambda: tf.floor(x), lambda: tf.round(x)), None, None),
        (shifted, 1.0, None),
        (doubled, 8.0, 0.0),
        (squared, 108.0, 108.0),
    ],
    ids=["branch", "blocked_branch", "loop_that_reads_nothing", "linear_loop", "loop"],
)
def test_control_flow_connects_as_its_steps_do(compute, once, twice):
    function = tf.function(compute)
    assert gradient(function) == once
    if once is not None:
        assert second(function) == twice


@pytest.mark.parametrize(
    ("compute", "expected"),
    [(tf.square, 6.0), (tf.sign, None), (tf.floor, None)],
    ids=["square", "sign", "floor"],
)
def test_tangent_passes_where_the_derivative_is_not_the_constant_zero(compute, expected):
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = compute(x)
    found = accumulator.jvp(y)
    assert (None if found is None else float(found)) == expected


def test_zeros_replace_none_last():
    assert gradient(tf.floor, unconnected_gradients=ZERO) == 0.0


def test_links_of_a_loop_are_those_of_any_number_of_iterations():
    # Part 1 is computed from part 0, part 2 from part 1, and part 0 from an operand that is not a part.
    assert after_iterations([{7}, {0}, {1}]) == [{7}, {0, 7}, {1, 0, 7}]
    assert after_iterations([{7}, {1}, {2}], first=1) == [{7}, {1, 7}, {2, 1, 7}]
