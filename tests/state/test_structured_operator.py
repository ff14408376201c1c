"""Circulant and block-triangular operators: their specific methods. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

KERNEL = tf.constant([1.0, 2.0, 3.0, 4.0])
MATRIX = np.array([[4.0, 1.0, 0.5], [0.25, 3.0, -1.0], [0.0, 2.0, 2.5]])
TALL = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
EYE = tf.linalg.LinearOperatorIdentity(2)
PARTS = [np.ones([3, 1]), 2 * np.ones([2, 1])]


def circulant(dtype=tf.complex64, **hints):
    return tf.linalg.LinearOperatorCirculant(tf.signal.fft(tf.cast(KERNEL, tf.complex64)), dtype, **hints)


def triangle(**hints):
    full = tf.linalg.LinearOperatorFullMatrix
    rows = [[full(MATRIX)], [full(TALL.T), tf.linalg.LinearOperatorDiag(np.array([1.5, -2.0]))]]
    return tf.linalg.LinearOperatorBlockLowerTriangular(rows, **hints)


def blocks(rows, **hints):
    return tf.linalg.LinearOperatorBlockLowerTriangular(rows, **hints)


def rounded(parts):
    return [np.round(part.numpy(), 5).tolist() for part in parts]


def test_spectrum_is_told_in_blocks():
    operator = circulant()
    assert operator.block_depth == 1
    assert operator.block_shape.as_list() == [4]
    assert operator.block_shape_tensor().numpy().tolist() == [4]
    assert operator.spectrum.numpy().tolist() == [10, -2 + 2j, -2, -2 - 2j]
    assert operator.convolution_kernel().numpy().tolist() == [1, 2, 3, 4]
    table = tf.linalg.LinearOperatorCirculant2D(
        tf.signal.fft2d(tf.reshape(tf.cast(tf.range(6.0), tf.complex64), [2, 3]))
    )
    assert (table.block_depth, table.block_shape.as_list()) == (2, [2, 3])
    assert np.round(table.convolution_kernel().numpy(), 5).tolist() == [[0, 1, 2], [3, 4, 5]]
    deep = tf.linalg.LinearOperatorCirculant3D(tf.ones([2, 1, 2, 3]))
    assert (deep.block_depth, deep.shape.as_list()) == (3, [2, 6, 6])


def test_real_numbers_may_have_a_complex_spectrum():
    real = circulant(tf.float32)
    assert real.matmul([[1.0], [0.0], [0.0], [0.0]]).numpy().tolist() == [[1.0], [2.0], [3.0], [4.0]]
    assert real.inverse().dtype is tf.float32
    # TensorFlow forgets the dtype in adjoints and products.
    assert real.adjoint().dtype is tf.complex64
    assert (real @ real).dtype is tf.complex64


def test_precisions_of_spectrum_and_numbers_are_one_for_solving():
    operator = tf.linalg.LinearOperatorCirculant(tf.constant([1.0, 2.0], tf.float64))
    assert operator.matmul(tf.ones([2, 1], tf.complex64)).numpy().tolist() == [[1], [1]]
    with pytest.raises(TypeError, match="the same precision"):
        operator.solve(tf.ones([2, 1], tf.complex64))


def test_spectra_are_looked_at():
    hermitian = circulant()
    hermitian.assert_hermitian_spectrum()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not Hermitian"):
        tf.linalg.LinearOperatorCirculant(
            tf.constant([1.0 + 0.0j, 2.0 + 1.0j], tf.complex64)
        ).assert_hermitian_spectrum()
    with pytest.raises(tf.errors.InvalidArgumentError, match="imaginary"):
        hermitian.assert_self_adjoint()
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        hermitian.assert_positive_definite()
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero values"):
        tf.linalg.LinearOperatorCirculant([0.0, 2.0]).assert_non_singular()


def test_kernel_is_learned_in_a_function():
    kernel = tf.Variable([1.0, 0.25, 0.0, 0.25])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            spectrum = tf.signal.fft(tf.cast(kernel, tf.complex64))
            operator = tf.linalg.LinearOperatorCirculant(spectrum, tf.float32)
            error = operator.solvevec([1.0, 2.0, 3.0, 4.0]) - [1.0, 0.0, 0.0, 0.0]
            loss = tf.reduce_sum(error * error) + operator.log_abs_determinant()
        return loss, tape.gradient(loss, kernel)

    loss, gradient = step()
    assert loss.numpy() == pytest.approx(20.490095, rel=1e-5)
    assert gradient.numpy().tolist() == pytest.approx([-37.925922, 8.074077, -21.925922, 4.074077], rel=1e-5)


def test_products_and_solutions_of_parts_are_parts():
    operator = triangle()
    assert rounded(operator.matmul(list(PARTS))) == [[[5.5], [2.25], [4.5]], [[7.5], [1.0]]]
    assert rounded(operator.solve(list(PARTS))) == [[[0.14618], [0.3588], [0.11296]], [[0.48062], [-0.80731]]]
    for adjoint in (False, True):
        whole = operator.matmul(np.concatenate(PARTS), adjoint)
        turned = operator.matmul([part.T for part in PARTS], adjoint, adjoint_arg=True)
        for parts in (operator.matmul(list(PARTS), adjoint), turned):
            np.testing.assert_allclose(np.concatenate(rounded(parts)), whole, atol=1e-5)
        whole = operator.solve(np.concatenate(PARTS), adjoint)
        turned = operator.solve([part.T for part in PARTS], adjoint, adjoint_arg=True)
        for parts in (operator.solve(list(PARTS), adjoint), turned):
            np.testing.assert_allclose(np.concatenate(rounded(parts)), whole, atol=1e-5)
    assert rounded(operator.matvec([part[:, 0] for part in PARTS])) == [[5.5, 2.25, 4.5], [7.5, 1.0]]
    assert rounded(operator.solvevec([part[:, 0] for part in PARTS])) == [
        [0.14618, 0.3588, 0.11296],
        [0.48062, -0.80731],
    ]


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ([np.ones([2, 1]), np.ones([3, 1])], ValueError),
        ([np.ones([3, 1], np.float32), np.ones([2, 1], np.float32)], TypeError),
        ([[[1.0], [1.0]], [[2.0], [2.0]]], ValueError),
        ([np.ones([3, 1])] * 3, ValueError),
    ],
    ids=["sizes", "dtype", "lists", "count"],
)
def test_parts_that_do_not_fit_are_refused(parts, error):
    for method in (triangle().matmul, triangle().solve):
        with pytest.raises(error):
            method(parts)


def test_inverse_of_a_triangle_is_one():
    inverse = triangle().inverse()
    assert isinstance(inverse, tf.linalg.LinearOperatorBlockLowerTriangular)
    assert [len(row) for row in inverse.operators] == [1, 2]
    np.testing.assert_allclose(inverse.matmul(triangle().to_dense()), np.eye(5), atol=1e-12)


def test_parts_of_the_batch_of_a_triangle():
    full = tf.linalg.LinearOperatorFullMatrix
    blocks = [np.stack([block, 2 * block]) for block in (MATRIX, TALL.T, MATRIX[:2, :2])]
    operator = tf.linalg.LinearOperatorBlockLowerTriangular([[full(blocks[0])], [full(blocks[1]), full(blocks[2])]])
    np.testing.assert_array_equal(operator[1].to_dense(), operator.to_dense()[1])


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda of: of.LinearOperatorCirculant([1.0], is_self_adjoint=False), ValueError),
        (lambda of: of.LinearOperatorCirculant([1.0], is_square=False), ValueError),
        (lambda of: of.LinearOperatorCirculant(1.0), ValueError),
        (lambda of: of.LinearOperatorCirculant2D([1.0]), ValueError),
        (lambda of: of.LinearOperatorCirculant3D([[1.0]]), ValueError),
        (lambda of: of.LinearOperatorCirculant(tf.constant([1j])).eigvals(), NotImplementedError),
        (lambda _: blocks([]), ValueError),
        (lambda of: blocks([of.LinearOperatorIdentity(2)]), TypeError),
        (lambda of: blocks([[of.LinearOperatorIdentity(2)]] * 2), ValueError),
        (lambda of: blocks([[of.LinearOperatorFullMatrix(TALL)]]), ValueError),
        (lambda of: blocks([[of.LinearOperatorZeros(2)]], is_non_singular=True), ValueError),
        (lambda of: blocks([[of.LinearOperatorIdentity(2)]], is_non_singular=False), ValueError),
        (lambda of: blocks([[of.LinearOperatorIdentity(2)]], is_square=False), ValueError),
        (lambda of: blocks([[of.LinearOperatorZeros(2)]]).solve([[1.0]] * 2), NotImplementedError),
        (lambda of: blocks([[EYE], [of.LinearOperatorZeros(3), of.LinearOperatorIdentity(3)]]), ValueError),
        (lambda of: blocks([[EYE], [of.LinearOperatorFullMatrix(MATRIX[:2, :2]), EYE]]), TypeError),
    ],
)
def test_refused(made, error):
    with pytest.raises(error):
        made(tf.linalg)


def test_blurred_images_are_sharpened():
    image = np.cos(np.arange(48.0, dtype=np.float32)).reshape(2, 24)
    kernel = np.zeros((4, 6), np.float32)
    kernel[0, 0], kernel[0, 1], kernel[1, 0] = 0.6, 0.2, 0.2
    spectrum = tf.signal.fft2d(tf.cast(kernel, tf.complex64))
    operator = tf.linalg.LinearOperatorCirculant2D(spectrum, tf.float32, is_non_singular=True)
    blurred = operator.matvec(image)
    rolled = tf.reshape(image, [2, 4, 6])
    want = 0.6 * rolled + 0.2 * tf.roll(rolled, 1, 2) + 0.2 * tf.roll(rolled, 1, 1)
    np.testing.assert_allclose(blurred, tf.reshape(want, [2, 24]), atol=1e-5)
    np.testing.assert_allclose(operator.solvevec(blurred), image, atol=1e-5)
