"""Approximate ranks, which are exact on a CPU. TensorFlow has no kernel for the smallest there."""

from __future__ import annotations

import pytest

import tfcompat as tf

TABLE = tf.constant([[3.0, 1.0, 2.0], [1.0, 2.0, 4.0]])


def test_smallest_along_an_axis():
    values, places = tf.math.approx_min_k(TABLE, 2)
    assert values.numpy().tolist() == [[1, 2], [1, 2]]
    assert places.numpy().tolist() == [[1, 2], [0, 1]]
    values, places = tf.nn.approx_min_k(TABLE, 1, reduction_dimension=0, recall_target=0.5)
    assert values.numpy().tolist() == [[1, 1, 2]]
    assert places.dtype == tf.int32


def test_gradient_goes_to_what_is_found():
    with tf.GradientTape() as tape:
        tape.watch(TABLE)
        values, _ = tf.math.approx_max_k(TABLE, 1)
    assert tape.gradient(values, TABLE).numpy().tolist() == [[1, 0, 0], [0, 0, 1]]


def test_more_than_there_is_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="at most"):
        tf.math.approx_min_k(TABLE, 4)
