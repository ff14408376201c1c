"""Products: refusals and their classes. Messages are tfcompat's, classes TensorFlow's."""

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
    with pytest.raises(tf.errors.NotFoundError, match="float32 with output_type int32 is not supported"):
        tf.matmul(tf.constant(ROWS), tf.constant(ROWS), transpose_b=True, output_type=tf.int32)


def test_matmul_takes_sparsity_hints_for_matrices_only():
    product = tf.matmul(tf.constant(ROWS), tf.constant(ROWS), transpose_b=True, a_is_sparse=True)
    assert product.numpy().tolist() == [[14, 32], [32, 77]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="a_is_sparse"):
        tf.matmul(tf.ones([2, 2, 3]), tf.ones([2, 3, 2]), b_is_sparse=True)


def test_matmul_takes_the_dtype_of_the_tensor_beside_a_list():
    assert tf.matmul([[1.0, 2.0, 3.0]], tf.constant(ROWS), transpose_b=True).numpy().tolist() == [[14, 32]]


LEFT, RIGHT = [[-2, -1, 0], [1, 2, -2]], [[0, 1], [2, 3], [4, 0]]


@pytest.mark.parametrize(
    ("left", "right", "output_type"),
    [
        ("int8", "uint8", "int32"),
        ("int8", "bfloat16", "bfloat16"),
        ("bfloat16", "int8", "bfloat16"),
        ("bfloat16", "uint8", "bfloat16"),
        ("bfloat16", "float32", "float32"),
    ],
)
def test_matmul_of_two_dtypes_has_an_output_type(left, right, output_type):
    a, b = tf.constant(LEFT, left), tf.constant(RIGHT, right)
    found = tf.matmul(a, b, output_type=output_type)
    assert (found.dtype, found.numpy().tolist()) == (output_type, [[-2, -5], [-4, 7]])
    assert tf.matmul(b, a, True, True, output_type=output_type).numpy().tolist() == [[-2, -4], [-5, 7]]
    traced = tf.function(lambda a, b: tf.matmul(a, b, output_type=output_type))
    assert traced(a, b).numpy().tolist() == [[-2, -5], [-4, 7]]


def test_matmul_of_int8_and_others_takes_batches():
    a, b = tf.constant([LEFT, LEFT], tf.int8), tf.constant(RIGHT)
    for dtype, output_type in ((tf.uint8, tf.int32), (tf.bfloat16, tf.bfloat16)):
        found = tf.matmul(a, tf.cast(b, dtype), output_type=output_type)
        assert (found.dtype, found.numpy().tolist()) == (output_type, [[[-2, -5], [-4, 7]]] * 2)


def test_matmul_of_narrow_integers_does_not_wrap():
    a, b = tf.constant([[127, 127]], tf.int8), tf.constant([[255], [255]], tf.uint8)
    assert tf.matmul(a, b, output_type=tf.int32).numpy().tolist() == [[64770]]


def test_matmul_of_bfloat16_beside_float32_does_not_look_at_the_output_type():
    a, b = tf.constant(LEFT, tf.bfloat16), tf.constant(RIGHT, tf.float32)
    for output_type in (None, tf.bfloat16, tf.int8, tf.int32):
        found = tf.matmul(a, b, output_type=output_type)
        assert (found.dtype, found.numpy().tolist()) == (tf.float32, [[-2, -5], [-4, 7]])


def test_gradients_of_matmul_of_two_dtypes_keep_them():
    a, b = tf.constant([[-2, -1], [0, 1]], tf.float32), tf.constant([[-2, -1], [0, 1]], tf.bfloat16)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        product = tf.matmul(a, b, output_type=tf.bfloat16)
    left, right = tape.gradient(product, [a, b])
    assert (left.dtype, left.numpy().tolist()) == (tf.float32, [[-3, 1], [-3, 1]])
    assert (right.dtype, right.numpy().tolist()) == (tf.bfloat16, [[-2, -2], [0, 0]])


@pytest.mark.parametrize(
    ("dtypes", "output_type", "error"),
    [
        (("int8", "uint8"), None, tf.errors.InvalidArgumentError),
        (("int8", "bfloat16"), None, tf.errors.InvalidArgumentError),
        (("int8", "int8"), "int8", tf.errors.InvalidArgumentError),
        (("float32", "float32"), "uint8", tf.errors.InvalidArgumentError),
        (("uint8", "uint8"), None, tf.errors.NotFoundError),
        (("int8", "int8"), "float32", tf.errors.NotFoundError),
    ],
    ids=str,
)
def test_matmul_has_no_other_products_of_narrow_dtypes(dtypes, output_type, error):
    a, b = (tf.constant([[1]], dtype) for dtype in dtypes)
    with pytest.raises(error, match=r"tf\.matmul"):
        tf.matmul(a, b, output_type=output_type)


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
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must contain \"\.\.\.\""):
        tf.einsum("...,...", tf.constant(ROWS), tf.constant(ROWS))
    assert tf.einsum("...ij->...ji", tf.ones([4, 2, 3])).shape == [4, 3, 2]


def test_einsum_without_an_arrow_keeps_an_ellipsis_that_occurs_once():
    cube = tf.reshape(tf.range(8.0), (2, 2, 2))
    assert tf.einsum("...i,i", cube, [1.0, 10.0]).numpy().tolist() == [[10.0, 32.0], [54.0, 76.0]]
    assert tf.einsum("b...a", cube).numpy().tolist() == [[[0.0, 4.0], [1.0, 5.0]], [[2.0, 6.0], [3.0, 7.0]]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.einsum("...i,...i", cube, tf.ones([2]))


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
