"""The shape of a ragged tensor as a value, and what takes it as an argument."""

from __future__ import annotations

import pytest

import tfcompat as tf

ROWS = tf.ragged.constant([[1, 2], [3], []])
SHAPE = tf.shape(ROWS)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (ROWS, "[3, (2, 1, 0)] num_row_partitions=1"),
        (tf.ragged.constant([[[1, 2], [3]], [], [[4]]]), "[3, (2, 0, 1), (2, 1, 1)] num_row_partitions=2"),
        (tf.RaggedTensor.from_tensor([[1, 2], [3, 4]]), "[2, 2] num_row_partitions=1"),
        (tf.ragged.constant([[[1, 2]], []], inner_shape=(2,)), "[2, (1, 0), 2] num_row_partitions=1"),
    ],
)
def test_shapes_are_written_as_tensorflow_writes_them(rows, text):
    assert repr(tf.shape(rows)) == f"<DynamicRaggedShape lengths={text}>"


def test_lengths_of_axes():
    assert (SHAPE[0].numpy(), SHAPE.rank, SHAPE.dtype) == (3, 2, tf.int32)
    assert tf.shape(ROWS, out_type=tf.int64).dtype == tf.int64
    assert repr(SHAPE[:1]) == "<DynamicRaggedShape lengths=[3] num_row_partitions=0>"
    assert (SHAPE.static_lengths(), SHAPE.static_lengths(ragged_lengths=False)) == ([3, (2, 1, 0)], [3, None])
    assert (SHAPE.is_uniform(0), SHAPE.is_uniform(1)) == (True, False)
    with pytest.raises(ValueError, match="not uniform"):
        SHAPE[1]


def test_shapes_are_equal_where_their_lengths_are():
    assert tf.shape(ROWS) == tf.shape(ROWS * 2)
    assert tf.shape(ROWS) != tf.shape(ROWS[1:])


@pytest.mark.parametrize(
    ("result", "rows"),
    [
        (lambda: tf.zeros(SHAPE), [[0.0, 0.0], [0.0], []]),
        (lambda: tf.ones(SHAPE, tf.int32), [[1, 1], [1], []]),
        (lambda: tf.fill(SHAPE, 7), [[7, 7], [7], []]),
        (lambda: tf.reshape(tf.range(3), SHAPE), [[0, 1], [2], []]),
        (lambda: tf.broadcast_to(1, SHAPE), [[1, 1], [1], []]),
        (lambda: tf.broadcast_to([[1], [2], [3]], SHAPE), [[1, 1], [2], []]),
    ],
)
def test_tensors_of_a_ragged_shape(result, rows):
    assert result().to_list() == rows


def test_sizes():
    assert (tf.size(ROWS).numpy(), tf.rank(ROWS).numpy()) == (3, 2)
    assert tf.size(ROWS, out_type=tf.int64).dtype == tf.int64


def test_only_slices_of_the_first_axes_are_there():
    with pytest.raises(NotImplementedError, match="slices of the first axes"):
        SHAPE[1:]
