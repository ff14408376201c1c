"""Parts of variables: pending indices, gradients, refusals, strings."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def test_part_is_assigned_where_a_pending_index_says():
    v, place = tf.Variable(tf.zeros([6])), tf.constant(2) + 1
    v[place].assign(7.0)
    assert v.numpy().tolist() == [0.0, 0.0, 0.0, 7.0, 0.0, 0.0]


def test_rows_are_scattered_where_pending_indices_say():
    v, places = tf.Variable(tf.zeros([3, 2])), tf.constant([0, 1]) + 1
    v.scatter_add(tf.IndexedSlices(tf.ones([2, 2]), places))
    assert v.numpy().tolist() == [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]


def test_parts_of_parts_and_masks_have_no_assign():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    for part in (v[0][1], v[v > 2.0], v[np.array([True, False])]):
        assert not hasattr(part, "assign")


def test_reading_a_part_before_and_after_its_assignment():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        before = v[0]
        v[0].assign(7.0)
        y = before * v[0]
    assert tape.gradient(y, v).numpy().tolist() == [8.0, 0.0]


def test_gradient_of_gathered_rows_is_a_set_of_rows():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v.sparse_read([1, 1]))
    gradient = tape.gradient(y, v)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [1, 1]


def test_variable_takes_its_sparse_gradient():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [1, 1]))
    v.assign_sub(tape.gradient(y, v))
    assert v.numpy().tolist() == [[1.0, 2.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda v: v[7].assign(0.0), tf.errors.InvalidArgumentError),
        (lambda v: v[0].assign([1.0, 2.0]), tf.errors.InvalidArgumentError),
        (lambda v: v[0].assign("a"), TypeError),
        (lambda v: v.scatter_add(tf.IndexedSlices([1.0], [9])), tf.errors.InvalidArgumentError),
        (lambda v: v.scatter_add(tf.ones([3])), TypeError),
        (lambda v: v.scatter_nd_update([[9]], [1.0]), tf.errors.InvalidArgumentError),
        (lambda v: v.scatter_div(tf.IndexedSlices([0.0], [1])), tf.errors.InvalidArgumentError),
    ],
    ids=["place", "shape", "dtype", "row", "dense", "element", "zero"],
)
def test_refused_change_of_a_part_changes_nothing(change, error):
    v = tf.Variable([1.0, 2.0, 3.0])
    v.assign_add([1.0, 1.0, 1.0])
    with pytest.raises(error):
        change(v)
    assert v.numpy().tolist() == [2.0, 3.0, 4.0]


def test_integers_are_divided_towards_zero():
    v = tf.Variable([-7, 20, 30])
    v.scatter_div(tf.IndexedSlices([2], [0]))
    v.scatter_div(tf.IndexedSlices([3, 2], [1, 1]))
    assert v.numpy().tolist() == [-3, 3, 30]


@pytest.mark.parametrize("change", ["scatter_update", "scatter_nd_update", "slice"])
def test_strings_are_replaced_on_the_host(change):
    v = tf.Variable(["a", "b", "c"])
    if change == "scatter_update":
        v.scatter_update(tf.IndexedSlices(["x", "y"], [0, 2]))
    elif change == "scatter_nd_update":
        v.scatter_nd_update([[0], [2]], ["x", "y"])
    else:
        v[::2].assign(["x", "y"])
    assert v.numpy().tolist() == [b"x", b"b", b"y"]
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.scatter_update(tf.IndexedSlices(["x"], [-1]))


def test_assigning_parts_in_a_loop_compiles_one_program():
    v = tf.Variable(tf.zeros([50]))
    v[0].assign(1.0)
    v.numpy()
    with tf.counted() as counts:
        for i in range(1, 50):
            v[i].assign(float(i))
            v.numpy()
    assert counts.compiles <= 2
    assert v.numpy().tolist() == [1.0, *map(float, range(1, 50))]


def test_empty_part_takes_a_value_of_any_shape():
    v = tf.Variable(tf.zeros([0, 3]))
    v[..., 1].assign(tf.ones([4, 5]))
    v[1:].assign(tf.ones([7]))
    w = tf.Variable([1.0, 2.0])
    w[2:].assign(tf.ones([4, 5]))
    assert v.shape == [0, 3]
    assert w.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda v: v.scatter_add(tf.IndexedSlices([[1.0, 1.0]], [0])), [[3.0, 4.0], [3.0, 4.0]]),
        (lambda v: v.scatter_nd_sub([[1, 0]], [1.0]), [[1.0, 2.0], [1.0, 4.0]]),
        (lambda v: v[0].assign(v[0] * 2.0), [[4.0, 8.0], [3.0, 4.0]]),
        (lambda v: v[1, 1].assign(0.0), [[1.0, 2.0], [3.0, 0.0]]),
    ],
)
def test_functions_assign_parts_of_what_is_there_at_each_call(change, expected):
    v = tf.Variable([[0.0, 0.0], [0.0, 0.0]])

    @tf.function
    def step():
        change(v)

    step()
    v.assign([[1.0, 2.0], [3.0, 4.0]])
    step()
    step()
    assert v.numpy().tolist() == expected
