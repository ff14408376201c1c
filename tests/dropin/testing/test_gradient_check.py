"""Gradients by tape and by finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

k = tf.constant


def listed(jacobians):
    return [[matrix.tolist() for matrix in pair] for pair in jacobians]


def test_both_jacobians_of_each_argument():
    found = tf.test.compute_gradient(lambda x, y: tf.reduce_sum(x * y), [k([1.0, 2.0]), k([3.0, 4.0])])
    assert listed(found) == [[[[3.0, 4.0]], [[1.0, 2.0]]]] * 2
    assert found[0][0].dtype == found[1][1].dtype == np.float32


def test_rows_are_elements_of_the_result():
    found = tf.test.compute_gradient(lambda x: tf.concat([x, x], 0), [k([[1.0, 2.0, 3.0]])])
    assert [matrix.shape for pair in found for matrix in pair] == [(6, 3), (6, 3)]


def test_delta():
    theory, numbers = tf.test.compute_gradient(lambda x: x**3, [k([1.0])], delta=0.1)
    assert theory[0].tolist() == [[3.0]]
    assert numbers[0].ravel() == pytest.approx([3.010001])


def test_complex_number_counts_as_two_real_ones():
    theory, numbers = tf.test.compute_gradient(lambda x: x * x, [k([1 + 1j], tf.complex64)])
    assert theory[0].tolist() == [[2.0, -2.0], [2.0, 2.0]]
    np.testing.assert_allclose(numbers[0], theory[0], rtol=1e-3)
    assert numbers[0].dtype == np.float32


def test_dtypes_stay():
    for dtype in (np.float16, np.float64):
        found = tf.test.compute_gradient(lambda x: x * x, [np.array([1.0, 2.0], dtype)])
        assert [[matrix.dtype for matrix in pair] for pair in found] == [[dtype], [dtype]]
        np.testing.assert_allclose(found[0][0], [[2.0, 0.0], [0.0, 4.0]])


def test_no_gradient_is_zeros_and_rows_are_dense():
    theory, numbers = tf.test.compute_gradient(lambda x: tf.constant([1.0, 2.0]), [k([1.0])])  # noqa: ARG005
    assert theory[0].tolist() == numbers[0].tolist() == [[0.0], [0.0]]
    theory, _ = tf.test.compute_gradient(lambda x: tf.gather(x, [0, 0]), [k([1.0, 2.0])])
    assert theory[0].tolist() == [[1.0, 0.0], [1.0, 0.0]]


def test_nothing_has_no_jacobian():
    theory, numbers = tf.test.compute_gradient(lambda x: x, [np.zeros([0, 2], np.float32)])
    assert theory[0].shape == numbers[0].shape == (0, 0)


def test_wrong_gradient_shows():
    @tf.custom_gradient
    def wrong(x):
        return x * x, lambda upstream: upstream * x

    theory, numbers = tf.test.compute_gradient(wrong, [k([3.0])])
    assert (theory[0].item(), numbers[0].item()) == (3.0, pytest.approx(6.0))


def test_arguments_are_a_list_of_floats():
    with pytest.raises(ValueError, match="`x` must be a list or tuple of values"):
        tf.test.compute_gradient(lambda x: x, k([1.0]))
    with pytest.raises(AssertionError, match="unsupported type int32 of argument 1"):
        tf.test.compute_gradient(lambda x, y: x * tf.cast(y, tf.float32), [k([1.0]), k([1])])


def test_results_without_elements_have_jacobians_without_rows():
    theory, numbers = tf.test.compute_gradient(lambda x: x[:0], [k([1.0, 2.0])])
    assert theory[0].shape == numbers[0].shape == (0, 2)
