"""Bad indices and gradients of `gather` and related functions."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

Z = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(Z)
        answer = function(Z)
    return tape.gradient(answer, Z)


@pytest.mark.parametrize("indices", [[3], [-1], [0, 5]], ids=str)
def test_gather_refuses_known_indices_out_of_range(indices):
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must be in"):
        tf.gather(Z, indices)


@pytest.mark.parametrize("axis", [0, 1])
def test_gather_reports_pending_indices_out_of_range(axis):
    gathered = tf.gather(Z, tf.cast(tf.reduce_sum(Z, 1), tf.int32) + 1, axis=axis)
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must be in"):
        gathered.numpy()


@pytest.mark.parametrize(
    ("shape", "axis"), [((0, 0), 0), ((2, 0), 0), ((0, 0), 1), ((0, 2, 0), 1)], ids=["0x0", "2x0", "columns", "middle"]
)
def test_gather_accepts_any_index_of_slices_without_elements(shape, axis):
    for kind in ("float32", "int32"):
        found = tf.gather(tf.zeros(shape, kind), [5], axis=axis)
        assert found.numpy().shape == (*shape[:axis], 1, *shape[axis + 1 :])


def test_gather_takes_16_bit_indices_and_no_8_bit_ones():
    assert tf.gather(Z, tf.constant([1], tf.int16)).numpy().tolist() == [[3.0, 4.0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather(Z, tf.constant([1], tf.uint8))


def test_gather_in_batches():
    assert tf.gather(Z, [1, 0, 1], axis=1, batch_dims=1).numpy().tolist() == [2.0, 3.0, 6.0]
    assert tf.gather(Z, [[1, 1], [0, 1], [0, 0]], batch_dims=1).numpy().tolist() == [[2, 2], [3, 4], [5, 5]]


def test_gradient_of_rows_is_indexed_slices():
    slices = gradient(lambda z: tf.gather(z, [0, 0]))
    assert isinstance(slices, tf.IndexedSlices)
    assert slices.indices.numpy().tolist() == [0, 0]
    assert tf.convert_to_tensor(slices).numpy().tolist() == [[2, 2], [0, 0], [0, 0]]


@pytest.mark.parametrize(
    "function",
    [
        lambda z: tf.gather(z, [0], axis=1),
        lambda z: tf.gather(z, [0], axis=-2),
        lambda z: tf.gather_nd(z, [[0, 1]]),
        lambda z: tf.boolean_mask(z, [True, False, True]),
    ],
    ids=["axis 1", "axis -2", "gather_nd", "boolean_mask"],
)
def test_gradient_of_other_gathers_is_dense(function):
    assert isinstance(gradient(function), tf.Tensor)


def test_gradient_of_gather_nd_of_rows_is_indexed_slices():
    assert isinstance(gradient(lambda z: tf.gather_nd(z, [[0], [2]])), tf.IndexedSlices)


def test_gather_nd_refuses_negative_batch_dims():
    with pytest.raises(ValueError, match="batch_dims"):
        tf.gather_nd(Z, [[0], [1], [1]], batch_dims=-1)


def test_embedding_lookup_clips_rows_to_max_norm():
    rows = tf.nn.embedding_lookup(Z, [0, 1], max_norm=2.0).numpy()
    np.testing.assert_allclose(rows, [[0.8944272, 1.7888544], [1.2, 1.6]], rtol=1e-6)


def test_embedding_lookup_numbers_the_rows_of_a_list_through():
    assert tf.nn.embedding_lookup([Z, Z[:2]], [0, 4, 3]).numpy().tolist() == [[1, 2], [3, 4], [1, 2]]
    with pytest.raises(ValueError, match="non-empty list"):
        tf.nn.embedding_lookup([], [0])


def test_where_gives_coordinates_as_int64():
    found = tf.where(tf.constant([0.0, -0.0, np.nan]))
    assert (found.dtype, found.numpy().tolist()) == (tf.int64, [[2]])


def test_where_takes_the_dtype_of_the_tensor():
    chosen = tf.where(Z > 2, np.float64(3), Z)
    assert chosen.dtype == tf.float32
    with pytest.raises(TypeError):
        tf.where([True], 1, 0.5)


def test_where_needs_both_or_neither():
    with pytest.raises(ValueError, match="both"):
        tf.where(Z > 2, Z)


def test_where_keeps_nan_out_of_the_gradient():
    x = tf.constant([0.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.where(x > 0, x * x, 0.0)
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 8.0]


@pytest.mark.parametrize(
    "choose",
    [lambda x: tf.boolean_mask(x, [False] * 3), lambda x: tf.dynamic_partition(x, [0] * 3, 2)[1]],
    ids=["boolean_mask", "dynamic_partition"],
)
def test_second_gradient_of_no_rows_is_0(choose):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            total = tf.reduce_sum(choose(x) ** 3.0)
        gradient = inner.gradient(total, x)
    assert gradient.numpy().tolist() == outer.gradient(gradient, x).numpy().tolist() == [0.0, 0.0, 0.0]


def test_boolean_mask_takes_whole_axes_together():
    mask = np.array([[True, False], [False, True], [True, True]])
    assert tf.boolean_mask(Z, mask).numpy().tolist() == [1.0, 4.0, 5.0, 6.0]
    assert tf.boolean_mask(Z, [True, False], axis=1).numpy().tolist() == [[1.0], [3.0], [5.0]]
    with pytest.raises(ValueError, match="incompatible"):
        tf.boolean_mask(Z, [True, False])


def test_bad_index_is_told_with_its_place_and_shapes():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"got indices\[0, 1\] = 5 for params of shape \(3,\)\."):
        tf.gather([1.0, 2.0, 3.0], [[0, 5]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"got y = -1 for x of shape \(2,\)\."):
        tf.constant([1, 2]) ** -1


@pytest.mark.parametrize("pick", [tf.gather, lambda x, rows: tf.gather_nd(x, rows[:, None])], ids=["rows", "nd"])
def test_function_refuses_rows_of_nothing_only_where_it_gathers_them(pick):
    nothing, rows = tf.zeros([0, 3]), tf.constant([1, 2])

    @tf.function
    def guarded(x):
        if tf.size(x) > 0:
            return pick(x, rows)
        return -tf.ones([2, 3])

    assert guarded(nothing).numpy().tolist() == [[-1.0] * 3] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must"):
        tf.function(pick)(nothing, rows).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must"):
        pick(nothing, rows).numpy()
    assert pick(nothing, rows[:0]).shape == (0, 3)


@pytest.mark.parametrize(
    ("params", "indices", "batch_dims"),
    [([0, 3], [2, 0], 0), ([0, 3], [0], 0), ([2, 0], [2, 3, 0], 1), ([3, 0], [1, 1], 0)],
    ids=str,
)
def test_gather_nd_gathers_not_even_slices_from_nothing(params, indices, batch_dims):
    nothing, places = tf.zeros(params), tf.zeros(indices, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must lie inside"):
        tf.gather_nd(nothing, places, batch_dims)
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices must lie inside"):
        tf.function(lambda x, y: tf.gather_nd(x, y, batch_dims))(nothing, places).numpy()


def test_gather_nd_may_ignore_bad_indices():
    ignore = {"bad_indices_policy": "IGNORE"}
    assert tf.gather_nd([1.0, 2.0], [[5], [0], [-1]], **ignore).numpy().tolist() == [0.0, 1.0, 0.0]
    assert tf.gather_nd([[1.0, 2.0], [3.0, 4.0]], [[5], [0]], **ignore).numpy().tolist() == [[0.0, 0.0], [1.0, 2.0]]
    assert tf.gather_nd(["a", "b"], [[5], [0]], **ignore).numpy().tolist() == [b"", b"a"]
    rows = tf.gather_nd([[1.0, 2.0], [3.0, 4.0]], [[[5]], [[0]]], batch_dims=1, **ignore)
    assert rows.numpy().tolist() == [[0.0], [3.0]]
    with pytest.raises(tf.errors.NotFoundError):
        tf.gather_nd([1.0], [[0]], bad_indices_policy="foo")
