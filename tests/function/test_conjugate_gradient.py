"""`tf.linalg.experimental.conjugate_gradient`: TensorFlow's steps, and its state at the end."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.tolerance import GRADIENT, is_close

conjugate_gradient = tf.linalg.experimental.conjugate_gradient
MATRIX = [[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]
RIGHT = tf.constant([1.0, 2.0, 3.0])


def assert_close(tensor, expected):
    assert is_close(tensor.numpy(), np.asarray(expected, tensor.dtype.as_numpy_dtype), GRADIENT).all()


def definite(matrix):
    return tf.linalg.LinearOperatorFullMatrix(matrix, is_self_adjoint=True, is_positive_definite=True)


def test_ends_when_the_residual_is_small():
    found = conjugate_gradient(definite(MATRIX), RIGHT)
    assert (found.i.numpy(), found.i.dtype, type(found).__name__) == (3, tf.int32, "CGState")
    assert_close(found.x, [0.22222215, 0.11111115, 1.4444444])
    assert float(tf.norm(found.r)) <= 1e-5 * float(tf.norm(RIGHT))


def test_ends_after_so_many_steps():
    found = conjugate_gradient(definite(MATRIX), RIGHT, max_iter=2)
    assert found.i.numpy() == 2
    assert_close(found.x, [0.04923077, 0.32923084, 1.3015385])
    assert_close(found.r, [0.47384596, -0.33846164, 0.06769234])
    assert_close(found.p, [0.35928977, -0.4530178, 0.2968047])
    assert_close(found.gamma, 0.34366852)


def test_starts_from_x_with_a_preconditioner():
    roughly = tf.linalg.LinearOperatorDiag([0.25, 1 / 3, 0.5])
    start = tf.constant([0.1, 0.2, 1.0])
    found = conjugate_gradient(definite(MATRIX), RIGHT, preconditioner=roughly, x=start, max_iter=2)
    assert_close(found.x, [0.19702297, 0.11994809, 1.450589])
    assert_close(found.gamma, 0.002355844946578145)
    near = conjugate_gradient(definite(MATRIX), RIGHT, x=start, tol=0.9)
    assert near.i.numpy() == 0
    assert near.x.numpy().tolist() == start.numpy().tolist()


def test_batches_and_zeros():
    found = conjugate_gradient(definite(MATRIX), tf.stack([RIGHT, 2 * RIGHT]), tol=0.1)
    assert_close(found.x, [[0.22222215, 0.11111115, 1.4444444], [0.4444443, 0.2222223, 2.8888888]])
    assert conjugate_gradient(definite(MATRIX), tf.zeros([3])).x.numpy().tolist() == [0.0, 0.0, 0.0]


def test_in_a_function():
    solved = tf.function(lambda right: conjugate_gradient(definite(MATRIX), right).x)
    assert_close(solved(RIGHT), [0.22222215, 0.11111115, 1.4444444])


def test_gradient_reaches_the_matrix():
    matrix = tf.Variable(MATRIX)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(conjugate_gradient(definite(matrix), RIGHT).x)
    expected = [
        [-0.04938273, -0.11802482, -0.4943211],
        [0.06864198, -0.01234567, -0.2271606],
        [0.074568, 0.01728404, -0.64197516],
    ]
    assert_close(tape.gradient(y, matrix), expected)


@pytest.mark.parametrize(
    ("operator", "right", "error"),
    [
        (tf.linalg.LinearOperatorFullMatrix(MATRIX), RIGHT, ValueError),
        (definite(MATRIX), tf.cast(RIGHT, tf.float64), TypeError),
        (definite(MATRIX), RIGHT[:2], ValueError),
    ],
)
def test_refused(operator, right, error):
    with pytest.raises(error):
        conjugate_gradient(operator, right)
