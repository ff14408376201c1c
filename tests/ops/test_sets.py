"""Sets that are the rows of tensors."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

FIRST, SECOND = tf.constant([[1, 2, 2], [4, 5, 6]]), tf.constant([[2, 3, 9], [4, 4, 4]])
SPARSE = tf.SparseTensor([[0, 0], [0, 2], [1, 1], [2, 0]], [1, 2, 0, 2], [3, 4])


@pytest.mark.parametrize(
    ("operation", "rows", "shape"),
    [
        (tf.sets.intersection, [[2], [4]], [2, 1]),
        (tf.sets.union, [[1, 2, 3, 9], [4, 5, 6]], [2, 4]),
        (tf.sets.difference, [[1], [5, 6]], [2, 2]),
        (lambda a, b: tf.sets.difference(a, b, aminusb=False), [[3, 9], []], [2, 2]),
    ],
)
def test_of_rows(operation, rows, shape):
    found = operation(FIRST, SECOND)
    assert tf.RaggedTensor.from_sparse(found).to_list() == rows
    assert found.dense_shape.numpy().tolist() == shape


def test_of_sparse_rows():
    assert tf.sets.size(SPARSE).numpy().tolist() == [2, 1, 1]
    found = tf.sets.union(SPARSE, tf.constant([[1, 9], [1, 2], [5, 5]]))
    assert found.values.numpy().tolist() == [1, 2, 9, 0, 1, 2, 2, 5]
    assert tf.sets.difference(SPARSE, SPARSE).dense_shape.numpy().tolist() == [3, 0]


def test_of_words():
    assert tf.sets.intersection([["a", "b"]], [["b", "c"]]).values.numpy().tolist() == [b"b"]


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        (lambda: tf.sets.intersection([1, 2], [2, 3]), tf.errors.InvalidArgumentError),
        (lambda: tf.sets.intersection([[1], [2]], [[1]]), tf.errors.InvalidArgumentError),
        (lambda: tf.sets.union([[1.0, 2.0]], [[2.0]]), TypeError),
        (lambda: tf.sets.union(tf.constant([[1]]), SPARSE), tf.errors.InvalidArgumentError),
        (lambda: tf.sets.size(tf.SparseTensor([[0, 0]], [1.0], [1, 1])), TypeError),
    ],
)
def test_refused(operation, error):
    with pytest.raises(error):
        operation()


def test_places_are_checked_unless_told_otherwise():
    unsorted = tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sets.size(unsorted)
    assert tf.sets.size(unsorted, validate_indices=False).numpy().tolist() == [1, 1]


def test_many_rows():
    first, second = np.arange(60).reshape(20, 3), np.arange(60).reshape(20, 3) + 1
    found = tf.sets.intersection(first, second).values.numpy()
    assert found.tolist() == [n for row in first for n in row[1:]]
