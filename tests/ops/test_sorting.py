"""Order at its corners: ends of integer types, ties, nan."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8], ids=lambda d: d.__name__)
def test_sort_downward_does_not_overflow(dtype):
    ends = np.iinfo(dtype)
    values = tf.constant(np.array([ends.min, 3, ends.max], dtype))
    assert tf.sort(values, direction="DESCENDING").numpy().tolist() == [ends.max, 3, ends.min]
    assert tf.argsort(values, direction="DESCENDING").numpy().tolist() == [2, 1, 0]


def test_equal_elements_stay_in_their_order():
    assert tf.argsort([2, 1, 2, 1, 0]).numpy().tolist() == [4, 1, 3, 0, 2]
    assert tf.argsort([2, 1, 2, 1, 0], direction="DESCENDING").numpy().tolist() == [0, 2, 1, 3, 4]


def test_nan_comes_last():
    values = tf.constant([1.0, np.nan, 3.0])
    assert tf.argsort(values).numpy().tolist() == [0, 2, 1]
    assert tf.argsort(values, direction="DESCENDING").numpy().tolist() == [2, 0, 1]
    assert tf.math.top_k(values, 3).indices.numpy().tolist() == [2, 0, 1]


def test_sort_refuses_other_directions_and_types():
    with pytest.raises(ValueError, match="direction"):
        tf.sort([1.0], direction="descending")
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sort([True])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.sort(1.0)


def test_top_k_takes_the_first_of_equals_and_its_gradient_goes_there():
    x = tf.constant([3.0, 1.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = tf.math.top_k(x, 1)
    assert found.indices.numpy().tolist() == [0]
    assert tape.gradient(found.values, x).numpy().tolist() == [1, 0, 0]


def test_top_k_does_not_tell_zeros_apart():
    assert tf.math.top_k([0.0, -0.0, 0.0], 3).indices.numpy().tolist() == [0, 1, 2]


def test_top_k_returns_a_named_tuple_with_the_index_type():
    found = tf.math.top_k([1, 2], 1, index_type=tf.int16)
    assert (type(found).__name__, found._fields, found.indices.dtype) == ("TopKV2", ("values", "indices"), tf.int16)


@pytest.mark.parametrize(
    ("k", "error"), [(3, tf.errors.InvalidArgumentError), (-1, tf.errors.InvalidArgumentError), (1.5, TypeError)]
)
def test_top_k_refuses_k(k, error):
    with pytest.raises(error):
        tf.math.top_k([1.0, 2.0], k)


def test_in_top_k_is_false_where_it_cannot_say():
    rows = [[1.0, 1.0], [np.nan, 2.0], [np.inf, 1.0], [1.0, 2.0], [1.0, 2.0]]
    assert tf.math.in_top_k([0, 1, 0, 5, 1], rows, 1).numpy().tolist() == [True, False, False, False, True]


def test_searchsorted_puts_nan_first_on_the_left():
    assert tf.searchsorted([1.0, 3.0], [np.nan, 2.0]).numpy().tolist() == [0, 1]
    assert tf.searchsorted([1.0, 3.0, 3.0], [0.0, 3.0, 8.0], side="right").numpy().tolist() == [0, 3, 3]
    with pytest.raises(ValueError, match="side"):
        tf.searchsorted([1.0], [1.0], side="middle")


def test_unique_keeps_the_order_and_tells_nans_apart():
    y, idx = tf.unique([3.0, 1.0, np.nan, 3.0, np.nan])
    assert idx.numpy().tolist() == [0, 1, 2, 0, 3]
    assert y.numpy().tolist()[:2] == [3.0, 1.0]
    assert tf.unique(["a", "b", "a"]).y.numpy().tolist() == [b"a", b"b"]
    counts = tf.unique_with_counts([3, 1, 3], tf.int64).count
    assert (counts.dtype, counts.numpy().tolist()) == (tf.int64, [2, 1])


@pytest.mark.parametrize("x", [[2, 0, 0], [2, 0, 3], [2, 0, -1], [[0]], [1.0, 0.0]], ids=str)
def test_invert_permutation_refuses_what_is_none(x):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.invert_permutation(x)


def test_invert_permutation_of_a_variable_in_a_function():
    order = tf.Variable([2, 0, 1])
    inverse = tf.function(lambda: tf.math.invert_permutation(order))
    assert inverse().numpy().tolist() == [1, 2, 0]
    order.assign([1, 2, 0])
    assert inverse().numpy().tolist() == [2, 0, 1]
    order.assign([1, 1, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="each of 0"):
        inverse().numpy()
