"""Duplicates, ties and bad indices of the scatter family, and assignments of variables."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._ops.array.scatter import assign_part, scatter_rows

Z = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def gradients(function, updates):
    with tf.GradientTape() as tape:
        tape.watch([Z, updates])
        answer = function(Z, [[0], [0]], updates)
    return [g.numpy().tolist() for g in tape.gradient(answer, [Z, updates])]


def test_scatter_nd_adds_duplicates():
    assert tf.scatter_nd([[0], [2], [0]], [1.0, 2.0, 3.0], [4]).numpy().tolist() == [4, 0, 2, 0]
    assert tf.scatter_nd([[0], [0]], [True, True], [2]).numpy().tolist() == [True, False]


def test_last_update_wins_and_every_update_has_the_gradient():
    updates = tf.constant([[9.0, 9.0], [8.0, 8.0]])
    assert tf.tensor_scatter_nd_update(Z, [[0], [0]], updates).numpy().tolist() == [[8, 8], [3, 4], [5, 6]]
    of_tensor, of_updates = gradients(tf.tensor_scatter_nd_update, updates)
    assert (of_tensor, of_updates) == ([[0, 0], [1, 1], [1, 1]], [[1, 1], [1, 1]])


def test_ties_of_an_extreme_share_the_gradient():
    of_tensor, of_updates = gradients(tf.tensor_scatter_nd_max, tf.constant([[1.0, 9.0], [1.0, 0.0]]))
    np.testing.assert_allclose(of_tensor, [[1 / 3, 0], [1, 1], [1, 1]], rtol=1e-6)
    np.testing.assert_allclose(of_updates, [[1 / 3, 1], [1 / 3, 0]], rtol=1e-6)


def test_extremes_pass_over_nan():
    assert tf.tensor_scatter_nd_max(Z, [[0]], [[np.nan, 9.0]]).numpy()[0].tolist() == [1.0, 9.0]


@pytest.mark.parametrize("function", [tf.tensor_scatter_nd_max, tf.tensor_scatter_nd_min], ids=["max", "min"])
def test_gradient_of_an_extreme_of_nan_is_nan(function):
    tensor, updates = tf.constant([np.nan, 2.0, 3.0, np.nan]), tf.constant([2.0, np.nan])
    for weights in (np.ones(4), np.zeros(4)) * 2:  # a second call runs as a program
        with tf.GradientTape() as tape:
            tape.watch([tensor, updates])
            y = function(tensor, [[0], [1]], updates) * tf.constant(weights, tf.float32)
        of_tensor, of_updates = tape.gradient(y, [tensor, updates])
        np.testing.assert_array_equal(of_tensor, [np.nan, weights[1], weights[2], np.nan])
        np.testing.assert_array_equal(of_updates, [np.nan, 0.0])


@pytest.mark.parametrize("index", [[[3]], [[-1]]], ids=str)
def test_index_out_of_range_is_an_invalid_argument(index):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.tensor_scatter_nd_add(Z, index, [[1.0, 1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.scatter_nd(index, [1.0], [3])


def test_updates_of_another_shape_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="updates must have shape"):
        tf.tensor_scatter_nd_update(Z, [[0]], [9.0])


ROWS = {
    "update": [0, 3, 2], "add": [0, 6, 2], "sub": [0, -4, 2], "mul": [0, 6, 2], "div": [0, 1 / 6, 2],
    "max": [0, 3, 2], "min": [0, 1, 2],
}  # fmt: skip


@pytest.mark.parametrize("mode", ROWS)
def test_scatter_rows_takes_in_duplicates(mode):
    rows = scatter_rows(tf.constant([0.0, 1.0, 2.0]), [1, 1], tf.constant([2.0, 3.0]), mode)
    np.testing.assert_allclose(rows.numpy(), ROWS[mode], rtol=1e-6)


def test_scatter_rows_spreads_a_scalar_and_checks_its_indices():
    assert scatter_rows(Z, [2], 0.0, "update").numpy()[2].tolist() == [0, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must be in"):
        scatter_rows(Z, [3], 0.0, "add")


PARTS = [0, slice(1, 3), (slice(None), 1), (..., None), (slice(0, 2), slice(None, None, -1)), slice(0, 0), (2, 0)]


@pytest.mark.parametrize("key", PARTS, ids=str)
def test_assign_part_assigns_as_numpy_does(key):
    want = Z.numpy()
    want[key] = 7.0
    np.testing.assert_array_equal(assign_part(Z, key, 7.0).numpy(), want)


def test_assign_part_takes_positions_and_refuses_what_does_not_fit():
    column = tf.range(10.0)
    assert assign_part(column, tf.constant(-1), 5.0).numpy()[9] == 5
    assert assign_part(column, slice(3, 5), [1.0, 2.0]).numpy()[2:6].tolist() == [2, 1, 2, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot assign a value of shape"):
        assign_part(column, slice(3, 5), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="dtype"):
        assign_part(column, 0, tf.constant(1))


def test_shape_may_be_a_list_with_variables():
    found = tf.scatter_nd([[0], [1]], [1.0, 2.0], [tf.Variable(3)])
    np.testing.assert_array_equal(found, [1.0, 2.0, 0.0])


def test_sizes_in_a_list_take_the_dtype_of_the_indices():
    size = tf.constant([3, 4])[0]
    found = tf.scatter_nd(tf.constant([[1]], tf.int64), tf.constant([2.0]), [size])
    assert found.numpy().tolist() == [0.0, 2.0, 0.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.scatter_nd(tf.constant([[1]], tf.int64), tf.constant([2.0]), tf.stack([size]))


def test_bad_indices_may_be_ignored():
    ignore = {"bad_indices_policy": "IGNORE"}
    assert tf.scatter_nd([[0], [9], [-1]], [1.0, 2.0, 3.0], [2], **ignore).numpy().tolist() == [1.0, 0.0]
    assert tf.scatter_nd([[0], [9]], ["a", "b"], [2], **ignore).numpy().tolist() == [b"a", b""]
    for name, expected in {"add": [6, 2], "sub": [-4, 2], "max": [5, 2], "min": [1, 2]}.items():
        write = getattr(tf, f"tensor_scatter_nd_{name}")
        assert write([1.0, 2.0], [[0], [9]], [5.0, 6.0], **ignore).numpy().tolist() == expected
    x, u = tf.constant([1.0, 2.0]), tf.constant([5.0, 6.0])
    with tf.GradientTape() as tape:
        tape.watch([x, u])
        y = tf.tensor_scatter_nd_max(x, [[0], [9]], u, **ignore)
    assert [g.numpy().tolist() for g in tape.gradient(y, [x, u])] == [[0, 1], [1, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.scatter_nd([[0]], [1.0], [2], bad_indices_policy="foo")


def test_scatter_nd_has_no_kernel_for_int16():
    with pytest.raises(tf.errors.NotFoundError):
        tf.scatter_nd(tf.constant([[0]], tf.int16), [1.0], [2])
