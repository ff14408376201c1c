"""Layers and windows without margins are saved for images of open sizes."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

FILTERS = tf.ones([3, 3, 3, 2])
MORE_FILTERS = tf.reshape(tf.range(144.0) % 5.0, [3, 3, 2, 8])


def network(x):
    x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, FILTERS, 2, "VALID")), 2, 2, "VALID")
    return tf.reduce_mean(tf.nn.conv2d(x, MORE_FILTERS, 1, "VALID"), [1, 2])


def patches(size, stride):
    return lambda x: tf.image.extract_patches(x, [1, size, size, 1], [1, stride, stride, 1], [1, 1, 1, 1], "VALID")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.nn.conv2d(x, FILTERS, 1, "VALID"),
        lambda x: tf.nn.atrous_conv2d(x, FILTERS, 2, "VALID"),
        network,
        patches(3, 2),
        patches(2, 2),
    ],
    ids=["convolution", "atrous", "network", "overlapping", "tiles"],
)
def test_windows_without_margins_are_saved(function, tmp_path):
    module = tf.Module()
    module.f = tf.function(function, input_signature=[tf.TensorSpec([None, None, None, 3])])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path)).f
    for shape in ((2, 19, 24, 3), (1, 23, 16, 3)):
        image = tf.constant((np.arange(np.prod(shape)) % 17 / 17).reshape(shape).astype(np.float32))
        np.testing.assert_allclose(loaded(image), function(image), rtol=1e-4)
