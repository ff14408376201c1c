"""Matrices with few diagonals: eigenvectors, derivatives, and refusals."""

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


DIAGONAL, BESIDE = [1.0, -2.0, 3.0, 0.5, 7.0], [0.5, -1.0, 2.0, 1.5]
ALL = [-2.33818, -0.70233, 1.07714, 4.08473, 7.37865]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize(
    ("select", "limits", "expected"),
    [
        ("a", None, ALL),
        ("a", (0, 1), ALL),
        ("i", (0, 2), ALL[:3]),
        ("i", [1, 1], ALL[1:2]),
        ("i", (0, 1, 2), ALL[:2]),
        ("i", tf.constant([3, 4]), ALL[3:]),
        ("v", (-1.0, 3.0), ALL[1:3]),
        ("v", (0, 8), ALL[2:]),
        ("v", (-100.0, -50.0), []),
    ],
    ids=str,
)
def test_eigenvalues_are_selected(dtype, select, limits, expected):
    alpha, beta = tf.constant(DIAGONAL, dtype), tf.constant(BESIDE, dtype)
    found = tf.linalg.eigh_tridiagonal(alpha, beta, select=select, select_range=limits)
    assert found.dtype is tf.as_dtype(dtype).real_dtype
    assert found.shape == len(expected)
    assert np.allclose(found, expected, atol=2e-5)


def test_eigenvalues_at_both_ends_are_selected():
    found = tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.0, 0.0], select="v", select_range=(1.0, 2.0))
    assert np.allclose(found, [1.0, 2.0])


def test_the_only_eigenvalue_is_selected_always():
    for select, limits in (("i", (0, 0)), ("i", (1, 1)), ("v", (0.0, 1.0)), ("v", (3.0, 0.0))):
        found = tf.linalg.eigh_tridiagonal([2.0], tf.zeros([0]), select=select, select_range=limits)
        assert found.numpy().tolist() == [2.0]


@pytest.mark.parametrize(
    ("select", "limits", "error"),
    [
        ("i", (2, 1), tf.errors.InvalidArgumentError),
        ("i", (0.0, 1.0), tf.errors.InvalidArgumentError),
        ("v", (3.0, -1.0), tf.errors.InvalidArgumentError),
        ("v", (2.0, 2.0), tf.errors.InvalidArgumentError),
        ("i", (1,), IndexError),
        ("i", 5, TypeError),
        ("v", None, TypeError),
        ("I", (0, 2), ValueError),
    ],
    ids=str,
)
def test_selections_are_refused_in_tensorflows_class(select, limits, error):
    with pytest.raises(error):
        tf.linalg.eigh_tridiagonal(DIAGONAL, BESIDE, select=select, select_range=limits)


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
