"""Ragged tensors from their parts, from lists and from tensors; their properties."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

Ragged = tf.RaggedTensor
NUMBERS = [1, 2, 3]


@pytest.mark.parametrize(
    ("made", "rows"),
    [
        (lambda: Ragged.from_row_splits(NUMBERS, [0, 2, 3]), [[1, 2], [3]]),
        (lambda: Ragged.from_row_lengths(NUMBERS, [1, 2]), [[1], [2, 3]]),
        (lambda: Ragged.from_row_starts(NUMBERS, [0, 1]), [[1], [2, 3]]),
        (lambda: Ragged.from_row_limits(NUMBERS, [0, 3]), [[], [1, 2, 3]]),
        (lambda: Ragged.from_value_rowids(NUMBERS, [0, 0, 2]), [[1, 2], [], [3]]),
        (lambda: Ragged.from_value_rowids(NUMBERS, [0, 0, 2], nrows=4), [[1, 2], [], [3], []]),
        (lambda: Ragged.from_uniform_row_length([1, 2, 3, 4], 2), [[1, 2], [3, 4]]),
        (lambda: Ragged.from_uniform_row_length([], 0, nrows=3), [[], [], []]),
        (lambda: Ragged.from_nested_row_splits(NUMBERS, ([0, 1, 2], [0, 2, 3])), [[[1, 2]], [[3]]]),
        (lambda: Ragged.from_nested_row_lengths(NUMBERS, ([1, 1], [2, 1])), [[[1, 2]], [[3]]]),
        (lambda: Ragged.from_nested_value_rowids(NUMBERS, ([0, 1], [0, 0, 1])), [[[1, 2]], [[3]]]),
        (lambda: Ragged.from_tensor([[1, 2], [3, 0]], padding=0), [[1, 2], [3]]),
        (lambda: Ragged.from_tensor([[1, 2], [3, 0]], lengths=[1, 5]), [[1], [3, 0]]),
        (lambda: Ragged.from_tensor([["a", ""], ["b", "c"]], padding=""), [[b"a"], [b"b", b"c"]]),
        (lambda: Ragged.from_sparse(tf.sparse.from_dense([[1, 2], [3, 0]])), [[1, 2], [3]]),
        (lambda: Ragged.from_row_lengths([], []), []),
        (lambda: Ragged.from_row_splits(["a", "b"], [0, 1, 2]), [[b"a"], [b"b"]]),
    ],
)
def test_rows(made, rows):
    assert made().to_list() == rows


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda: Ragged.from_row_splits(NUMBERS, [1, 2, 3]), tf.errors.InvalidArgumentError),
        (lambda: Ragged.from_row_splits(NUMBERS, [0, 2, 2]), tf.errors.InvalidArgumentError),
        (lambda: Ragged.from_row_splits(NUMBERS, [0, 2, 1, 3]), tf.errors.InvalidArgumentError),
        (lambda: Ragged.from_row_splits(NUMBERS, []), ValueError),
        (lambda: Ragged.from_row_splits(NUMBERS, [0.0, 1.0, 3.0]), ValueError),
        (lambda: Ragged.from_row_splits(NUMBERS, [[0, 1, 3]]), ValueError),
        (lambda: Ragged.from_row_splits(3, [0, 2]), tf.errors.InvalidArgumentError),
        (lambda: Ragged.from_row_lengths(NUMBERS, [4, -1]), tf.errors.InvalidArgumentError),
        (lambda: Ragged.from_row_starts(NUMBERS, [1, 1]), tf.errors.InvalidArgumentError),
        (lambda: Ragged.from_row_limits(NUMBERS, [0, 2]), tf.errors.InvalidArgumentError),
        (lambda: Ragged.from_value_rowids(NUMBERS, [0, 0, 2], nrows=2), ValueError),
        (lambda: Ragged.from_value_rowids(NUMBERS, [0, 2, 0]), tf.errors.InvalidArgumentError),
        (lambda: Ragged.from_value_rowids(NUMBERS, [0, 2]), ValueError),
        (lambda: Ragged.from_uniform_row_length([1, 2, 3, 4], 3), ValueError),
        (lambda: Ragged.from_value_rowids(NUMBERS, [0, 0, 2], nrows=[3]), ValueError),
        (lambda: Ragged.from_uniform_row_length([1, 2], -1), ValueError),
        (lambda: Ragged.from_uniform_row_length([1, 2], [2]), ValueError),
        (lambda: Ragged.from_uniform_row_length([1, 2], 1.0), ValueError),
        (lambda: Ragged.from_row_lengths(NUMBERS, tf.constant([1, 2], tf.uint8)), ValueError),
        (lambda: Ragged.from_sparse(tf.sparse.from_dense([[1]]), row_splits_dtype=tf.float32), ValueError),
        (lambda: tf.ragged.constant([[1, 2], [3]], row_splits_dtype=tf.float32), ValueError),
        (lambda: Ragged.from_nested_row_splits(NUMBERS, tf.constant([0, 2, 3])), TypeError),
        (lambda: Ragged.from_tensor([[1, 2], [3, 0]], padding=0, lengths=[1, 2]), ValueError),
        (lambda: Ragged.from_tensor([[1, 2], [3, 0]], ragged_rank=2), ValueError),
        (lambda: Ragged.from_tensor([1, 2]), ValueError),
        (lambda: Ragged.from_sparse(tf.sparse.from_dense([[1, 0, 2]])), tf.errors.InvalidArgumentError),
        (lambda: Ragged([1], 2), ValueError),
        (lambda: tf.ragged.constant([[1, [2]], [3]]), ValueError),
        (lambda: tf.ragged.constant([[1, 2], [3]], ragged_rank=0), ValueError),
        (lambda: tf.ragged.constant([[[1, 2]], [[3, 4], [5]]], ragged_rank=1), ValueError),
    ],
)
def test_parts_that_make_no_rows(made, error):
    with pytest.raises(error):
        made()


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.float32])
def test_parts_in_arrays_of_other_dtypes_are_int64(dtype):
    made = Ragged.from_row_splits(NUMBERS, np.array([0, 2, 3], dtype))
    assert (made.to_list(), made.row_splits.dtype) == ([[1, 2], [3]], tf.int64)
    uniform = Ragged.from_uniform_row_length([1, 2], dtype(1).astype(np.int8))
    assert (uniform.to_list(), uniform.row_splits.dtype) == ([[1], [2]], tf.int64)


def test_rows_beyond_the_number_of_segments_are_left_out():
    assert tf.ragged.segment_ids_to_row_splits([0, 0, 2], 2).numpy().tolist() == [0, 2, 2]
    assert tf.ragged.segment_ids_to_row_splits([0, 0, 2], 0).numpy().tolist() == [0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        tf.ragged.segment_ids_to_row_splits([0, -1, 2], 3)


def test_one_slice_is_stacked_in_its_partition():
    stacked = tf.ragged.stack_dynamic_partitions([1, 2], 0, 2)
    assert (stacked.to_list(), stacked.row_splits.dtype) == ([[[1, 2]], []], tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.ragged.stack_dynamic_partitions([1, 2], 5, 2)


def test_parts_are_believed_unless_validated():
    assert Ragged.from_row_splits(NUMBERS, [0, 2, 2], validate=False).to_list() == [[1, 2], []]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([[1, 2], [3], []], "<tf.RaggedTensor [[1, 2], [3], []]>"),
        ([[1.0, 2.5], [3.0], []], "<tf.RaggedTensor [[1.0, 2.5], [3.0], []]>"),
        ([[[1, 2], [3]], [], [[4]]], "<tf.RaggedTensor [[[1, 2], [3]], [], [[4]]]>"),
        ([[b"a", "bc"], []], "<tf.RaggedTensor [[b'a', b'bc'], []]>"),
        ([[]], "<tf.RaggedTensor [[]]>"),
        ([1, 2], "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
        ([[1, 2], [3.5]], "<tf.RaggedTensor [[1.0, 2.0], [3.5]]>"),
    ],
)
def test_lists_are_written_as_tensorflow_writes_them(rows, text):
    assert repr(tf.ragged.constant(rows)) == text


def test_dense_inner_values_are_aligned():
    pairs = tf.ragged.constant([[[1, 2], [3, 4]], [], [[4, 5]]], inner_shape=tf.TensorShape([2]))
    assert repr(pairs) == "<tf.RaggedTensor [[[1, 2],\n  [3, 4]], [], [[4, 5]]]>"
    assert pairs.shape.as_list() == [3, None, 2]
    assert repr(Ragged.from_uniform_row_length([1, 2, 3, 4], 2)) == "<tf.RaggedTensor [[1, 2],\n [3, 4]]>"


def test_strings_stay_on_the_host():
    words = tf.ragged.constant([["a", "b"], ["c"], []])
    assert words.dtype == tf.string
    assert words.to_tensor().numpy().tolist() == [[b"a", b"b"], [b"c", b""], [b"", b""]]
    assert words.to_tensor("-").numpy().tolist() == [[b"a", b"b"], [b"c", b"-"], [b"-", b"-"]]
    assert (words[0, 1].numpy(), words[:, 1:].to_list()) == (b"b", [[b"b"], [], []])


def test_splits_keep_the_type_that_they_have():
    assert Ragged.from_row_splits(NUMBERS, [0, 1, 3]).row_splits.dtype == tf.int64
    assert Ragged.from_row_splits(NUMBERS, tf.constant([0, 1, 3])).row_splits.dtype == tf.int32
    assert tf.ragged.constant([[1]], row_splits_dtype=tf.int32).row_splits.dtype == tf.int32
    assert tf.ragged.constant([[1]]).with_row_splits_dtype(tf.int32).row_splits.dtype == tf.int32


def test_parts_are_told():
    deep = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
    assert (deep.ragged_rank, deep.shape.as_list(), deep.nrows().numpy()) == (2, [3, None, None], 3)
    assert [splits.numpy().tolist() for splits in deep.nested_row_splits] == [[0, 2, 2, 3], [0, 2, 3, 4]]
    assert [rows.numpy().tolist() for rows in deep.nested_value_rowids()] == [[0, 0, 2], [0, 0, 1, 2]]
    assert deep.row_lengths(axis=2).to_list() == [[2, 1], [], [1]]
    assert deep.bounding_shape().numpy().tolist() == [3, 2, 2]
    assert deep.bounding_shape(axis=1).numpy() == 2
    assert deep.values.to_list() == [[1, 2], [3], [4]]
    assert deep.flat_values.numpy().tolist() == [1, 2, 3, 4]
    assert (deep.values.row_starts().numpy().tolist(), deep.values.row_limits().numpy().tolist()) == (
        [0, 2, 3],
        [2, 3, 4],
    )
    assert deep.merge_dims(0, 1).to_list() == [[1, 2], [3], [4]]
    assert deep.merge_dims(1, 2).to_list() == [[1, 2, 3], [], [4]]
    assert deep.uniform_row_length is None
    assert Ragged.from_uniform_row_length([1, 2, 3, 4], 2).uniform_row_length.numpy() == 2


def test_rows_become_arrays_of_arrays():
    found = tf.ragged.constant([[1, 2], [3], []]).numpy()
    assert (found.dtype, found.shape) == (np.dtype(object), (3,))
    assert [row.tolist() for row in found] == [[1, 2], [3], []]
    assert Ragged.from_uniform_row_length([1, 2, 3, 4], 2).numpy().tolist() == [[1, 2], [3, 4]]


def test_other_values_must_fit():
    rows = tf.ragged.constant([[1, 2], [3]])
    assert rows.with_values([5, 6, 7]).to_list() == [[5, 6], [7]]
    assert rows.with_flat_values(tf.ones([3, 2])).shape.as_list() == [2, None, 2]
    with pytest.raises(ValueError, match="incompatible"):
        rows.with_values([5, 6])


def test_what_a_ragged_tensor_is_not():
    rows = tf.ragged.constant([[1, 2], [3]])
    assert tf.is_tensor(rows)
    assert not isinstance(rows, tf.Tensor)
    with pytest.raises(TypeError):
        hash(rows)
    with pytest.raises(TypeError):
        len(rows)
    for conversion in (tf.convert_to_tensor, tf.constant):
        with pytest.raises(ValueError, match="RaggedTensor"):
            conversion(rows)


def test_sparse_and_back():
    rows = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
    sparse = rows.to_sparse()
    assert sparse.indices.numpy().tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0], [2, 0, 0]]
    assert sparse.dense_shape.numpy().tolist() == [3, 2, 2]


@pytest.mark.parametrize(
    ("shape", "dense"),
    [
        ([None, 4], [[1, 2, 0, 0], [3, 0, 0, 0], [0, 0, 0, 0]]),
        ([2, 1], [[1], [3]]),
        ([5, None], [[1, 2], [3, 0], [0, 0], [0, 0], [0, 0]]),
        (tf.TensorShape([1, None]), [[1, 2]]),
    ],
)
def test_padding_to_a_shape(shape, dense):
    assert tf.ragged.constant([[1, 2], [3], []]).to_tensor(shape=shape).numpy().tolist() == dense


def test_padding_takes_values_of_its_shape():
    pairs = tf.ragged.constant([[[1, 2], [3, 4]], [[4, 5]]], inner_shape=(2,))
    assert pairs.to_tensor([7, 8]).numpy().tolist() == [[[1, 2], [3, 4]], [[4, 5], [7, 8]]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        pairs.to_tensor([[7, 8]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        pairs.to_tensor(shape=[None, 3, 4])
    with pytest.raises(TypeError):
        tf.ragged.constant([[1], []]).to_tensor(1.5)
