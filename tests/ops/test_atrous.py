"""Dilated convolutions and pooling. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

IMAGE = tf.reshape(tf.range(1.0, 50.0), [1, 7, 7, 1])


def test_windows_with_gaps():
    found = tf.nn.with_space_to_batch(
        IMAGE, [2, 2], "SAME", lambda part, ndim, padding: tf.nn.max_pool2d(part, ndim, 1, padding), filter_shape=[2, 2]
    )
    assert found[0, 0, :, 0].numpy().tolist() == [9, 10, 11, 12, 13, 14, 13]
    assert found[0, 6, :, 0].numpy().tolist() == [37, 38, 39, 40, 41, 42, 41]


def test_one_spatial_axis_of_two():
    found = tf.nn.with_space_to_batch(
        IMAGE,
        [2],
        "VALID",
        lambda part, ndim, padding: tf.nn.max_pool2d(part, [1, 2 * ndim], 1, padding),
        filter_shape=[2],
        spatial_dims=[2],
    )
    assert found.shape == [1, 7, 5, 1]
    assert found[0, 1, :, 0].numpy().tolist() == [10, 11, 12, 13, 14]


def test_rate_one_leaves_the_padding_to_the_operation():
    seen = []
    found = tf.nn.with_space_to_batch(IMAGE, [1, 1], "SAME", lambda part, *rest: (seen.append(rest), part)[1])
    assert seen == [(2, "SAME")]
    assert found.shape == IMAGE.shape


def test_arguments_are_checked():
    for rates, padding, options in (
        ([0, 2], "VALID", {}),
        ([2, 2], "SAME", {}),
        ([2, 2], "OTHER", {}),
        ([2, 2], "VALID", {"spatial_dims": [2, 1]}),
        ([2, 2], "VALID", {"spatial_dims": [2, 5]}),
    ):
        with pytest.raises(ValueError, match="with_space_to_batch"):
            tf.nn.with_space_to_batch(IMAGE, rates, padding, lambda part, *_: part, **options)
    with pytest.raises(ValueError, match="base_paddings"):
        tf.required_space_to_batch_paddings([5, 7], [2])


def test_depthwise_convolution_with_strides_and_gaps():
    found = tf.nn.depthwise_conv2d(IMAGE, tf.ones([2, 2, 1, 1]), [1, 2, 2, 1], "VALID", dilations=[2, 2])
    assert found[0, ..., 0].numpy().tolist() == [[36, 40, 52], [64, 68, 80], [148, 152, 164]]


def test_gradient_of_a_dilation_goes_to_the_first_of_equal_sums():
    zeros, weights = tf.zeros([1, 3, 3, 1]), tf.zeros([2, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch((zeros, weights))
        found = tf.nn.dilation2d(zeros, weights, [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1])
    slopes = tape.gradient(found, (zeros, weights))
    assert np.squeeze(slopes[0]).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 0]]
    assert np.squeeze(slopes[1]).tolist() == [[4, 0], [0, 0]]
