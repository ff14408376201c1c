"""Nonlinearities at their kinks. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def slopes(function, values):
    x = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(x)
        answer = function(x)
    return tape.gradient(answer, x).numpy()


def test_slopes_at_the_kinks():
    assert slopes(tf.nn.relu, [-1.0, 0.0, 2.0]).tolist() == [0, 0, 1]
    assert slopes(tf.nn.relu6, [0.0, 3.0, 6.0]).tolist() == [0, 1, 0]
    assert slopes(tf.nn.elu, [0.0]).tolist() == [1]
    assert np.allclose(slopes(tf.nn.selu, [0.0]), 1.0507009873554805)
    assert np.allclose(slopes(tf.nn.leaky_relu, [-1.0, 0.0, 2.0]), [0.2, 0.2, 1])


@pytest.mark.parametrize("function", [tf.nn.relu, tf.nn.relu6], ids=["relu", "relu6"])
@pytest.mark.parametrize("upstream", [np.inf, np.nan])
def test_what_relu_leaves_out_is_multiplied_by_0(function, upstream):
    x = tf.constant([-1.0, 0.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    found = tape.gradient(y, x, output_gradients=tf.fill([3], upstream)).numpy()
    assert np.array_equal(found, [np.nan, np.nan, upstream], equal_nan=True)


def test_second_derivative_of_relu_is_zero_rather_than_none():
    x = tf.constant([1.0, -1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.relu(x)
        first = inner.gradient(y, x)
    assert outer.gradient(first, x).numpy().tolist() == [0, 0]


def test_leaky_relu_of_integers_is_float32():
    found = tf.nn.leaky_relu(tf.constant([-3, 4]))
    assert found.dtype == tf.float32
    assert np.allclose(found, [-0.6, 4])


def test_softsign_has_no_second_derivative():
    x = tf.constant([-2.0, 0.0, 0.5])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.softsign(x)
        first = inner.gradient(y, x)
    assert np.allclose(first, [1 / 9, 1, 4 / 9])
    with pytest.raises(LookupError, match="no entry for: SoftsignGrad"):
        outer.gradient(first, x)


@pytest.mark.parametrize(("dtype", "tolerance"), [(tf.float64, 1e-13), (tf.float32, 1e-5)])
def test_gelu_of_negative_numbers_is_precise(dtype, tolerance):
    found = tf.nn.gelu(tf.constant([-3.0, -6.0, -9.0], dtype))
    expected = [-0.004049694777521031, -5.919529613662353e-09, -1.0157309903991762e-18]
    assert np.allclose(found, expected, rtol=tolerance, atol=0)


def test_elu_rounds_after_each_step():
    x = tf.constant([-0.01, -1e-4], tf.float16)
    assert tf.nn.elu(x).numpy().tolist() == [-0.009765625, 0.0]
    assert tf.nn.selu(x).numpy().tolist() == [-0.0171661376953125, 0.0]
    assert tf.nn.elu(tf.constant(-1e-8)).numpy() == 0.0


def test_gradient_of_expm1_is_precise_where_the_result_is_minus_1():
    x = tf.constant([-50.0, -20.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.expm1(x)
    assert np.allclose(tape.gradient(y, x), [1.9287498479639178e-22, 2.061153622438558e-09], rtol=1e-13, atol=0)


def test_gelu_of_integers_raises_value_error():
    with pytest.raises(ValueError, match=r"tf\.nn\.gelu: features must be floating"):
        tf.nn.gelu([1, 2])


def test_softmax_is_not_shaken_by_large_logits():
    assert np.allclose(tf.nn.softmax([1000.0, 1000.0]), [0.5, 0.5])
    assert np.isnan(tf.nn.softmax([-np.inf, -np.inf])).all()


def test_softmax_of_a_scalar_is_refused():
    with pytest.raises(tf.errors.OpError):
        tf.nn.softmax(1.0)


def test_softplus_and_log_sigmoid_stay_finite():
    assert np.allclose(tf.nn.softplus([1000.0, -1000.0]), [1000, 0])
    assert np.allclose(tf.math.log_sigmoid([-1000.0, 1000.0]), [-1000, 0])
    assert slopes(tf.nn.softplus, [1000.0, -1000.0]).tolist() == [1, 0]
