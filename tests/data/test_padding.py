"""`padded_batch`, `ragged_batch` and `sparse_batch`."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import generated, listed, outcomes

D = tf.data.Dataset
FIVE = D.range(5)
ROW = tf.TensorSpec([None], tf.int32)
ROWS = generated([[1], [2, 3], [], [4, 5, 6]], ROW)
VALUES = D.from_tensor_slices([[1, 2]])


def test_rows_are_padded_to_the_longest_of_the_batch():
    assert listed(ROWS.padded_batch(2)) == [[[1, 0], [2, 3]], [[0, 0, 0], [4, 5, 6]]]
    assert listed(ROWS.padded_batch(4, padding_values=9)) == [[[1, 9, 9], [2, 3, 9], [9, 9, 9], [4, 5, 6]]]
    assert listed(ROWS.padded_batch(3, drop_remainder=True)) == [[[1, 0], [2, 3], [0, 0]]]
    words = generated([["a"], ["b", "c"]], tf.TensorSpec([None], tf.string))
    assert listed(words.padded_batch(2)) == [[[b"a", b""], [b"b", b"c"]]]
    flags = generated([[True], [True, True]], tf.TensorSpec([None], tf.bool))
    assert listed(flags.padded_batch(2)) == [[[True, False], [True, True]]]
    assert listed(FIVE.padded_batch(2)) == [[0, 1], [2, 3], [4]]


def test_padded_shapes():
    found = ROWS.padded_batch(2, padded_shapes=[4])
    assert found.element_spec == tf.TensorSpec([None, 4], tf.int32)
    assert listed(found.take(1)) == [[[1, 0, 0, 0], [2, 3, 0, 0]]]
    assert ROWS.padded_batch(2, tf.TensorShape([None]), drop_remainder=True).element_spec.shape.as_list() == [2, None]
    pair = D.zip((ROWS, FIVE)).padded_batch(2, padded_shapes=([None], []), padding_values=(7, None))
    assert listed(pair.take(1)) == [([[1, 7], [2, 3]], [0, 1])]
    for sizes in (4, np.int64(4), np.array([4]), tf.constant([4]), tf.constant(4), (4,)):
        assert ROWS.padded_batch(2, padded_shapes=sizes).element_spec == found.element_spec
    sizes = D.zip((ROWS, ROWS)).padded_batch(2, padded_shapes=(3, 4)).element_spec
    assert [spec.shape.as_list() for spec in sizes] == [[None, 3], [None, 4]]
    named = D.zip({"a": ROWS}).padded_batch(2, padded_shapes={"a": [3]})
    assert listed(named.take(1)) == [{"a": [[1, 0, 0], [2, 3, 0]]}]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: FIVE.padded_batch(0), tf.errors.InvalidArgumentError, "Batch size must be greater than zero"),
        (lambda: VALUES.padded_batch(1, -1), ValueError, r"must be a `tf.int64` vector tensor, but its shape was \(\)"),
        (lambda: VALUES.padded_batch(1, [[2]]), ValueError, r"but its shape was \(1, 1\)"),
        (lambda: VALUES.padded_batch(1, [2.0]), TypeError, "but its element type was float32"),
        (
            lambda: VALUES.padded_batch(1, [1]),
            ValueError,
            r"The padded shape \(1,\) is not compatible with the shape \(2,\)",
        ),
        (
            lambda: VALUES.padded_batch(1, [None, None]),
            ValueError,
            r"The padded shape \(None, None\) is not compatible",
        ),
        (
            lambda: VALUES.padded_batch(1, padding_values=7.0),
            TypeError,
            "does not match type .*int32.* of the corresponding",
        ),
        (
            lambda: FIVE.padded_batch(1, padding_values=-1),
            TypeError,
            "does not match type .*int64.* of the corresponding",
        ),
        (lambda: VALUES.padded_batch(1, padding_values=[7]), ValueError, r"should be scalars, but got \(1,\)"),
        (lambda: D.zip((FIVE, FIVE)).padded_batch(2, [[], []]), TypeError, "input must also be a sequence"),
        (
            lambda: generated([1], tf.TensorSpec(None, tf.int32)).padded_batch(2),
            ValueError,
            "must provide `padded_shapes` argument because component 0 has unknown rank",
        ),
        (
            lambda: D.from_tensor_slices(tf.ragged.constant([[1], []])).padded_batch(2),
            TypeError,
            "`padded_batch` is only supported for datasets that produce tensor elements",
        ),
        (lambda: FIVE.window(2).padded_batch(2), TypeError, "`padded_batch` is not supported for datasets of datasets"),
    ],
    ids=range(13),
)
def test_arguments_are_checked_when_it_is_built(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_larger_element_is_an_error_at_its_batch():
    assert outcomes(ROWS.padded_batch(2, [2]), 3) == [[[1, 0], [2, 3]], "DataLossError", "end"]
    with pytest.raises(tf.errors.DataLossError, match="Attempted to pad to a smaller size than the input element"):
        next(iter(ROWS.padded_batch(2, [1])))
    ranks = generated([[1], [[1, 2]]], tf.TensorSpec(None, tf.int32)).padded_batch(2, [None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected rank 1 but got element with rank 2"):
        next(iter(ranks))


def test_ragged_batches():
    found = ROWS.ragged_batch(2)
    assert found.element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1, tf.int64)
    assert [each.to_list() for each in found] == [[[1], [2, 3]], [[], [4, 5, 6]]]
    assert repr(FIVE.ragged_batch(2)) == repr(FIVE.batch(2))
    deep = generated([[[1]], [[1, 2]]], tf.TensorSpec([None, None], tf.int32))
    assert [each.to_list() for each in deep.ragged_batch(2)] == [[[[1]], [[1, 2]]]]
    found = deep.ragged_batch(2, row_splits_dtype=tf.int32)
    assert found.element_spec == tf.RaggedTensorSpec([None, None, None], tf.int32, 2, tf.int32)
    partly = generated([[[1, 2]], [[3, 4], [5, 6]]], tf.TensorSpec([None, 2], tf.int32)).ragged_batch(2)
    assert partly.element_spec == tf.RaggedTensorSpec([None, None, 2], tf.int32, 1, tf.int64)
    assert [each.to_list() for each in partly] == [[[[1, 2]], [[3, 4], [5, 6]]]]


def test_sparse_batches():
    rows = D.from_tensor_slices([[1, 0], [0, 2], [3, 4]])
    found = rows.sparse_batch(2, [4])
    assert found.element_spec == tf.SparseTensorSpec([None, 4], tf.int32)
    first, last = found
    assert first.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert (first.values.numpy().tolist(), first.dense_shape.numpy().tolist()) == ([1, 0, 0, 2], [2, 4])
    assert last.dense_shape.numpy().tolist() == [1, 4]
    with pytest.raises(tf.errors.DataLossError, match=r"shape \(\[2\]\) that is larger than the row shape \(\[1\]\)"):
        next(iter(rows.sparse_batch(2, [1])))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"\(\[\]\) that is incompatible with the row shape \(\[1\]\)"
    ):
        next(iter(FIVE.sparse_batch(2, [1])))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Batch size must be greater than zero"):
        FIVE.sparse_batch(0, [1])
    with pytest.raises(TypeError, match="requires an input dataset whose elements have a single component"):
        D.zip((FIVE, FIVE)).sparse_batch(2, [1])


def test_padding_of_many_rows():
    rows = [np.arange(k % 5) for k in range(100)]
    found = listed(generated(rows, tf.TensorSpec([None], tf.int64)).padded_batch(10))
    assert found == [[[*range(k % 5)] + [0] * (4 - k % 5) for k in range(10)]] * 10


def test_none_stands_for_the_paddings_of_a_structure():
    rows = D.range(1, 3).map(lambda x: (tf.fill([x], x), {"a": tf.as_string(tf.fill([x], x)), "b": x}))
    [(numbers, texts)] = rows.padded_batch(2, padding_values=(np.int64(-1), None))
    assert numbers.numpy().tolist() == [[1, -1], [2, 2]]
    assert (texts["a"].numpy().tolist(), texts["b"].numpy().tolist()) == ([[b"1", b""], [b"2", b"2"]], [1, 2])
    with pytest.raises(TypeError, match="element type was float32"):
        D.from_tensors([1]).padded_batch(1, tf.constant([1.5]))
