"""Clipping: bounds, zeros, lists with None and IndexedSlices. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def gradient(function, value):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        answer = function(x)
    return tape.gradient(answer, x).numpy().tolist()


def rows():
    return tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1, 1]), tf.constant([3, 2]))


def test_clip_by_value_has_slope_one_at_its_bounds():
    assert gradient(lambda x: tf.clip_by_value(x, -1.0, 1.0), [-1.0, 0.0, 1.0, 2.0]) == [1.0, 1.0, 1.0, 0.0]


def test_clip_by_value_with_crossed_bounds_gives_the_lower():
    assert tf.clip_by_value(tf.constant([1.0, 5.0]), 3.0, 2.0).numpy().tolist() == [3.0, 3.0]


def test_clip_by_value_does_not_grow():
    with pytest.raises(ValueError, match=r"tf\.clip_by_value"):
        tf.clip_by_value(tf.constant([1.0, 5.0]), tf.constant([[1.0], [2.0]]), 3.0)


def test_clip_by_norm_of_zero_is_zero_with_slope_one():
    assert tf.clip_by_norm(tf.constant([0.0, 0.0]), 1.0).numpy().tolist() == [0.0, 0.0]
    assert gradient(lambda x: tf.clip_by_norm(x, 1.0), [0.0, 0.0]) == [1.0, 1.0]


def test_clip_by_norm_takes_a_limit_for_each_row():
    rows = [[3.0, 4.0], [6.0, 8.0]]
    for limits in ([[5.0], [2.0]], np.array([[5.0], [2.0]]), tf.constant([[5.0], [2.0]])):
        np.testing.assert_allclose(tf.clip_by_norm(rows, limits, 1), [[3.0, 4.0], [1.2, 1.6]], rtol=1e-6)
    with pytest.raises(ValueError, match="enlarge"):
        tf.clip_by_norm([3.0, 4.0], [[1.0], [2.0]])


def test_negative_limits_of_norms_count_as_zero():
    np.testing.assert_allclose(tf.clip_by_norm([3.0, 4.0], [1.0, -2.0]), [0.6, 0.0], rtol=1e-6)
    assert gradient(lambda x: tf.clip_by_norm([3.0, 4.0], x), -1.0) == 0.0
    np.testing.assert_allclose(gradient(lambda x: tf.clip_by_norm([3.0, 4.0], x), 0.0), 1.4, rtol=1e-6)


@pytest.mark.parametrize("clip", [lambda t: tf.clip_by_value(t, 0.0, 2.0), lambda t: tf.clip_by_norm(t, 1.0)])
def test_indexed_slices_stay_such(clip):
    clipped = clip(rows())
    assert isinstance(clipped, tf.IndexedSlices)
    assert clipped.indices.numpy().tolist() == [1, 1]


def test_clip_by_global_norm_keeps_none_and_does_not_add_rows_that_meet():
    clipped, norm = tf.clip_by_global_norm([rows(), None, tf.constant([3.0, 4.0])], 1.0)
    assert np.isclose(norm, 7.416198253631592)
    assert isinstance(clipped[0], tf.IndexedSlices)
    assert clipped[1] is None
    assert np.allclose(clipped[2], [0.40451995, 0.5393599])


def test_clip_by_global_norm_below_the_limit_changes_nothing():
    (clipped,), norm = tf.clip_by_global_norm([tf.constant([3.0, 4.0])], 10.0)
    assert clipped.numpy().tolist() == [3.0, 4.0]
    assert norm.numpy() == 5.0


def test_clip_by_global_norm_of_infinity_is_nan():
    (clipped,), norm = tf.clip_by_global_norm([tf.constant([3.0, np.inf])], 1.0)
    assert np.isnan(clipped).all()
    assert norm.numpy() == np.inf


def test_global_norm_of_nothing_is_zero():
    assert tf.linalg.global_norm([None]).numpy() == 0.0


def test_global_norm_of_a_tensor_is_refused():
    with pytest.raises(TypeError, match="t_list must be a list"):
        tf.linalg.global_norm(tf.constant([3.0]))


def test_known_global_norm_has_a_dtype_of_its_own():
    tensors = [tf.constant([3.0, 4.0]), tf.constant([1.0], tf.float64), tf.constant([3, 4])]
    clipped, norm = tf.clip_by_global_norm(tensors, 1.0, use_norm=tf.constant(2.0))
    assert [t.numpy().tolist() for t in clipped] == [[1.5, 2.0], [0.5], [0, 0]]
    assert [t.dtype for t in clipped] == [tf.float32, tf.float64, tf.int32]
    assert norm.dtype == tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.clip_by_global_norm(tensors, 1.0)


def test_limit_of_a_global_norm_has_its_dtype():
    with pytest.raises(TypeError, match="dtype of the norm"):
        tf.clip_by_global_norm([tf.constant([3.0, 4.0])], tf.constant(1.0, tf.float64))
    clipped, _ = tf.clip_by_global_norm([tf.constant([3.0, 4.0])], np.float64(1.0))
    assert np.allclose(clipped[0], [0.6, 0.8])


def test_limit_of_clip_by_norm_may_be_negative_or_a_list():
    assert tf.clip_by_norm([3.0, 4.0], -1.0).numpy().tolist() == [0.0, 0.0]
    x = tf.constant([[3.0, 4.0], [6.0, 8.0]])
    assert np.allclose(tf.clip_by_norm(x, [[1.0], [-1.0]], axes=1), [[0.6, 0.8], [0.0, 0.0]])
