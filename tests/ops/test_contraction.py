"""Products: what they refuse, and in which class. Messages are ours, classes TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_matmul_refuses_vectors_and_names_the_way_out():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.matmul: b must have rank 2 or more.*matvec"):
        tf.matmul(tf.constant(ROWS), tf.constant([1.0, 2.0, 3.0]))


def test_matmul_refuses_inner_dimensions_that_differ():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"inner dimensions.*\(2, 3\) and \(2, 3\)"):
        tf.matmul(tf.constant(ROWS), tf.constant(ROWS))


def test_matmul_refuses_transposed_and_adjoint_at_once():
    with pytest.raises(ValueError, match="only one of transpose_b and adjoint_b"):
        tf.matmul(tf.constant(ROWS), tf.constant(ROWS), transpose_b=True, adjoint_b=True)


def test_matmul_of_int8_needs_an_output_type():
    a = tf.constant([[100, 100]], tf.int8)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"output_type=tf\.int32"):
        tf.matmul(a, a, transpose_b=True)
    found = tf.matmul(a, a, transpose_b=True, output_type=tf.int32)
    assert (found.dtype, found.numpy().tolist()) == (tf.int32, [[20000]])


def test_matmul_has_no_product_with_another_output_type():
    with pytest.raises(tf.errors.NotFoundError, match="no product of float32 with output_type int32"):
        tf.matmul(tf.constant(ROWS), tf.constant(ROWS), transpose_b=True, output_type=tf.int32)


def test_matmul_takes_sparsity_hints_for_matrices_only():
    product = tf.matmul(tf.constant(ROWS), tf.constant(ROWS), transpose_b=True, a_is_sparse=True)
    assert product.numpy().tolist() == [[14, 32], [32, 77]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="a_is_sparse"):
        tf.matmul(tf.ones([2, 2, 3]), tf.ones([2, 3, 2]), b_is_sparse=True)


def test_matmul_takes_the_dtype_of_the_tensor_beside_a_list():
    assert tf.matmul([[1.0, 2.0, 3.0]], tf.constant(ROWS), transpose_b=True).numpy().tolist() == [[14, 32]]


def test_einsum_without_an_arrow_sorts_what_occurs_once():
    assert tf.einsum("ji", tf.constant(ROWS)).numpy().tolist() == np.transpose(ROWS).tolist()
    assert tf.einsum("ij,kj", tf.constant(ROWS), tf.constant(ROWS)).shape == [2, 2]


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("ij->ix", "which no input has"),
        ("ij->ii", "more than once"),
        ("..ij->ij", "letters"),
        ("ij,jk->ik", "got 1 inputs"),
    ],
)
def test_einsum_refuses_a_malformed_equation(equation, message):
    with pytest.raises(ValueError, match=message):
        tf.einsum(equation, tf.constant(ROWS))


def test_einsum_refuses_labels_of_two_sizes_where_jax_would_broadcast():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have one size"):
        tf.einsum("ij,ij->ij", tf.ones([1, 3]), tf.ones([2, 3]))


def test_einsum_keeps_the_dimensions_of_an_ellipsis():
    with pytest.raises(tf.errors.InvalidArgumentError, match="without one behind the arrow"):
        tf.einsum("...,...", tf.constant(ROWS), tf.constant(ROWS))
    assert tf.einsum("...ij->...ji", tf.ones([4, 2, 3])).shape == [4, 3, 2]


def test_einsum_names_unknown_keywords():
    with pytest.raises(TypeError, match="contract"):
        tf.einsum("ij->ji", tf.constant(ROWS), contract=True)


def test_tensordot_refuses_axes_by_the_class_of_tensorflow():
    a = tf.constant(ROWS)
    for axes, error in ((-1, ValueError), (3, ValueError), ([[0, 1], [0]], ValueError), ([[2], [0]], IndexError)):
        with pytest.raises(error, match="tensordot"):
            tf.tensordot(a, a, axes)
    with pytest.raises(tf.errors.InvalidArgumentError, match="summed dimensions"):
        tf.tensordot(a, a, 1)


def test_cross_needs_three_elements():
    with pytest.raises(tf.errors.FailedPreconditionError, match="must be 3"):
        tf.linalg.cross(tf.ones([2, 4]), tf.ones([2, 4]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="same shape"):
        tf.linalg.cross(tf.ones([1, 3]), tf.ones([2, 3]))


def test_trace_keeps_int8():
    assert tf.linalg.trace(tf.constant([[100, 0], [0, 100]], tf.int8)).numpy() == -56
