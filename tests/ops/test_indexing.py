"""Subscripts: accepted and refused ones, and the cost of a loop over positions."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.counter import counted

BIG = np.arange(40.0, dtype=np.float32).reshape(8, 5)


@pytest.fixture
def big():
    return tf.constant(BIG)


@pytest.fixture
def seven():
    """A scalar whose value a program has yet to compute."""
    return tf.cast(tf.constant(3.5) * 2.0, tf.int32)


KEYS = [
    5, -1, slice(2, 5), slice(6, 20), slice(1, -1), slice(5, 2), slice(None, None, -2), (4, 4), (4, -5),
    (slice(None), 4), (..., slice(3, 5)), (None, 5, None), (slice(2, 6), slice(None, None, -2)), (), ..., None,
    slice(None, 2**40), slice(-(2**40), 3),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_subscript_picks_what_numpy_picks(big, key):
    np.testing.assert_array_equal(big[key].numpy(), BIG[key])


@pytest.mark.parametrize("key", [KEYS[0], KEYS[2], KEYS[7], KEYS[12]], ids=str)
def test_subscript_of_something_pending_picks_the_same(big, key):
    np.testing.assert_array_equal((big * 1.0)[key].numpy(), BIG[key])


@pytest.mark.parametrize("key", [KEYS[0], KEYS[2], KEYS[6], KEYS[9], KEYS[12]], ids=str)
def test_gradient_of_a_subscript_is_one_where_it_picks(big, key):
    with tf.GradientTape() as tape:
        tape.watch(big)
        part = big[key]
    want = np.zeros_like(BIG)
    want[key] = 1.0
    np.testing.assert_array_equal(tape.gradient(part, big).numpy(), want)


def test_list_is_a_tuple_of_indices(big):
    assert big[[1, 2]].numpy() == 7.0


def test_true_beside_another_index_is_one(big):
    assert big[0, True].numpy() == 1.0


def test_scalar_tensors_are_indices(big):
    assert big[tf.constant(-1, tf.int64), tf.constant(2, tf.int64)].numpy() == 37.0
    np.testing.assert_array_equal(big[tf.constant(1) : tf.constant(3)].numpy(), BIG[1:3])


def test_pending_scalar_is_an_index(big, seven):
    np.testing.assert_array_equal(big[seven].numpy(), BIG[7])
    np.testing.assert_array_equal(big[-seven].numpy(), BIG[1])
    np.testing.assert_array_equal(big[1:3, seven - 5].numpy(), BIG[1:3, 2])


def test_pending_scalar_out_of_range_is_reported_by_the_read(big, seven):
    picked = big[seven + 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        picked.numpy()


@pytest.mark.parametrize("key", [8, -9, (0, 5), (slice(None), -6)], ids=str)
def test_index_out_of_range_is_an_invalid_argument(big, key):
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        big[key]


@pytest.mark.parametrize("key", [(0, 0, 0), (..., 0, 0, 0), (..., ...), slice(None, None, 0)], ids=str)
def test_impossible_subscript_is_an_invalid_argument(big, key):
    with pytest.raises(tf.errors.InvalidArgumentError):
        big[key]


@pytest.mark.parametrize("key", [1.5, "a", slice(1.0, 2), [[0]], range(2), {}, np.float32(1), b"a"], ids=repr)
def test_what_is_no_index_is_a_type_error(big, key):
    with pytest.raises(TypeError, match="Only integers, slices"):
        big[key]


@pytest.mark.parametrize("key", [np.array([0, 2]), np.array([1])], ids=str)
def test_vector_of_indices_is_a_type_error(big, key):
    for index in (key, tf.constant(key)):
        with pytest.raises(TypeError, match="Only integers, slices"):
            big[index]


@pytest.mark.parametrize("dtype", [tf.uint8, tf.int8, tf.float32], ids=str)
def test_tensor_of_another_type_is_no_index(big, dtype):
    with pytest.raises(TypeError, match="Only integers, slices"):
        big[tf.constant(1, dtype)]


def test_lists_of_booleans_are_refused(big):
    with pytest.raises(tf.errors.InvalidArgumentError):
        big[[True] * 8]


def test_mask_picks_rows_or_elements(big):
    rows = BIG[:, 0] > 20
    np.testing.assert_array_equal(big[rows].numpy(), BIG[rows])
    np.testing.assert_array_equal(big[big > 7.0].numpy(), BIG[BIG > 7])


def test_mask_that_does_not_fit_is_a_value_error(big):
    for mask in (True, np.array([True, False]), tf.constant(True)):
        with pytest.raises(ValueError, match=r"mask cannot be scalar|incompatible"):
            big[mask]


def test_strings_are_picked_on_the_host():
    words = tf.constant(["a", "b", "c"])
    assert words[1].numpy() == b"b"
    assert words[::-1].numpy().tolist() == [b"c", b"b", b"a"]


def test_shape_arithmetic_stays_on_the_host(big):
    pending = big * 1.0
    with counted() as counts:
        rows = tf.shape(pending)[0] + 1
        assert int(rows) == 9
    assert counts.flushes == 0


def test_loop_over_positions_compiles_one_op():
    values = tf.constant(np.arange(300.0, dtype=np.float32).reshape(100, 3))
    total = 0.0
    with counted() as counts:
        for i in range(100):
            total += float(values[i, 1] * 2.0)
    assert total == 2 * sum(range(1, 300, 3))
    assert counts.op_compiles + counts.compiles <= 6


def test_loop_over_batches_compiles_one_op_for_full_batches():
    values = tf.constant(np.arange(100.0, dtype=np.float32))
    with counted() as counts:
        sums = [float(tf.reduce_sum(values[i : i + 8])) for i in range(0, 100, 8)]
    assert sums == [float(sum(range(i, min(i + 8, 100)))) for i in range(0, 100, 8)]
    assert counts.op_compiles + counts.compiles <= 8


def test_slice_takes_a_window(big):
    np.testing.assert_array_equal(tf.slice(big, [5, 2], [2, -1]).numpy(), BIG[5:7, 2:])


def test_slice_begins_where_a_pending_tensor_says(big, seven):
    np.testing.assert_array_equal(tf.slice(big, [seven - 2, 1], [2, 2]).numpy(), BIG[5:7, 1:3])
    outside = tf.slice(big * 1.0, tf.stack([seven, seven - 6]), [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        outside.numpy()


@pytest.mark.parametrize(("begin", "size"), [([9, 0], [-1, 1]), ([-1, 0], [1, 1]), ([0, 0], [-2, 1]), ([0], [1])])
def test_slice_outside_is_an_invalid_argument(big, begin, size):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.slice(big, begin, size)


def test_strided_slice_reads_its_masks(big):
    picked = tf.strided_slice(
        big, [0, 0, 9], [0, 0, 0], [1, 1, 2], new_axis_mask=1, shrink_axis_mask=2, begin_mask=4, end_mask=4
    )
    np.testing.assert_array_equal(picked.numpy(), BIG[None, 0, ::2])
    np.testing.assert_array_equal(tf.strided_slice(big, [0, 1], [0, 3], ellipsis_mask=1).numpy(), BIG[..., 1:3])
