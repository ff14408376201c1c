"""Sparse tensors: their parts, their operators, and the requirements of functions of `tf.sparse`."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import tfcompat as tf

Sparse = tf.SparseTensor
TENSOR = Sparse([[0, 0], [1, 2]], [1.0, 2.0], [3, 4])
UNSORTED = Sparse([[1, 2], [0, 0]], [2.0, 1.0], [3, 4])


def test_parts_are_told():
    assert (TENSOR.shape, TENSOR.get_shape(), TENSOR.dtype, TENSOR.consumers()) == ((3, 4), (3, 4), tf.float32, [])
    assert (TENSOR.indices.dtype, TENSOR.dense_shape.dtype) == (tf.int64, tf.int64)
    assert TENSOR.dense_shape.numpy().tolist() == [3, 4]
    assert tf.is_tensor(TENSOR)
    assert not isinstance(TENSOR, tf.Tensor)
    assert tf.sparse.SparseTensor is Sparse
    for name in ("numpy", "device", "name", "op", "graph"):
        with pytest.raises(AttributeError):
            getattr(TENSOR, name)


def test_text_is_tensorflow_s():
    assert repr(TENSOR) == str(TENSOR)
    assert repr(TENSOR) == (
        "SparseTensor(indices=tf.Tensor(\n[[0 0]\n [1 2]], shape=(2, 2), dtype=int64), "
        "values=tf.Tensor([1. 2.], shape=(2,), dtype=float32), "
        "dense_shape=tf.Tensor([3 4], shape=(2,), dtype=int64))"
    )


def test_printing_names_the_parts(capfd):
    tf.print(TENSOR, tf.ragged.constant([[1, 2], []]), output_stream=sys.stdout)
    assert capfd.readouterr().out == (
        "'SparseTensor(indices=[[0 0]\n [1 2]], values=[1 2], shape=[3 4])' [[1, 2], []]\n"
    )


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        (([[0, 0]], [1, 2], [3, 4]), ValueError),
        (([0, 0], [1], [3, 4]), ValueError),
        (([[0, 0]], [1], [3]), ValueError),
        (([[0, 0]], [1], [3, 4, 5]), ValueError),
        (([], [], [3, 4]), ValueError),
        (([[0.5, 0]], [1], [3, 4]), TypeError),
        ((tf.constant([[0, 0]]), [1], [3, 4]), ValueError),
    ],
)
def test_parts_that_do_not_fit(parts, error):
    with pytest.raises(error):
        Sparse(*parts)


def test_indices_are_not_looked_at_until_they_are_used():
    outside = Sparse([[5, 0]], [1], [3, 4])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sparse.to_dense(outside)


def test_other_values():
    assert tf.sparse.to_dense(TENSOR.with_values([3.0, 4.0])).numpy()[1].tolist() == [0, 0, 4, 0]
    with pytest.raises(ValueError, match="not compatible"):
        TENSOR.with_values([3.0])
    assert Sparse.from_value(TENSOR).values.numpy().tolist() == [1.0, 2.0]
    assert Sparse.from_value(TENSOR) is not TENSOR
    parts = tf.compat.v1.SparseTensorValue([[0, 0]], [1], [2, 2])
    assert tf.sparse.to_dense(Sparse.from_value(parts)).numpy().tolist() == [[1, 0], [0, 0]]
    with pytest.raises(TypeError, match="neither a SparseTensor"):
        Sparse.from_value(3)


@pytest.mark.parametrize(
    ("result", "values"),
    [
        (lambda: TENSOR * 2.0, [2.0, 4.0]),
        (lambda: TENSOR * tf.constant([1.0, 2.0, 3.0, 4.0]), [1.0, 6.0]),
        (lambda: tf.fill([3, 4], 3.0) * TENSOR, [3.0, 6.0]),
        (lambda: TENSOR / tf.fill([3, 1], 4.0), [0.25, 0.5]),
        (lambda: tf.square(TENSOR), [1.0, 4.0]),
        (lambda: tf.cast(TENSOR, tf.int32), [1, 2]),
    ],
)
def test_products_keep_the_places(result, values):
    found = result()
    assert isinstance(found, Sparse)
    assert found.values.numpy().tolist() == values
    assert found.indices.numpy().tolist() == [[0, 0], [1, 2]]


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        (lambda: TENSOR + TENSOR, TypeError),
        (lambda: TENSOR - 1.0, TypeError),
        (lambda: -TENSOR, TypeError),
        (lambda: TENSOR[0], TypeError),
        (lambda: len(TENSOR), TypeError),
        (lambda: list(TENSOR), TypeError),
        (lambda: TENSOR * TENSOR, ValueError),
        (lambda: tf.convert_to_tensor(TENSOR), ValueError),
        (lambda: tf.matmul(TENSOR, tf.ones([4, 1])), ValueError),
        (lambda: tf.nn.l2_loss(TENSOR), ValueError),
        (lambda: TENSOR * tf.ones([2, 2]), tf.errors.InvalidArgumentError),
        (lambda: TENSOR.eval(), NotImplementedError),
    ],
)
def test_what_is_no_operation_of_sparse_tensors(operation, error):
    with pytest.raises(error):
        operation()


def test_equality_is_identity():
    assert TENSOR == TENSOR
    assert Sparse([[0, 0], [1, 2]], [1.0, 2.0], [3, 4]) != TENSOR
    assert len({TENSOR, TENSOR}) == 1


def test_dense_places_must_be_in_order():
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
        tf.sparse.to_dense(UNSORTED)
    with pytest.raises(tf.errors.InvalidArgumentError, match="repeated"):
        tf.sparse.to_dense(Sparse([[0, 0], [0, 0]], [1, 2], [1, 2]))
    found = tf.sparse.to_dense(UNSORTED, validate_indices=False)
    np.testing.assert_array_equal(found, tf.sparse.to_dense(tf.sparse.reorder(UNSORTED)))


def test_strings_stay_on_the_host():
    words = Sparse([[0, 0], [1, 2]], ["x", "yy"], [2, 3])
    assert tf.sparse.to_dense(words).numpy().tolist() == [[b"x", b"", b""], [b"", b"", b"yy"]]
    assert tf.sparse.to_dense(words, default_value="z").numpy()[0].tolist() == [b"x", b"z", b"z"]
    assert tf.sparse.slice(words, [1, 0], [1, 3]).values.numpy().tolist() == [b"yy"]
    assert tf.sparse.from_dense(["a", "", "b"]).indices.numpy().tolist() == [[0], [2]]


def test_slices_of_rows_mask_by_index():
    rows = tf.IndexedSlices(tf.ones([3, 2]), tf.constant([0, 2, 5]))
    assert tf.sparse.mask(rows, [2, 7]).indices.numpy().tolist() == [0, 5]


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (lambda: tf.sparse.reduce_sum(TENSOR, 0.5), TypeError),
        (lambda: tf.sparse.expand_dims(TENSOR, 0.5), TypeError),
        (lambda: tf.sparse.eye(2.5), TypeError),
        (lambda: tf.sparse.eye(-1), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.eye(2, dtype=tf.string), TypeError),
        (lambda: tf.sparse.transpose(TENSOR, [0]), ValueError),
        (lambda: tf.sparse.retain(TENSOR, [[True, False]]), ValueError),
        (lambda: tf.sparse.reshape(TENSOR, 12), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.reshape(Sparse(np.zeros([0, 2]), [], [0, 3]), [-1, 0]), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.slice(TENSOR, [0, 0], [-1, 2]), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.fill_empty_rows(Sparse([[9, 0]], [1], [2, 5]), 0), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.concat(0, []), tf.errors.InvalidArgumentError),
        (lambda: tf.sparse.bincount([[[0, 1]]], axis=-1), tf.errors.InvalidArgumentError),
    ],
)
def test_wrong_arguments(result, error):
    with pytest.raises(error):
        result()


def test_first_coordinate_may_be_out_of_range():
    a = tf.SparseTensor([[0, 2], [3, 4]], [31, 2], [4, 10])
    b = tf.SparseTensor([[0, 2], [7, 0]], [56, 38], [4, 10])
    total = tf.sparse.add(a, b)
    assert total.indices.numpy().tolist() == [[0, 2], [3, 4], [7, 0]]
    assert total.values.numpy().tolist() == [87, 2, 38]


def test_reset_shape_to_sizes_that_a_function_computes():
    @tf.function
    def reset(indices, shape, new_shape):
        sparse = tf.SparseTensor(indices, [5, 6], shape)
        return tf.sparse.to_dense(tf.sparse.reset_shape(sparse, [3, 4])), tf.sparse.reset_shape(sparse, new_shape)

    indices = tf.constant([[0, 1], [1, 0]], tf.int64)
    for shape in ([2, 2], [2, 3], [3, 4]):
        dense, sparse = reset(indices, tf.constant(shape, tf.int64), tf.constant([4, 4], tf.int64))
        assert dense.numpy().tolist() == [[0, 5, 0, 0], [6, 0, 0, 0], [0, 0, 0, 0]]
        assert sparse.dense_shape.numpy().tolist() == [4, 4]
    for shape, new_shape in (([3, 5], [4, 5]), ([3, 4], [3, 3])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least as large"):
            reset(indices, tf.constant(shape, tf.int64), tf.constant(new_shape, tf.int64))
