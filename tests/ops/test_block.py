"""Blocks, and their inverse."""

from __future__ import annotations

import pytest

import tfcompat as tf

IMAGES = tf.reshape(tf.range(40.0), [1, 4, 2, 5])


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_depth_undoes_space(data_format):
    images = IMAGES if data_format == "NHWC" else tf.transpose(IMAGES, [0, 3, 1, 2])
    deep = tf.nn.space_to_depth(images, 2, data_format)
    assert deep.shape == ((1, 2, 1, 20) if data_format == "NHWC" else (1, 20, 2, 1))
    assert tf.nn.depth_to_space(deep, 2, data_format).numpy().tolist() == images.numpy().tolist()


def test_space_undoes_batch():
    batch = tf.space_to_batch(IMAGES, [2, 3], [[0, 0], [1, 0]])
    assert batch.shape == (6, 2, 1, 5)
    assert batch.numpy()[2, 0, 0].tolist() == IMAGES.numpy()[0, 0, 1].tolist()
    assert tf.batch_to_space(batch, [2, 3], [[0, 0], [1, 0]]).numpy().tolist() == IMAGES.numpy().tolist()


def test_blocks_must_fit():
    for refused in (
        lambda: tf.nn.space_to_depth(tf.reshape(IMAGES, [1, 4, 5, 2]), 2),
        lambda: tf.nn.space_to_depth(IMAGES, 1),
        lambda: tf.nn.depth_to_space(IMAGES, 2),
        lambda: tf.space_to_batch(IMAGES, [3], [[1, 2]]),
        lambda: tf.batch_to_space(IMAGES, [2], [[0, 0]]),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            refused()


def test_space_to_batch_nd_moves_blocks_to_the_batch():
    x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    assert tf.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]).numpy().ravel().tolist() == [0.0, 1.0, 2.0, 3.0]
    assert tf.space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]).shape == (4, 1, 1, 1)
