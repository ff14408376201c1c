"""Matrices with few diagonals: vectors of eigenvalues, slopes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

ALPHA, BETA = np.array([2.0, 1.0, 3.0, 0.5]), np.array([1.0, 2.0, 0.5])
MATRIX = np.diag(ALPHA) + np.diag(BETA, 1) + np.diag(BETA, -1)


def test_vectors_belong_to_the_eigenvalues():
    values, vectors = tf.linalg.eigh_tridiagonal(ALPHA, BETA, eigvals_only=False)
    assert np.allclose(MATRIX @ vectors.numpy(), vectors.numpy() * values.numpy())
    some, their = tf.linalg.eigh_tridiagonal(ALPHA, BETA, eigvals_only=False, select="i", select_range=(1, 2))
    assert np.allclose(some, values[1:3])
    assert np.allclose(their, vectors[:, 1:3])


def test_gradient_of_the_eigenvalues_is_their_slope():
    # TensorFlow differentiates the bisection by which it finds them.
    alpha = tf.Variable(ALPHA)
    with tf.GradientTape() as tape:
        lowest = tf.linalg.eigh_tridiagonal(alpha, BETA)[0]
    assert np.allclose(tape.gradient(lowest, alpha), np.square(np.linalg.eigh(MATRIX)[1][:, 0]))


def test_singular_systems_are_not_perturbed():
    with pytest.raises(NotImplementedError, match="perturb_singular"):
        tf.linalg.tridiagonal_solve(tf.ones([3, 2]), tf.ones([2, 1]), perturb_singular=True)
    assert np.isnan(tf.linalg.tridiagonal_solve(tf.zeros([3, 2]), tf.ones([2, 1]))).all()


def test_rows_change_places_where_a_pivot_is_zero():
    diagonals = tf.constant([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    for pivots in (True, False):
        solution = tf.linalg.tridiagonal_solve(diagonals, tf.ones([3, 1]), partial_pivoting=pivots)
        assert solution.numpy().ravel().tolist() == [1, 1, 0]


def test_more_bands_than_rows():
    found = tf.linalg.banded_triangular_solve(tf.ones([5, 3]), tf.ones([3, 1]))
    assert found.numpy().ravel().tolist() == [1, 0, 0]


def test_nan_spreads_to_all_eigenvalues():
    values, vectors = tf.linalg.eigh_tridiagonal([1.0, np.nan, 2.0], [1.0, -np.inf], eigvals_only=False)
    assert np.isnan(values).all()
    assert np.isnan(vectors).all()
    assert tf.linalg.eigh_tridiagonal(tf.zeros([0]), tf.zeros([0])).shape == [0]


def test_solution_for_an_empty_batch_of_vectors():
    assert tf.linalg.tridiagonal_solve(tf.zeros([0, 3, 4]), tf.zeros([0, 4])).shape == [0, 4]


def test_diagonals_that_are_no_vectors():
    with pytest.raises(tf.errors.InvalidArgumentError, match="3 diagonals"):
        tf.linalg.tridiagonal_matmul(1.0, [[1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="vectors"):
        tf.linalg.tridiagonal_matmul((1.0, 1.0, 1.0), [[1.0]], "sequence")
