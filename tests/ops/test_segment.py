"""Reductions by segment at their corners."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

Z = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize("ids", [[1, 0, 2], [-1, 0, 2], [0, 1], [[0], [1], [2]]], ids=str)
def test_sorted_segments_must_increase(ids):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.segment_sum(Z, ids)


def test_gaps_between_sorted_segments_hold_the_neutral_number():
    for name, gap in (("sum", 0), ("mean", 0), ("max", 0), ("min", 0), ("prod", 1)):
        found = getattr(tf.math, f"segment_{name}")(Z, [0, 0, 2]).numpy()
        assert found[1].tolist() == [gap, gap], name


def test_integer_mean_truncates_towards_zero():
    assert tf.math.segment_mean([-1, -2, -4], [0, 0, 0]).numpy().tolist() == [-2]


def test_unsorted_mean_of_integers_is_float64():
    found = tf.math.unsorted_segment_mean([1, 2, 4], [0, 0, 1], 2)
    assert (found.dtype, found.numpy().tolist()) == (tf.float64, [1.5, 4.0])


def test_empty_unsorted_segments_hold_the_ends_of_the_type():
    assert tf.math.unsorted_segment_max(Z, [2, 0, 2], 4).numpy()[1, 0] == np.finfo(np.float32).min
    assert tf.math.unsorted_segment_min([1, 2, 3], [2, 0, 2], 4).numpy()[3] == np.iinfo(np.int32).max


def test_negative_ids_drop_their_rows():
    assert tf.math.unsorted_segment_sum(Z, [2, -1, 2], 3).numpy().tolist() == [[0, 0], [0, 0], [6, 8]]


def test_id_beyond_the_last_segment_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="below num_segments"):
        tf.math.unsorted_segment_sum(Z, [2, 0, 3], 3)
    pending = tf.math.unsorted_segment_sum(Z, tf.cast(tf.reduce_sum(Z, 1), tf.int32), 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="below num_segments"):
        pending.numpy()


@pytest.mark.parametrize(
    ("values", "largest", "smallest"),
    [
        ([1.0, np.nan, 3.0], 3.0, 3.0),
        ([np.nan, 1.0, 3.0], 3.0, 1.0),
        ([3.0, np.nan, 1.0], 1.0, 1.0),
        ([1.0, np.nan], np.nan, np.nan),
        ([np.nan, np.nan], np.nan, np.nan),
        ([np.nan, -np.inf], -np.inf, -np.inf),
    ],
    ids=str,
)
def test_extremes_are_of_what_follows_the_last_nan(values, largest, smallest):
    ids = [1] * len(values)
    for name, want in (("max", largest), ("min", smallest)):
        found = getattr(tf.math, f"unsorted_segment_{name}")(values, ids, 2).numpy()
        np.testing.assert_equal(found[1], np.float32(want))
        assert np.isfinite(found[0])
        np.testing.assert_equal(getattr(tf.math, f"segment_{name}")(values, ids).numpy()[1], np.float32(want))


def test_ties_of_an_extreme_share_the_gradient():
    x = tf.constant([2.0, 2.0, 1.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.unsorted_segment_max(x, [0, 0, 0, -1], 1)
    assert tape.gradient(y, x).numpy().tolist() == [0.5, 0.5, 0, 0]


def test_gradient_of_a_product_with_one_zero_or_two():
    for values, want in (([0.0, 3.0, 4.0], [12, 0, 0]), ([0.0, 0.0, 4.0], [0, 0, 0]), ([2.0, 3.0, 4.0], [12, 8, 6])):
        x = tf.constant(values)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.segment_prod(x, [0, 0, 0])
        assert tape.gradient(y, x).numpy().tolist() == want


def test_partition_and_stitch_undo_each_other():
    parts = tf.dynamic_partition(Z, [0, 1, 0], 2)
    assert [part.numpy().tolist() for part in parts] == [[[1, 2], [5, 6]], [[3, 4]]]
    assert tf.dynamic_stitch([[0, 2], [1]], parts).numpy().tolist() == Z.numpy().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.dynamic_partition(Z, [0, 2, 0], 2)


def test_stitch_keeps_the_last_row_and_gives_every_row_a_gradient():
    with tf.GradientTape() as tape:
        tape.watch(Z)
        y = tf.dynamic_stitch([[0, 2], [2]], [Z[:2], Z[2:]])
    assert y.numpy().tolist() == [[1, 2], [0, 0], [5, 6]]
    assert tape.gradient(y, Z).numpy().tolist() == [[1, 1], [1, 1], [1, 1]]


def test_extremes_of_uint64_use_its_whole_range():
    x = tf.constant([3, 2**64 - 1, 1], tf.uint64)
    assert tf.math.unsorted_segment_min(x, [0, 1, 0], 3).numpy().tolist() == [1, 2**64 - 1, 2**64 - 1]
    assert tf.math.unsorted_segment_max(x, [0, 1, 0], 3).numpy().tolist() == [3, 2**64 - 1, 0]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_infinity_alone_is_the_extreme_of_a_sorted_segment(dtype):
    assert tf.math.segment_min(tf.constant([np.inf, np.inf], dtype), [0, 0]).numpy().tolist() == [np.inf]
    assert tf.math.segment_max(tf.constant([-np.inf], dtype), [0]).numpy().tolist() == [-np.inf]
    # An unsorted one begins with the number that all finite ones beat.
    largest = float(np.finfo(dtype).max)
    assert tf.math.unsorted_segment_min(tf.constant([np.inf], dtype), [0], 1).numpy().tolist() == [largest]


def test_rows_that_a_function_computes_are_summed_by_known_segments():
    data = tf.reshape(tf.range(12.0), [4, 3])
    add = tf.function(lambda i: tf.sparse.segment_sum(data, i, [0, 1, 1], num_segments=2))
    assert add(tf.constant([0, 1, 3])).numpy().tolist() == [[0.0, 1.0, 2.0], [12.0, 14.0, 16.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must be in"):
        add(tf.constant([0, 1, 4])).numpy()


def test_sorted_segments_in_functions():
    total = tf.function(lambda ids: tf.math.segment_sum(tf.ones([3]), ids))
    assert [total(tf.constant(ids)).numpy().tolist() for ids in ([0, 0, 1], [0, 1, 2])] == [[2.0, 1.0], [1.0, 1.0, 1.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="segment ids are not increasing"):
        total(tf.constant([1, 0, 0]))


@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_of_no_segments(name):
    assert getattr(tf.math, f"unsorted_segment_{name}")(tf.ones([2, 3]), [-1, -1], 0).shape == (0, 3)
