"""Counts at their corners."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def test_bincount_has_as_many_counts_as_asked_for():
    assert tf.math.bincount([1, 1, 3]).numpy().tolist() == [0, 2, 0, 1]
    assert tf.math.bincount([1, 1, 3], minlength=6).numpy().tolist() == [0, 2, 0, 1, 0, 0]
    assert tf.math.bincount([1, 1, 3], minlength=6, maxlength=2).numpy().tolist() == [0, 2]
    assert tf.math.bincount(tf.constant([], tf.int32)).shape == (0,)


def test_bincount_takes_the_dtype_of_its_weights():
    found = tf.math.bincount([1, 1, 3], weights=[0.5, 1.0, 2.0], dtype=tf.int64)
    assert (found.dtype, found.numpy().tolist()) == (tf.float32, [0, 1.5, 0, 2])


def test_bincount_of_rows():
    rows = tf.math.bincount([[1, 1], [0, 3]], axis=-1, binary_output=True)
    assert rows.numpy().tolist() == [[0, 1, 0, 0], [1, 0, 0, 1]]


def test_bincount_refuses_negative_numbers_and_other_shapes():
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        tf.math.bincount([-1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="weights"):
        tf.math.bincount([1, 1], weights=[1.0])


def test_bincount_has_no_gradient():
    weights = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(weights)
        counts = tf.math.bincount([0, 1], weights=weights)
    with pytest.raises(LookupError, match="DenseBincount"):
        tape.gradient(counts, weights)


def test_histogram_counts_what_lies_outside_at_the_ends():
    counts = tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5)
    assert counts.numpy().tolist() == [2, 1, 1, 0, 2]
    bins = tf.histogram_fixed_width_bins([[-1.0, 0.0, 1.5]], [0.0, 5.0], nbins=5)
    assert bins.numpy().tolist() == [[0, 0, 1]]


@pytest.mark.parametrize(("values", "ends"), [([1.0], [5.0, 0.0]), ([np.nan], [0.0, 5.0]), ([1.0], [0.0, 5.0, 6.0])])
def test_histogram_refuses_bad_values_and_ranges(values, ends):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.histogram_fixed_width(values, ends)


def test_confusion_matrix_has_labels_down_and_predictions_across():
    assert tf.math.confusion_matrix([0, 1, 2, 2], [0, 2, 2, 1]).numpy().tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    assert tf.math.confusion_matrix([[0], [1]], [0, 1], weights=[0.5, 2.0]).numpy().tolist() == [[0, 0], [0, 2]]


@pytest.mark.parametrize("labels", [[0, -1], [0, 4]], ids=str)
def test_confusion_matrix_refuses_labels_that_are_no_class(labels):
    with pytest.raises(tf.errors.InvalidArgumentError, match="labels"):
        tf.math.confusion_matrix(labels, [0, 1], num_classes=4)


def test_confusion_matrix_in_a_function_of_open_sizes():
    traced = []

    @tf.function(input_signature=[tf.TensorSpec([None, 1]), tf.TensorSpec([None], tf.int64), tf.TensorSpec([None])])
    def weighed(labels, predictions, weights):
        traced.append(labels.shape)
        return tf.math.confusion_matrix(labels, predictions, 3, weights, tf.float32)

    def of(labels, predictions, weights):
        return weighed(tf.constant(labels)[:, None], tf.constant(predictions, tf.int64), tf.constant(weights)).numpy()

    assert of([0.0, 1.5, 2.0], [1, 1, 2], [1.0, 2.0, 3.0]).tolist() == [[0, 1, 0], [0, 2, 0], [0, 0, 3]]
    assert of([0.0] * 4, [2, 2, 1, 0], [1.0, 2.0, 3.0, 4.0]).tolist() == [[4, 3, 3], [0, 0, 0], [0, 0, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        of([0.0, 1.0, 2.0], [1, 1, 3], [1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        of([0.0, -1.0, 2.0], [1, 1, 2], [1.0, 2.0, 3.0])
    assert len(traced) == 1


@pytest.mark.parametrize(("labels", "predictions"), [([1, 2], 3), ([[1, 2]], [1]), ([1], [[1, 2]]), ([[1, 2]], 1)])
def test_confusion_matrix_needs_vectors_of_one_length(labels, predictions):
    with pytest.raises(tf.errors.InvalidArgumentError, match="of the same length"):
        tf.math.confusion_matrix(labels, predictions)


def test_bincount_truncates_what_is_no_integer():
    assert tf.math.bincount(tf.constant([True, False, True])).numpy().tolist() == [1, 2]
    assert tf.math.bincount(tf.constant([1 + 1j, 2])).numpy().tolist() == [0, 1, 1]
    assert tf.math.bincount(tf.constant([1.9, 2.0])).numpy().tolist() == [0, 1, 1]


def test_bincount_counts_along_the_last_axis_or_all():
    for arr in (tf.ragged.constant([[1, 2], [3]]), tf.constant([[1, 2], [3, 1]])):
        for axis in (1, 2, -2):
            with pytest.raises(ValueError, match="axis must be 0, -1 or None"):
                tf.math.bincount(arr, axis=axis)


def test_in_top_k_refuses_other_dtypes():
    with pytest.raises(ValueError, match="float32"):
        tf.math.in_top_k([1], tf.constant([[1, 2]]), 1)
    for row in ([[1, 2]], np.array([[1.0, 2.0]])):
        assert tf.math.in_top_k([1], row, 1).numpy().tolist() == [True]


def test_counts_in_functions():
    def count(arr, **options):
        return tf.function(lambda x: tf.math.bincount(x, **options))(arr)

    both = {"minlength": 4, "maxlength": 4}
    assert count(tf.constant([1, 5, 2]), **both).numpy().tolist() == [0, 1, 1, 0]
    assert count(tf.constant([1, 5, 2]), weights=[1.0, 2.0, 3.0], **both).numpy().tolist() == [0, 1, 3, 0]
    assert count(tf.constant([[1, 5, 2]]), axis=-1, **both).numpy().tolist() == [[0, 1, 1, 0]]
    assert count(tf.constant([[1, 1, 2]]), axis=-1, binary_output=True, **both).numpy().tolist() == [[0, 1, 1, 0]]
    assert count(tf.constant([1, 5, 2]), maxlength=4).numpy().tolist() == [0, 1, 1, 0]
    assert count(tf.constant([1, 5, 2]), weights=[1.0, 2.0, 3.0]).numpy().tolist() == [0, 1, 3, 0, 0, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="arr must not be negative"):
        count(tf.constant([1, -5, 2]), **both).numpy()
