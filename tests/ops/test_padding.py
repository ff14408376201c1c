"""Padding at its corners."""

from __future__ import annotations

import pytest

import tfcompat as tf

Z = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def test_mirrors_stop_at_the_edge():
    assert tf.pad(Z, [[2, 0], [0, 1]], "REFLECT").numpy()[:2].tolist() == [[5, 6, 5], [3, 4, 3]]
    assert tf.pad(Z, [[3, 0], [0, 2]], "symmetric").numpy()[0].tolist() == [5, 6, 6, 5]
    for paddings, mode in (([[3, 0], [0, 0]], "REFLECT"), ([[4, 0], [0, 0]], "SYMMETRIC")):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must not exceed"):
            tf.pad(Z, paddings, mode)


def test_constant_may_be_a_tensor_and_has_no_gradient():
    value = tf.constant(7.0)
    with tf.GradientTape() as tape:
        tape.watch([Z, value])
        y = tf.pad(Z, [[0, 0], [1, 0]], constant_values=value)
    assert y.numpy()[0].tolist() == [7, 1, 2]
    of_tensor, of_value = tape.gradient(y, [Z, value])
    assert (of_tensor.numpy().tolist(), of_value) == ([[1, 1]] * 3, None)


def test_constant_of_another_dtype_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.pad(Z, [[0, 0], [1, 0]], constant_values=tf.constant(2))


def test_padding_is_one_pair_for_each_axis():
    for paddings in ([[1, 1]], [1, 1], [[1, 1], [-1, 0]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="paddings must be 2 pairs"):
            tf.pad(Z, paddings)
    with pytest.raises(ValueError, match="mode"):
        tf.pad(Z, [[0, 0], [0, 0]], "WRAP")
