"""`tf.debugging.assert_shapes` reports the tensor, axis and rule of a failure, in TensorFlow's words."""

from __future__ import annotations

import re

import pytest

import tfcompat as tf

Z = tf.zeros([3, 2])
T = tf.zeros([2, 3, 4])
SCALAR = tf.zeros([])
SPARSE = tf.sparse.from_dense([[1, 0], [0, 1], [0, 0]])
EXPLICIT = "Specified explicitly.  Tensor "


@pytest.mark.parametrize(
    "shapes",
    [
        [(Z, ("N", 2)), (tf.zeros(3), ("N",))],
        [(T, (..., "A", 4)), (Z, ("B", 2))],
        [(Z, (None, "."))],
        [(Z, ("*", 2))],
        [(Z, "N2")],
        [(Z, None)],
        [(Z, (3.0, "2"))],
        [(Z, tf.TensorShape([3, None]))],
        [(SCALAR, ())],
        [(SCALAR, (1,))],
        [(SCALAR, ("*",))],
        [(SPARSE, (3, 2))],
        [(SPARSE, ("N", "M")), (Z, ("N", "M"))],
        {1.0: ("N",), (1.0, 2.0): ("M",)},
    ],
    ids=str,
)
def test_shapes_that_agree(shapes):
    assert tf.debugging.assert_shapes(shapes) is None


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (
            [(Z, ("N", 2)), (tf.zeros(4), ("N",))],
            "Specified by tensor shape=(3, 2) dtype=float32 dimension 0.  Tensor shape=(4,) dtype=float32 dimension 0 "
            "must have size 3.  Received size 4, shape (4,)",
        ),
        (
            [(Z, ("N", "N"))],
            "Specified by tensor shape=(3, 2) dtype=float32 dimension 0.  Tensor shape=(3, 2) dtype=float32 "
            "dimension 1 must have size 3.  Received size 2, shape (3, 2)",
        ),
        (
            [(T, (..., "A", 4)), (Z, ("B", "A"))],
            "Specified by tensor shape=(2, 3, 4) dtype=float32 dimension -2.  Tensor shape=(3, 2) dtype=float32 "
            "dimension 1 must have size 3.  Received size 2, shape (3, 2)",
        ),
        (
            [(SPARSE, ("N", "M")), (Z, ("M", "N"))],
            "Specified by tensor shape=(3, 2) dtype=int32 dimension 1.  Tensor shape=(3, 2) dtype=float32 dimension 0 "
            "must have size 2.  Received size 3, shape (3, 2)",
        ),
        ([(Z, ("N", 3))], EXPLICIT + "shape=(3, 2) dtype=float32 dimension 1 must have size 3.  Received size 2"),
        ([(SPARSE, (3, 3))], EXPLICIT + "shape=(3, 2) dtype=int32 dimension 1 must have size 3.  Received size 2"),
        ([(Z, ("3", "4"))], EXPLICIT + "shape=(3, 2) dtype=float32 dimension 1 must have size 4.  Received size 2"),
        ([(Z, ("*",))], EXPLICIT + "shape=(3, 2) dtype=float32 dimension -1 must have size 1.  Received size 2"),
        ([(SCALAR, ("*", 2))], EXPLICIT + "shape=() dtype=float32 dimension -1 must have size 2.  Received size 1"),
        ([(tf.zeros(3), ())], EXPLICIT + "shape=(3,) dtype=float32 dimension 0 must have size 1.  Received size 3"),
        ([(Z, ("N", 3)), (Z, (3,))], "must have rank in (0, 1).  Received rank 2, shape (3, 2)"),
        ([(Z, (3, 2, 1))], "must have rank 3.  Received rank 2, shape (3, 2)"),
        ([(SPARSE, (3, 2, 1))], "must have rank 3.  Received rank 2, shape (3, 2)"),
        ([(T, ("*", 1, 2, 3, 4))], "must have rank at least 4.  Received rank 3, shape (2, 3, 4)"),
        ([(T, ("...", 1))], "must have rank 2.  Received rank 3, shape (2, 3, 4)"),
        (
            [(T, (2, ..., 4))],
            "Tensor shape=(2, 3, 4) dtype=float32 specified shape index 1.  Symbol `...` or `*` for a variable number "
            "of unspecified dimensions is only allowed as the first entry",
        ),
        (
            [(Z, 1)],
            "Tensor shape=(3, 2) dtype=float32.  Specified shape must be an iterable.  An iterable has the attribute "
            "`__iter__` or `__getitem__`.  Received specified shape: 1",
        ),
    ],
    ids=str,
)
def test_shapes_that_disagree(shapes, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        tf.debugging.assert_shapes(shapes)


def test_message_comes_first():
    with pytest.raises(ValueError, match=r"words\.  Specified explicitly\."):
        tf.debugging.assert_shapes([(Z, ("N", 3))], message="words")


def test_ragged_tensor_is_refused():
    with pytest.raises(ValueError, match="RaggedTensor"):
        tf.debugging.assert_shapes([(tf.ragged.constant([[1], [2, 3]]), (2, None))])


def test_sizes_of_a_sparse_tensor_that_a_function_computes_are_checked_when_it_runs():
    @tf.function
    def values(size):
        sparse = tf.sparse.SparseTensor([[0, 0]], [1.0], tf.stack([size, size + 1]))
        tf.debugging.assert_shapes([(sparse, ("N", 4)), (Z, ("N", 2))])
        return sparse.values

    assert values(tf.constant(3, tf.int64)).numpy().tolist() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="dimension 1 must have size 4"):
        values(tf.constant(2, tf.int64)).numpy()
