"""Roots and logarithms of matrices lead back to them."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

MATRIX = np.array([[4.0, 1.0, 0.5], [0.3, 3.0, -1.0], [0.2, 0.4, 2.0]])


def test_square_of_the_root():
    root = tf.linalg.sqrtm(MATRIX)
    assert np.allclose(root @ root, MATRIX)
    complex_root = tf.linalg.sqrtm(tf.constant(-MATRIX, tf.complex128))
    assert np.allclose(complex_root @ complex_root, -MATRIX)


@pytest.mark.thorough
def test_exponential_of_the_logarithm():
    for matrix in (MATRIX, 100 * MATRIX, MATRIX / 1000, np.array([[1.0, 5.0], [0.0, 1.0]])):
        logarithm = tf.linalg.logm(tf.constant(matrix, tf.complex128))
        assert np.allclose(tf.linalg.expm(logarithm), matrix)
    assert np.allclose(tf.linalg.logm(tf.eye(2, dtype=tf.complex64)), 0)


def test_logarithm_has_no_gradient():
    x = tf.constant(MATRIX, tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.logm(x)
    with pytest.raises(LookupError, match="MatrixLogarithm"):
        tape.gradient(y, x)
