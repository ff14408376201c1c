"""Functions of TensorFlow 1 with other orders of arguments. Expected values are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

v1 = tf.compat.v1
IMAGES = np.arange(32, dtype=np.float32).reshape(2, 2, 4, 2)
SCALE, OFFSET = tf.constant([1.0, 2.0]), tf.constant([0.5, 0.0])


def test_batch_is_normalised_and_averages_move():
    x = tf.constant(IMAGES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, mean, variance = v1.nn.fused_batch_norm(
            x, SCALE, OFFSET, mean=tf.zeros(2), variance=tf.ones(2), exponential_avg_factor=0.25
        )
    assert mean.numpy().tolist() == [3.75, 4.0]
    np.testing.assert_allclose(variance.numpy(), [23.416666, 23.416666], rtol=1e-5)
    np.testing.assert_allclose(y[0, 0, :, 0].numpy(), [-1.126967, -0.910038, -0.693109, -0.47618], rtol=1e-4)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), np.zeros_like(IMAGES), atol=1e-5)


def test_given_moments_are_used_outside_of_training():
    y, mean, variance = v1.nn.fused_batch_norm(
        IMAGES, SCALE, OFFSET, mean=[1.0, 2.0], variance=[4.0, 9.0], is_training=False, epsilon=0.0
    )
    np.testing.assert_allclose(y[0, 0, 1].numpy(), [1.0, 2.0 / 3.0], rtol=1e-6)
    assert (mean.numpy().tolist(), variance.numpy().tolist()) == ([1.0, 2.0], [4.0, 9.0])
    with pytest.raises(ValueError, match="Both `mean` and `variance` must be a 1D tensor"):
        v1.nn.fused_batch_norm(IMAGES, SCALE, OFFSET, is_training=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            lambda: v1.nn.max_pool(IMAGES, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
            lambda: tf.nn.max_pool2d(IMAGES, 2, 2, "VALID"),
        ),
        (
            lambda: v1.nn.avg_pool(None, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", input=IMAGES),
            lambda: tf.nn.avg_pool2d(IMAGES, 2, 2, "SAME"),
        ),
        (
            lambda: v1.nn.convolution(IMAGES, tf.ones([2, 2, 2, 3]), "VALID", dilation_rate=[1, 2]),
            lambda: tf.nn.convolution(IMAGES, tf.ones([2, 2, 2, 3]), dilations=[1, 2], padding="VALID"),
        ),
        (
            lambda: v1.nn.conv2d_transpose(IMAGES, tf.ones([2, 2, 3, 2]), [2, 4, 8, 3], 2),
            lambda: tf.nn.conv2d_transpose(IMAGES, tf.ones([2, 2, 3, 2]), [2, 4, 8, 3], 2),
        ),
        (
            lambda: v1.nn.moments(IMAGES, [0, 1], keep_dims=True)[1],
            lambda: tf.nn.moments(IMAGES, [0, 1], keepdims=True)[1],
        ),
        (lambda: v1.gather(IMAGES, [1], axis=2), lambda: tf.gather(IMAGES, [1], axis=2)),
        (lambda: v1.gather_nd(IMAGES, [[1, 0]]), lambda: tf.gather_nd(IMAGES, [[1, 0]])),
        (
            lambda: v1.boolean_mask(IMAGES, [True, False], axis=1),
            lambda: tf.boolean_mask(IMAGES, [True, False], axis=1),
        ),
        (lambda: v1.math.in_top_k([[0.1, 0.9]], [0], 1), lambda: tf.math.in_top_k([0], [[0.1, 0.9]], 1)),
        (lambda: v1.strings.substr(["abc"], 1, 1), lambda: tf.constant(["b"])),
    ],
    ids=[
        "max_pool",
        "avg_pool",
        "convolution",
        "transpose",
        "moments",
        "gather",
        "gather_nd",
        "mask",
        "top_k",
        "substr",
    ],
)
def test_same_as_the_function_of_version_2(old, new):
    assert np.array_equal(old().numpy(), new().numpy())


def test_conditions_and_loops_return_single_values():
    assert v1.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)]).numpy() == 1
    assert v1.cond(True, fn1=lambda: 3, fn2=lambda: 4) == 3
    loop = tf.function(lambda: v1.while_loop(lambda k: k < 5, lambda k: k + 1, [tf.constant(0)]))
    assert loop().numpy() == 5
    with pytest.raises(RuntimeError, match="not supported when eager execution"):
        v1.gradients(tf.constant(1.0), tf.constant(1.0))


def test_devices_can_be_changed():
    device = v1.DeviceSpec(job="worker", device_type="GPU")
    device.task = 3
    device.merge_from(v1.DeviceSpec.from_string("/device:CPU:1"))
    assert device.to_string() == "/job:worker/task:3/device:CPU:1"
    with v1.device("/cpu:0"):
        assert tf.ones(2).device.endswith("CPU:0")


def test_ragged_values_are_nested_arrays():
    inner = v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 1, 3]))
    value = v1.ragged.RaggedTensorValue(inner, np.array([0, 2, 2]))
    assert value.to_list() == [[[1], [2, 3]], []]
    assert (value.ragged_rank, value.shape, value.flat_values.tolist()) == (2, (2, None, None), [1, 2, 3])
    with pytest.raises(TypeError, match="row_splits must be"):
        v1.ragged.RaggedTensorValue(np.array([1]), [0, 1])
