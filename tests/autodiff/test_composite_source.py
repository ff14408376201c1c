"""Ragged and sparse tensors as sources, targets and upstream gradients of a tape."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def rows_of(values):
    return tf.RaggedTensor.from_row_lengths(values, [2, 0, 2])


@pytest.mark.parametrize(
    ("function", "slopes"),
    [
        (lambda rows: tf.reduce_sum(rows * rows, axis=1), [[2.0, 4.0], [], [6.0, 8.0]]),
        (lambda rows: rows * rows, [[2.0, 4.0], [], [6.0, 8.0]]),
        (lambda rows: rows.flat_values, [[1.0, 1.0], [], [1.0, 1.0]]),
    ],
)
def test_gradient_of_ragged_source_is_ragged(function, slopes):
    rows = rows_of(tf.constant([1.0, 2.0, 3.0, 4.0]))
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = function(rows)
    assert tape.gradient(y, rows).to_list() == slopes


def test_sources_in_structures():
    rows = rows_of(tf.constant([1.0, 2.0, 3.0, 4.0]))
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = rows * 3.0
    found = tape.gradient(y, {"a": rows, "b": [rows]})
    assert found["a"].to_list() == found["b"][0].to_list() == [[3.0, 3.0], [], [3.0, 3.0]]


def test_what_is_unconnected_or_whole_is_none():
    rows, numbers = rows_of(tf.constant([1.0, 2.0, 3.0, 4.0])), tf.ragged.constant([[1, 2], [3]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(rows)
        y = tf.constant(1.0)
        z = numbers * 2
    assert tape.gradient(y, rows) is None
    assert tape.gradient(z, numbers) is None


def test_watching_the_values_watches_the_rows():
    rows = rows_of(tf.constant([1.0, 2.0, 3.0, 4.0]))
    with tf.GradientTape() as tape:
        tape.watch(rows.flat_values)
        y = tf.reduce_sum(rows * rows, axis=1)
    assert tape.gradient(y, rows).to_list() == [[2.0, 4.0], [], [6.0, 8.0]]


def test_ragged_upstream_gradient_weighs_a_ragged_target():
    values = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        y = rows_of(values) * 2.0
    found = tape.gradient(y, values, output_gradients=rows_of(tf.constant([1.0, 2.0, 3.0, 4.0])))
    np.testing.assert_array_equal(found, [2.0, 4.0, 6.0, 8.0])


def test_second_derivative_through_rows():
    values = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.reduce_prod(rows_of(values), axis=1) ** 2)
        slope = inner.gradient(y, values)
    np.testing.assert_array_equal(slope, [8.0, 4.0, 96.0, 72.0])
    np.testing.assert_array_equal(outer.gradient(slope, values), [16.0, 10.0, 80.0, 66.0])


def test_sparse_tensors_are_no_sources_and_no_targets():
    values = tf.Variable([1.0, 2.0])
    sparse = tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sparse)
        y = tf.sparse.reduce_sum(sparse)
        made = tf.SparseTensor([[0, 0], [1, 1]], values, [2, 2])
    with pytest.raises(ValueError, match="SparseTensor is not supported as a gradient source"):
        tape.gradient(y, sparse)
    with pytest.raises(ValueError, match="SparseTensor is not supported as a gradient source"):
        tape.gradient(made, values)
    assert tape.gradient(y, sparse.values).numpy().tolist() == [1.0, 1.0]
