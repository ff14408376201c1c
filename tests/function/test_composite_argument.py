"""Ragged and sparse tensors that functions take, capture and return."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

ROWS = tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0]])
OTHER = tf.ragged.constant([[1.0], [2.0, 3.0, 4.0], []])
PLACES = [[0, 0], [0, 2], [1, 1], [2, 0]]
SPARSE = tf.SparseTensor(PLACES, [1.0, 2.0, 3.0, 4.0], [3, 4])
VALUES = tf.constant([1.0, 2.0, 3.0, 4.0])


def test_rows_of_one_division_share_a_trace():
    @tf.function
    def total(rows):
        return tf.reduce_sum(rows, axis=1)

    assert total(ROWS).numpy().tolist() == [3.0, 0.0, 7.0]
    assert total(ROWS * 2.0).numpy().tolist() == [6.0, 0.0, 14.0]
    assert total.experimental_get_tracing_count() == 1
    assert total(OTHER).numpy().tolist() == [1.0, 9.0, 0.0]
    assert total(ROWS).numpy().tolist() == [3.0, 0.0, 7.0]
    assert total.experimental_get_tracing_count() == 2


@pytest.mark.parametrize("is_trained", [False, True])
def test_sparse_tensors_of_one_dense_shape_share_a_trace(is_trained):
    table, rng = tf.Variable(tf.range(1.0, 6.0)[:, tf.newaxis]), np.random.default_rng(0)

    @tf.function
    def total(rows, offset):
        with tf.GradientTape() as tape:
            found = tf.reduce_sum(tf.sparse.sparse_dense_matmul(rows, table)[:, 0] + offset)
        return (found, tape.gradient(found, table)) if is_trained else (found, None)

    for count in (7, 4, 9, 1, 5, 0, 9, 2):
        places = np.sort(rng.choice(20, count, replace=False))
        rows = tf.SparseTensor(np.stack(np.unravel_index(places, (4, 5)), 1), np.ones(count, np.float32), (4, 5))
        found, gradient = total(rows, tf.constant(0.25))
        columns = np.bincount(places % 5, minlength=5)
        assert float(found) == columns @ np.arange(1, 6) + 1.0
        assert gradient is None or gradient[:, 0].numpy().tolist() == columns.tolist()
    # TensorFlow has one trace; here no and one value have others.
    assert total.experimental_get_tracing_count() == 3


def test_places_of_sparse_tensors_are_arguments():
    product = tf.function(lambda sparse, dense: tf.sparse.sparse_dense_matmul(sparse, dense))
    moved = tf.SparseTensor([[0, 1], [0, 2], [1, 1], [2, 3]], [1.0, 2.0, 3.0, 4.0], [3, 4])
    dense = tf.constant([[1.0], [10.0], [100.0], [1000.0]])
    assert product(SPARSE, dense).numpy().tolist() == [[201.0], [30.0], [4.0]]
    assert product(moved, dense).numpy().tolist() == [[210.0], [30.0], [4000.0]]
    assert product.experimental_get_tracing_count() == 1
    taller = tf.SparseTensor(PLACES, SPARSE.values, [5, 4])
    assert product(taller, dense).shape == (5, 1)
    assert product.experimental_get_tracing_count() == 2


@pytest.mark.parametrize(
    ("function", "rows"),
    [
        (lambda rows: rows * 2, [[2.0, 4.0], [], [6.0, 8.0]]),
        (lambda rows: rows[1:], [[], [3.0, 4.0]]),
        (lambda rows: tf.concat([rows, rows], 1), [[1.0, 2.0, 1.0, 2.0], [], [3.0, 4.0, 3.0, 4.0]]),
        (lambda rows: tf.ragged.boolean_mask(rows, [True, False, True]), [[1.0, 2.0], [3.0, 4.0]]),
        (lambda rows: tf.map_fn(lambda row: row + 1.0, rows), [[2.0, 3.0], [], [4.0, 5.0]]),
        (lambda rows: tf.while_loop(lambda i, _: i < 2, lambda i, a: (i + 1, a * 2.0), [0, rows])[1],
         [[4.0, 8.0], [], [12.0, 16.0]]),
        (lambda rows: tf.cond(rows[0, 0] > 0.0, lambda: rows * 2.0, lambda: rows), [[2.0, 4.0], [], [6.0, 8.0]]),
    ],
)  # fmt: skip
def test_rows_come_out(function, rows):
    found = tf.function(function)(ROWS)
    assert found.to_list() == rows


def test_strings_come_out():
    words = tf.ragged.constant([["a", "b"], [], ["c"]])
    assert tf.function(lambda words: words)(words).to_list() == [[b"a", b"b"], [], [b"c"]]


def test_sparse_tensors_come_out():
    assert tf.function(lambda sparse: sparse * 2.0)(SPARSE).values.numpy().tolist() == [2.0, 4.0, 6.0, 8.0]
    turned = tf.function(tf.sparse.transpose)(SPARSE)
    assert turned.values.numpy().tolist() == [1.0, 4.0, 3.0, 2.0]
    assert turned.shape == (4, 3)


def test_lengths_that_the_function_computes():
    @tf.function
    def totals(values, lengths):
        return tf.reduce_sum(tf.RaggedTensor.from_row_lengths(values, lengths), axis=1)

    assert totals(VALUES, tf.constant([1, 3])).numpy().tolist() == [1.0, 9.0]
    assert totals(VALUES, tf.constant([4, 0])).numpy().tolist() == [10.0, 0.0]
    assert totals.experimental_get_tracing_count() == 1
    wide = tf.function(lambda x, n: tf.RaggedTensor.from_row_lengths(x, n).to_tensor(shape=[2, 3]))
    assert wide(VALUES, tf.constant([1, 3])).numpy().tolist() == [[1.0, 0.0, 0.0], [2.0, 3.0, 4.0]]
    as_wide_as_rows = tf.function(lambda x, n: tf.RaggedTensor.from_row_lengths(x, n).to_tensor())
    assert as_wide_as_rows(VALUES, tf.constant([2, 2])).numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert as_wide_as_rows(VALUES, tf.constant([1, 3])).numpy().tolist() == [[1.0, 0.0, 0.0], [2.0, 3.0, 4.0]]


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (lambda x: tf.sparse.retain(SPARSE, x > 2.0).values, [3.0, 4.0]),
        (lambda x: tf.ragged.boolean_mask(ROWS, x[:3] > 2.0), [[3.0, 4.0]]),
        (lambda x: tf.ragged.boolean_mask(ROWS, tf.cast(ROWS.row_lengths(), x.dtype) > x[0]), [[1.0, 2.0], [3.0, 4.0]]),
        (lambda x: tf.ragged.range(tf.cast(x[:3], tf.int32)), [[0], [0, 1], [0, 1, 2]]),
        (lambda x: tf.sets.size(tf.SparseTensor(PLACES, tf.cast(x, tf.int32), [3, 4])), [2, 1, 1]),
    ],
    ids=["retain", "mask_of_rows", "mask_of_lengths", "range", "sets"],
)
def test_sizes_that_depend_on_values(function, want):
    decorated = tf.function(function)
    for _ in range(2):
        found = decorated(VALUES)
        assert (found.to_list() if isinstance(found, tf.RaggedTensor) else found.numpy().tolist()) == want


def test_signatures():
    doubled = tf.function(lambda rows: rows * 2, input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    assert doubled(ROWS).to_list() == [[2.0, 4.0], [], [6.0, 8.0]]
    assert doubled(OTHER).to_list() == [[2.0], [4.0, 6.0, 8.0], []]
    with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed"):
        doubled(tf.ragged.constant([[1]]))
    sparse = tf.function(lambda x: x * 2.0, input_signature=[tf.SparseTensorSpec([None, None], tf.float32)])
    assert sparse(SPARSE).values.numpy().tolist() == [2.0, 4.0, 6.0, 8.0]


def test_concrete_functions():
    concrete = tf.function(lambda rows: rows * 2).get_concrete_function(ROWS)
    spec = tf.RaggedTensorSpec([3, None], tf.float32)
    assert concrete.structured_input_signature == ((spec,), {})
    assert concrete.structured_outputs == spec
    assert concrete(ROWS).to_list() == [[2.0, 4.0], [], [6.0, 8.0]]


def test_gradients_pass_through_functions():
    weights = tf.Variable([1.0, 2.0, 3.0, 4.0])

    @tf.function
    def loss(rows):
        return tf.reduce_sum(tf.gather(weights, rows).to_tensor() ** 2)

    with tf.GradientTape() as tape:
        y = loss(tf.ragged.constant([[0, 1], [], [3]]))
    assert y.numpy() == 21.0
    np.testing.assert_array_equal(tf.convert_to_tensor(tape.gradient(y, weights)), [2.0, 4.0, 0.0, 8.0])
    with tf.GradientTape() as tape:
        tape.watch(ROWS)
        y = tf.function(lambda rows: tf.reduce_sum(rows * rows))(ROWS)
    assert tape.gradient(y, ROWS).to_list() == [[2.0, 4.0], [], [6.0, 8.0]]


def test_row_partitions_that_are_arguments_are_checked_at_each_call():
    @tf.function
    def sums(values, lengths):
        return tf.reduce_sum(tf.RaggedTensor.from_row_lengths(values, lengths), axis=1)

    @tf.function
    def counts(values, rowids):
        return tf.RaggedTensor.from_value_rowids(values, rowids, nrows=4).row_lengths()

    values = tf.constant([1, 2, 3])
    assert sums(values, tf.constant([2, 1])).numpy().tolist() == [3, 3]
    assert counts(values, tf.constant([0, 2, 2])).numpy().tolist() == [1, 0, 2, 0]
    for lengths in ([2, 2], [-1, 4]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            sums(values, tf.constant(lengths)).numpy()
    for rowids in ([2, 1, 1], [0, 1, 4], [-1, 0, 0]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            counts(values, tf.constant(rowids)).numpy()


def test_row_ids_are_not_checked_without_validation():
    @tf.function
    def counts(values, rowids, validates):
        return tf.RaggedTensor.from_value_rowids(values, rowids, nrows=4, validate=validates).row_lengths()

    values, rowids = tf.constant([1, 2, 3]), tf.constant([2, 1, 1])
    assert counts(values, rowids, False).numpy().tolist() == [0, 2, 1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        counts(values, rowids, True).numpy()
