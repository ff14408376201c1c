"""Assertions that do not need values raise ValueError or TypeError."""

from __future__ import annotations

import pytest

import tfcompat as tf

Z = tf.zeros([3, 2])
T = tf.zeros([2, 3, 4])


@pytest.mark.parametrize(
    ("check", "error"),
    [
        (lambda: tf.debugging.assert_rank(Z, 3), ValueError),
        (lambda: tf.debugging.assert_rank(Z, [2]), ValueError),
        (lambda: tf.debugging.assert_rank(Z, 2.0), TypeError),
        (lambda: tf.debugging.assert_rank_at_least(Z, 3), ValueError),
        (lambda: tf.debugging.assert_rank_in(Z, (1, 3)), ValueError),
        (lambda: tf.debugging.assert_scalar(Z), ValueError),
        (lambda: tf.debugging.assert_type(Z, tf.int32), TypeError),
        (lambda: tf.debugging.assert_integer(Z), TypeError),
        (lambda: tf.debugging.assert_same_float_dtype([Z, tf.constant(1)]), ValueError),
        (lambda: tf.debugging.assert_same_float_dtype(dtype=tf.int32), ValueError),
        (lambda: tf.debugging.assert_proper_iterable(Z), TypeError),
        (lambda: tf.debugging.assert_proper_iterable("words"), TypeError),
        (lambda: tf.debugging.assert_proper_iterable(5), TypeError),
    ],
)
def test_broken_assertion_has_tensorflows_class(check, error):
    with pytest.raises(error):
        check()


def test_message_comes_first():
    with pytest.raises(ValueError, match=r"words\. Tensor must have rank 3\. Received rank 2, shape \(3, 2\)"):
        tf.debugging.assert_rank(Z, 3, message="words")


def test_rank_and_type_of_composites_are_known():
    sparse, ragged = tf.sparse.from_dense([[1, 0], [0, 1], [0, 0]]), tf.ragged.constant([[1, 2], [3]])
    assert tf.debugging.assert_rank(sparse, 2) is None
    assert tf.debugging.assert_rank_in(sparse, (1, 2)) is None
    assert tf.debugging.assert_type(sparse, tf.int32) is None
    assert tf.debugging.assert_type(ragged, tf.int32) is None
    with pytest.raises(ValueError, match=r"Tensor must have rank 3\. Received rank 2, shape \(3, 2\)"):
        tf.debugging.assert_rank(sparse, 3)
    with pytest.raises(TypeError, match="tensor must be of type"):
        tf.debugging.assert_type(ragged, tf.float32)
    with pytest.raises(ValueError, match="RaggedTensor"):
        tf.debugging.assert_rank(ragged, 2)
