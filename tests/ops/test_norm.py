"""Norms: orders, axes, zeros. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

MATRIX = [[1.0, -2.0], [3.0, 4.0]]


def slopes(function, values):
    x = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(x)
        answer = function(x)
    return tape.gradient(answer, x).numpy()


@pytest.mark.parametrize(
    ("order", "axis", "expected"),
    [
        ("euclidean", None, 5.477226),
        (1, None, 10.0),
        (np.inf, None, 4.0),
        (3, None, 4.641589),
        (1, [0, 1], 6.0),
        (2, [0, 1], 5.116673),
        (np.inf, (0, 1), 7.0),
        ("fro", (0, 1), 5.477226),
    ],
)
def test_orders_of_vectors_and_matrices(order, axis, expected):
    assert np.isclose(tf.norm(tf.constant(MATRIX), order, axis), expected)


@pytest.mark.parametrize(("order", "axis"), [("fro", 0), (0, None), ("x", None), (3, [0, 1]), (1, [0]), (1, [0, 0])])
def test_other_orders_and_axes_raise_value_error(order, axis):
    with pytest.raises(ValueError, match=r"tf\.norm: (ord|axis) must be"):
        tf.norm(tf.constant(MATRIX), order, axis)


def test_norm_at_zero_has_no_slope_unless_nothing_flows():
    assert np.isnan(slopes(tf.norm, [0.0, 0.0])).all()
    assert slopes(lambda x: tf.norm(x) * 0.0, [0.0, 0.0]).tolist() == [0, 0]


def test_l2_normalize_of_zero_is_zero_and_steep():
    assert tf.nn.l2_normalize([0.0, 0.0]).numpy().tolist() == [0, 0]
    assert np.allclose(slopes(tf.nn.l2_normalize, [0.0, 0.0]), 1e6)


def test_l2_normalize_takes_the_old_name_of_its_axis():
    assert np.allclose(tf.nn.l2_normalize([[3.0, 4.0]], dim=1), [[0.6, 0.8]])
    with pytest.raises(ValueError, match="only one"):
        tf.nn.l2_normalize([[3.0, 4.0]], axis=1, dim=1)


def test_normalize_of_zero_is_nan():
    normalized, norm = tf.linalg.normalize([0.0, 0.0])
    assert np.isnan(normalized).all()
    assert norm.numpy().tolist() == [0.0]


def test_batch_normalization_takes_the_dtype_of_variance():
    x = tf.constant([1.0, 2.0], tf.float64)
    mean = tf.constant(0.5, tf.float64)
    # A Python number is float32, whatever `x` is, and what stands beside it as a number follows.
    mixed = tf.nn.batch_normalization(x, 0.5, 2.0, None, None, 1e-3)
    assert mixed.numpy().tolist() == pytest.approx([0.35346505, 1.06039515], rel=1e-6)
    whole = tf.nn.batch_normalization(tf.constant([1.0, 2.0]), 0, 2, 1, 2, 1e-3)
    assert whole.numpy().tolist() == pytest.approx([2.4138603, 3.8277204], rel=1e-6)
    for parameters in ((mean, 2.0, 1.0, 2.0), (0.5, 2.0, mean, None), (mean, 2.0, None, mean)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.nn.batch_normalization(x, *parameters, 1e-3)


def test_greatest_of_nothing_is_minus_infinity():
    assert tf.norm(tf.zeros([0]), np.inf).numpy() == -np.inf
    assert tf.norm(tf.zeros([2, 0]), 2, axis=[0, 1]).numpy() == -np.inf
    assert tf.norm(tf.zeros([0, 2]), np.inf, axis=0).numpy().tolist() == [-np.inf, -np.inf]
