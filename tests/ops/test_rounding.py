"""Conversions of numbers that do not fit the dtype. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

AWAY = [np.nan, np.inf, -np.inf, 3e9]


def test_cast_to_the_same_dtype_is_the_tensor_itself():
    x = tf.constant([1.0])
    assert tf.cast(x, tf.float32) is x


def test_cast_to_the_same_dtype_is_the_variable_itself():
    v = tf.Variable([1.0, 2.0])
    same, other = tf.cast(v, tf.float32), tf.cast(v, tf.float64)
    assert same is v
    assert tf.compat.v1.to_float(v) is v
    assert isinstance(tf.saturate_cast(v, tf.float32), tf.Tensor)
    v.assign([5.0, 6.0])
    np.testing.assert_array_equal(same, [5.0, 6.0])
    np.testing.assert_array_equal(other, [1.0, 2.0])


def test_cast_of_a_variable_in_a_function_follows_its_assignments():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def function():
        same = tf.cast(v, tf.float32)
        v.assign_add([1.0, 1.0])
        return same, same + 1.0

    answers = function()
    assert isinstance(answers[0], tf.Tensor)
    np.testing.assert_array_equal(answers, [[2.0, 3.0], [3.0, 4.0]])
    v.assign([0.0, 0.0])
    np.testing.assert_array_equal(answers[0], [2.0, 3.0])


@pytest.mark.parametrize("is_cast_inside", [True, False])
def test_gradient_flows_through_the_cast_of_a_variable(is_cast_inside):
    v = tf.Variable([2.0, 3.0])
    same = tf.cast(v, tf.float32)
    with tf.GradientTape(persistent=True) as tape:
        x = tf.cast(v, tf.float32) if is_cast_inside else same
        y = x * x
    np.testing.assert_array_equal(tape.gradient(y, v), [4.0, 6.0])
    np.testing.assert_array_equal(tape.gradient(y, x), [4.0, 6.0])


def test_cast_alone_does_not_read_a_variable():
    with tf.GradientTape() as tape:
        tf.cast(tf.Variable([2.0, 3.0]), tf.float32)
    assert tape.watched_variables() == ()


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_cast_of_what_does_not_fit_is_the_lowest_integer(dtype):
    lowest = np.iinfo(dtype).min
    expected = [lowest, lowest, lowest, lowest if dtype == "int32" else 3_000_000_000]
    assert tf.cast(tf.constant(AWAY), dtype).numpy().tolist() == expected


def test_cast_to_uint8_keeps_the_low_bits():
    assert tf.cast(tf.constant([-1.0, 256.0, 300.5, -300.5]), tf.uint8).numpy().tolist() == [255, 0, 44, 212]


def test_cast_to_uint64_reaches_beyond_int64():
    found = tf.cast(tf.constant([1e19, -1.0, 1e20], tf.float64), tf.uint64)
    assert found.numpy().tolist() == [10**19, 2**64 - 1, 2**63]


def test_cast_to_bool_asks_for_zero():
    assert tf.cast(tf.constant([0.0, -0.0, np.nan, 0.5]), tf.bool).numpy().tolist() == [False, False, True, True]


def test_cast_between_floating_types_has_a_gradient_and_to_integers_none():
    x = tf.constant([1.5])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        wide, whole = tf.cast(x, tf.float64), tf.cast(tf.cast(x, tf.int32), tf.float32)
    assert tape.gradient(wide, x).dtype == tf.float32
    assert tape.gradient(whole, x) is None


def test_saturate_cast_stops_at_the_last_float_below():
    assert tf.saturate_cast(tf.constant([3e9, -3e9, 2.5]), tf.int32).numpy().tolist() == [2147483520, -(2**31), 2]


def test_saturate_cast_of_bool_is_refused():
    with pytest.raises(TypeError):
        tf.saturate_cast(tf.constant([True]), tf.int32)


def test_round_takes_the_even_neighbour():
    assert tf.round(tf.constant([0.5, 1.5, 2.5, -0.5])).numpy().tolist() == [0, 2, 2, 0]


def test_bitcast_splits_and_joins():
    halves = tf.bitcast(tf.constant([1.0, 2.0]), tf.uint16)
    assert halves.numpy().tolist() == [[0, 16256], [0, 16384]]
    assert tf.bitcast(halves, tf.float32).numpy().tolist() == [1.0, 2.0]
    assert tf.bitcast(tf.constant([1.0, 2.0]), tf.complex64).numpy() == 1 + 2j
