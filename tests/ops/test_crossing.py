"""Feature crosses: the values that they accept."""

from __future__ import annotations

import pytest

import tfcompat as tf

WORDS = tf.SparseTensor([[0, 0]], ["a"], [1, 1])
LARGE = tf.constant([[2**64 - 1]], tf.uint64)
FRACTION = tf.constant([[1.5]])
INVALID = tf.errors.InvalidArgumentError


def test_numbers_are_crossed_as_int64():
    assert tf.sparse.cross([FRACTION]).values.numpy().tolist() == [b"1"]
    assert tf.sparse.cross([tf.constant([[True]])]).values.numpy().tolist() == [b"1"]
    assert tf.ragged.cross([LARGE]).to_list() == [[b"-1"]]
    assert tf.ragged.cross_hashed([LARGE, tf.ragged.constant([["a"]])]).to_list() == [[951642158658053258]]


def test_without_features_there_are_no_rows():
    assert (tf.sparse.cross([]).shape, tf.sparse.cross([]).dtype) == ([0, 0], tf.string)
    assert tf.ragged.cross_hashed([]).to_list() == []


def test_separators():
    assert tf.sparse.cross([WORDS, WORDS], separator="-").values.numpy().tolist() == [b"a-a"]
    with pytest.raises(TypeError):
        tf.sparse.cross([WORDS, WORDS], separator=3)
    with pytest.raises(INVALID):
        tf.sparse.cross([WORDS], separator=["x"])


@pytest.mark.parametrize(
    ("cross", "inputs", "error"),
    [
        (tf.sparse.cross, [WORDS, [["d"]]], TypeError),
        (tf.sparse.cross, [tf.constant([1])], INVALID),
        (tf.sparse.cross, [tf.constant([[[1]]])], INVALID),
        (tf.sparse.cross, [tf.constant([[1]]), tf.constant([[1], [2]])], INVALID),
        (tf.ragged.cross, "ab", TypeError),
        (tf.ragged.cross, [FRACTION], ValueError),
        (tf.ragged.cross, [tf.ragged.constant([[True]])], ValueError),
        (tf.ragged.cross, [tf.ragged.constant([[[1]]])], ValueError),
        (tf.ragged.cross, [tf.ragged.constant([[[1]]], ragged_rank=1)], INVALID),
        (tf.ragged.cross, [tf.ragged.constant([[1]]), tf.ragged.constant([[1], [2]])], INVALID),
        (lambda inputs: tf.ragged.cross_hashed(inputs, num_buckets=-1), [WORDS], INVALID),
        (lambda inputs: tf.sparse.cross_hashed(inputs, num_buckets=-1), [WORDS], INVALID),
    ],
)
def test_refused(cross, inputs, error):
    with pytest.raises(error):
        cross(inputs)
