"""Rounding to a few levels, beyond the rows of the cases."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

TABLE = np.arange(-6.0, 6.0, dtype=np.float32).reshape(3, 4)
QUANTIZED = ("qint8", "qint16", "qint32", "quint8", "quint16")


def test_range_of_another_shape_is_told_when_a_gradient_needs_it() -> None:
    x, low, high = (tf.constant(v) for v in (TABLE, [-1.0] * 4, [3.0] * 4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.quantization.quantize_and_dequantize_v2(x, low, high)
    assert y.shape == (3, 4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have shape"):
        tape.gradient(y, x)


def test_range_that_a_function_computes_is_checked() -> None:
    @tf.function
    def quantized(x: tf.Tensor, low: tf.Tensor) -> tf.Tensor:
        return tf.quantization.quantize_and_dequantize_v2(x, low + 1.0, 2.0, range_given=True)

    assert quantized(tf.constant([0.5]), tf.constant(-1.0)).numpy().tolist() == [0.5039370059967041]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not be larger"):
        quantized(tf.constant([0.5]), tf.constant(3.0)).numpy()


def test_halves_of_a_symmetric_range_go_where_tensorflow_has_them() -> None:
    # The lowest level is 7.49999952 steps below 0 in float32, not 7.5; with a reciprocal for the division it were.
    found = tf.quantization.fake_quant_with_min_max_args([-5.0, 5.0], -1.0, 1.0, num_bits=4)
    np.testing.assert_allclose(found, [-0.93333340, 1.06666672], rtol=1e-7)
    wide = tf.quantization.fake_quant_with_min_max_args([-7.0, 7.0])
    np.testing.assert_allclose(wide, [-6.0235295, 5.9764705], rtol=1e-7)


def test_ends_of_the_range_are_trained() -> None:
    low, high = tf.Variable(-1.0), tf.Variable(1.0)
    x = tf.constant([-3.0, -0.5, 0.25, 2.0, 4.0])

    @tf.function
    def step() -> tuple[tf.Tensor, list[tf.Tensor]]:
        with tf.GradientTape() as tape:
            y = tf.quantization.fake_quant_with_min_max_vars(x, low, high, num_bits=4)
            loss = tf.reduce_sum((y - x) ** 2)
        return loss, tape.gradient(loss, [low, high])

    losses = []
    for _ in range(3):
        loss, gradients = step()
        losses.append(float(loss))
        for variable, gradient in zip((low, high), gradients, strict=True):
            variable.assign_sub(0.1 * gradient)
    np.testing.assert_allclose(losses, [13.748055, 7.678198, 4.509522], rtol=1e-5)
    np.testing.assert_allclose([low.numpy(), high.numpy()], [-1.9951574, 2.6123805], rtol=1e-5)


def test_gradients_are_named() -> None:
    found = tf.quantization.fake_quant_with_min_max_vars_gradient([1.0, 2.0], [-9.0, 0.5], -1.0, 1.0)
    assert found._fields == ("backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max")
    assert (float(found.backprop_wrt_min), float(found.backprop_wrt_max)) == (1.0, 0.0)
    channels = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient([[1.0]], [[9.0]], [-1.0], [1.0])
    assert channels.backprop_wrt_max.numpy().tolist() == [1.0]


@pytest.mark.parametrize("name", ["quantize", "dequantize", "quantized_concat"])
def test_ops_on_quantized_dtypes_are_refused(name: str) -> None:
    with pytest.raises(NotImplementedError, match=rf"tf.quantization.{name} is not supported.*quantize_and_dequantize"):
        getattr(tf.quantization, name)([1.0], -1.0, 1.0, tf.qint8)


@pytest.mark.parametrize("name", QUANTIZED)
def test_quantized_dtypes_can_be_asked_for_and_not_used(name: str) -> None:
    for namespace in (tf, tf.dtypes, tf.compat.v1, tf.compat.v1.dtypes):
        assert tf.constant([1.0]).dtype != getattr(namespace, name)
    with pytest.raises(TypeError):
        tf.cast([1.0], getattr(tf, name))
    with pytest.raises(TypeError):
        tf.as_dtype(name)


def test_gradients_that_are_not_finite_are_nan_outside_of_the_range() -> None:
    gradients, inputs = tf.constant([np.nan, np.inf, 1.0, -np.inf, 2.0]), tf.constant([-9.0, -9.0, 0.0, 9.0, np.nan])
    found = tf.quantization.fake_quant_with_min_max_args_gradient(gradients, inputs)
    assert np.array_equal(found, [np.nan, np.nan, 1.0, np.nan, 0.0], equal_nan=True)
    _, low, high = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(
        tf.reshape(gradients[:4], [2, 2]), tf.reshape(inputs[:4], [2, 2]), [-1.0, -1.0], [1.0, 1.0]
    )
    assert np.isnan(low[0])
    assert np.isnan(high[1])
