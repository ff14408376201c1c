"""Singular matrices, the triangle that is read, and refusals. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
LOPSIDED = [[4.0, 9.0], [2.0, 5.0]]


def slope(function, matrix):
    x = tf.constant(matrix)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy()


def test_inverse_of_a_singular_matrix_raises_at_once_if_it_is_known():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        tf.linalg.inv(tf.constant([np.eye(2), SINGULAR]))


def test_inverse_of_a_computed_singular_matrix_raises_at_the_read():
    inverse = tf.linalg.inv(tf.constant(SINGULAR) * 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        inverse.numpy()


def test_solve_with_a_singular_matrix_raises():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input matrix is not invertible"):
        tf.linalg.solve(tf.constant(SINGULAR), tf.ones([2, 1]))


def test_inverse_of_nothing_is_nothing():
    assert tf.linalg.inv(tf.zeros([0, 0])).shape == [0, 0]
    assert tf.linalg.det(tf.zeros([0, 0])).numpy() == 1


def test_solve_takes_no_vector_and_no_other_batch():
    for right in (tf.ones([2]), tf.ones([3, 2, 1]), tf.ones([3, 1])):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"linalg\.solve"):
            tf.linalg.solve(tf.eye(2), right)


def test_triangular_solve_broadcasts_and_divides_by_zero():
    assert tf.linalg.triangular_solve(tf.eye(2), tf.ones([3, 2, 1])).shape == [3, 2, 1]
    found = tf.linalg.triangular_solve(tf.constant([[0.0, 0.0], [1.0, 1.0]]), tf.constant([[2.0], [1.0]]))
    assert found.numpy().ravel().tolist() == [np.inf, -np.inf]


def test_cholesky_reads_the_lower_triangle_and_spreads_its_gradient():
    assert tf.linalg.cholesky(tf.constant(LOPSIDED)).numpy().tolist() == [[2, 0], [1, 2]]
    want = [[0.2012999951839447, 0.1298999935388565], [0.1298999935388565, 0.32030001282691956]]
    assert np.allclose(slope(tf.linalg.cholesky, [[4.0, 9.0], [1.5, 3.0]]), want, atol=1e-4)


def test_cholesky_of_what_is_not_positive_is_nan():
    found = tf.linalg.cholesky(tf.constant([[-2.0, -1.0], [-1.0, -3.0]])).numpy()
    assert np.isnan(found[np.tril_indices(2)]).all()


def test_slogdet_of_a_singular_matrix():
    found = tf.linalg.slogdet(tf.constant(SINGULAR))
    assert (found.sign.numpy(), found.log_abs_determinant.numpy()) == (0, -np.inf)
    assert type(found).__name__ == "LogMatrixDeterminant"


def test_sign_of_a_determinant_has_a_gradient_of_zeros():
    assert not slope(lambda x: tf.linalg.slogdet(x).sign, LOPSIDED).any()


def test_lstsq_by_normal_equations_or_singular_values():
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.ones([3, 1])
    assert np.allclose(tf.linalg.lstsq(a, b), [[-1], [1]], atol=2e-5)
    assert np.allclose(tf.linalg.lstsq(a, b, 0.5), [[-0.2795701], [0.43010768]], atol=1e-5)
    assert np.allclose(tf.linalg.lstsq(a, b, 0.5, fast=False), [[-1], [1]], atol=1e-5)
    wide = tf.linalg.lstsq(tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.ones([2, 1]), 0.5)
    assert np.allclose(wide, [[-0.24561366], [0.03508775], [0.31578913]], atol=1e-5)


def test_expm_refuses_integers_with_value_error():
    with pytest.raises(ValueError, match="expm"):
        tf.linalg.expm(tf.constant([[1, 2], [3, 4]]))


def test_svd_returns_values_first_and_v_not_transposed():
    a = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
    s, u, v = tf.linalg.svd(a)
    assert np.allclose(s, [9.525518, 0.51429987], atol=1e-5)
    assert np.allclose(u.numpy() * s.numpy() @ v.numpy().T, a, atol=1e-5)
    assert [t.shape for t in tf.linalg.svd(a, full_matrices=True)] == [[2], [3, 3], [2, 2]]


def test_qr_has_the_signs_of_tensorflow():
    found = tf.linalg.qr(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert np.allclose(found.r, [[-5.91608, -7.437357], [0, 0.82807845]], atol=1e-5)
    assert tf.linalg.qr(tf.ones([3, 2]), full_matrices=True).q.shape == [3, 3]


def test_eigh_reads_the_lower_triangle_and_leaves_its_gradient_there():
    assert np.allclose(tf.linalg.eigh(tf.constant([[2.0, 100.0], [1.0, 3.0]]))[0], [1.3819659, 3.6180334], atol=1e-5)
    found = slope(lambda x: tf.square(tf.linalg.eigh(x)[0]), [[4.0, 1.5], [1.5, 3.0]])
    assert np.allclose(found, [[8, 0], [6, 6]], atol=1e-4)


def test_eig_is_complex():
    values, vectors = tf.linalg.eig(tf.constant([[0.0, -1.0], [1.0, 0.0]]))
    assert (values.dtype, vectors.dtype) == (tf.complex64, tf.complex64)
    assert sorted(values.numpy().imag.tolist()) == [-1, 1]
    assert sorted(tf.linalg.eigvals(tf.constant([[0.0, -1.0], [1.0, 0.0]])).numpy().imag.tolist()) == [-1, 1]


def test_pinv_and_rank_count_small_values_as_zero():
    assert np.allclose(tf.linalg.pinv(tf.constant(SINGULAR)), [[0.04, 0.08], [0.08, 0.16]], atol=1e-6)
    assert tf.linalg.matrix_rank(tf.constant([SINGULAR, LOPSIDED])).numpy().tolist() == [1, 2]
    assert tf.linalg.matrix_rank(tf.constant(LOPSIDED), tol=5.0).numpy() == 1
    with pytest.raises(TypeError, match="floating"):
        tf.linalg.pinv(tf.constant([[1, 2], [3, 4]]))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 3, 0), (0, 3, 3)], ids=str)
def test_rank_of_nothing_is_0(shape):
    for tolerance in (None, 1e-3):
        ranks = tf.linalg.matrix_rank(tf.zeros(shape), tolerance)
        assert ranks.dtype == tf.int32
        assert ranks.shape == shape[:-2]
        assert not ranks.numpy().any()


@pytest.mark.parametrize("function", ["eigh", "eigvalsh", "eig", "eigvals"])
def test_eigenvalues_of_nan_raise(function):
    matrix = tf.constant([[np.nan, 1.0], [1.0, 3.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="igen decomposition was not successful"):
        getattr(tf.linalg, function)(matrix)
    with pytest.raises(tf.errors.InvalidArgumentError, match="igen decomposition was not successful"):
        tf.nest.map_structure(np.asarray, getattr(tf.linalg, function)(matrix * 2.0))


def test_eigenvalues_read_no_nan_above_the_diagonal():
    # eig reads it, and takes no infinity either.
    matrix = [[1.0, np.nan], [2.0, 3.0]]
    assert np.allclose(tf.linalg.eigvalsh(matrix), [-0.236068, 4.236068])
    assert np.isnan(tf.linalg.eigvalsh([[np.inf, 1.0], [1.0, 3.0]])).all()
    for bad in (matrix, [[np.inf, 1.0], [1.0, 3.0]]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linalg.eigvals(tf.constant(bad))


def test_sign_of_a_determinant_that_is_nan():
    sign, logarithm = tf.linalg.slogdet([[np.nan, 1.0], [1.0, 3.0]])
    assert np.isnan(sign)
    assert np.isnan(logarithm)


def test_what_follows_from_infinite_singular_values_is_nan():
    batch = tf.constant([[[np.inf, 1.0], [1.0, 3.0]], [[2.0, 0.0], [0.0, 1.0]]])
    for found in (*tf.linalg.svd(batch), tf.linalg.pinv(batch)):
        assert np.isnan(found[0]).all()
        assert np.isfinite(found[1]).all()


@pytest.mark.parametrize("function", [tf.linalg.inv, tf.linalg.lu, lambda x: tf.linalg.solve(x, x)])
def test_elimination_from_nan_raises(function):
    for bad in (np.full((2, 2), np.nan), [[np.nan, 0.0], [0.0, 1.0]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            tf.nest.map_structure(np.asarray, function(tf.constant(bad)))
    # Further down, nan is passed on.
    tf.nest.map_structure(np.asarray, function(tf.constant([[1.0, 0.0], [0.0, np.nan]])))


def test_full_factors_of_empty_matrices_are_identities():
    assert tf.linalg.qr(tf.zeros([2, 0]), full_matrices=True).q.numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert tf.linalg.svd(tf.zeros([3, 0, 2]), full_matrices=True)[2].numpy().tolist() == [[[1.0, 0.0], [0.0, 1.0]]] * 3


def test_determinants_of_empty_matrices_have_a_gradient():
    assert slope(lambda x: tf.linalg.det(x)[0], np.zeros((2, 0, 0))).shape == (2, 0, 0)


WEIGHTS = tf.constant([[1.0, 2.0], [3.0, 5.0]], tf.float64)


def weighed(array):
    return tf.reduce_sum(WEIGHTS * array)


def exponential(matrix):
    values, vectors = tf.linalg.eigh(matrix)
    return tf.reduce_sum(tf.matmul(vectors * tf.exp(values), vectors, transpose_b=True))


def test_vectors_of_equal_values_do_not_turn():
    assert slope(lambda x: weighed(tf.linalg.eigh(x)[1]), np.eye(2)).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert np.allclose(slope(exponential, np.eye(2)), np.e * np.eye(2))
    values = slope(lambda x: tf.reduce_sum(tf.linalg.svd(x)[0]) + weighed(tf.linalg.svd(x)[1]), np.eye(2))
    assert np.allclose(values, np.eye(2))


def test_eigenvectors_of_any_matrix_have_a_gradient():
    found = slope(
        lambda x: tf.reduce_sum(WEIGHTS[0] * tf.math.real(tf.linalg.eig(x)[0])) + weighed(tf.abs(tf.linalg.eig(x)[1])),
        np.array([[1.0, 2.0], [0.5, 3.0]]),
    )
    assert found.dtype == np.float64
    assert np.allclose(found, [[1.0519439, -0.2088538], [1.8716181, 1.9480561]], atol=1e-5)


def test_eigenvalues_of_complex_matrices_ascend_by_size():
    matrix = tf.constant([[3j, 0.0], [0.0, 1.0]], tf.complex64)
    assert tf.linalg.eigvals(matrix).numpy().tolist() == [1.0, 3j]
    values, vectors = tf.linalg.eig(matrix)
    assert values.numpy().tolist() == [1.0, 3j]
    assert vectors.numpy().tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_diagonals_of_hermitian_matrices_have_real_gradients():
    found = slope(lambda x: weighed(tf.abs(tf.linalg.eigh(x)[1])), np.array([[2.0, 9j], [1j, 3.0 + 1j]]))
    assert np.allclose(found, [[0.2197735, 0.0], [0.2197735j, -0.2197735]])


def test_eigenvectors_have_second_derivatives():
    x = tf.constant([[3.0, 1.0], [1.0, 2.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.linalg.eigh(x)[1][0, 0] ** 2
        slopes = tf.reduce_sum(inner.gradient(y, x))
    np.testing.assert_allclose(outer.gradient(slopes, x), [[0.0715542, 0.0], [-0.2504396, -0.0715542]], rtol=1e-4)
