"""Calls with the same arguments as earlier ones: the cached path agrees with the full path."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

IMAGE = np.arange(1, 9, dtype=np.float32).reshape(1, 1, 1, 8)


def normalized(bias, alpha, beta):
    """The definition of `tf.nn.local_response_normalization` with radius 1."""
    padded = np.pad(np.square(IMAGE.ravel()), 1)
    sums = padded[:-2] + padded[1:-1] + padded[2:]
    return IMAGE.ravel() / (bias + alpha * sums) ** beta


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"beta": 1.0, "alpha": 1.0}, {"beta": 0.5, "alpha": 2.0}),
        ({"beta": 1}, {"beta": 2}),
        ({"alpha": 1, "bias": 1}, {"alpha": 2, "bias": 3}),
        ({"beta": 0.5}, {"beta": 0.25}),
    ],
    ids=str,
)
def test_equal_numbers_are_not_mixed_up(first, second):
    for given in (first, second, first):
        answer = tf.nn.local_response_normalization(tf.constant(IMAGE), depth_radius=1, **given)
        expected = normalized(**({"bias": 1.0, "alpha": 1.0, "beta": 0.5} | given))
        np.testing.assert_allclose(answer.numpy().ravel(), expected, rtol=1e-5)


def test_integer_and_float_spellings_agree():
    x = tf.constant([1.0, 2.0])
    for _ in range(2):
        assert tf.add(x, 1).numpy().tolist() == tf.add(x, 1.0).numpy().tolist() == [2.0, 3.0]
        assert tf.multiply(3, tf.constant([1, 2])).numpy().tolist() == [3, 6]


def test_same_tensor_twice_is_not_remembered_as_one():
    x, y = tf.constant([1.0, 2.0]), tf.constant([5.0, 5.0])
    assert tf.subtract(x, x).numpy().tolist() == [0.0, 0.0]
    assert tf.subtract(x, y).numpy().tolist() == [-4.0, -3.0]
    assert tf.subtract(y=x, x=y).numpy().tolist() == [4.0, 3.0]
    assert tf.stack([x, x]).numpy().tolist() == [[1.0, 2.0]] * 2
    assert tf.stack([x, y]).numpy().tolist() == [[1.0, 2.0], [5.0, 5.0]]
