"""Shape and order at their corners."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.counter import counted

Z = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


@pytest.mark.parametrize("shape", [[4], [-1, -1], [-1, 4], [-2, 3], [2.0, 3.0], "a", [[6]]], ids=str)
def test_reshape_refuses(shape):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.reshape: shape must"):
        tf.reshape(Z, shape)


def test_reshape_of_host_integers_refuses_with_the_same_class():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.reshape(tf.range(6), [4])


def test_reshape_takes_sizes_that_are_tensors():
    assert tf.reshape(Z, [tf.shape(Z)[1], -1]).shape == (2, 3)
    with pytest.raises(ValueError, match="None"):
        tf.reshape(Z, [None, 2])


@pytest.mark.parametrize(
    "shape",
    [
        [tf.constant(2.0), 3],
        [tf.constant(2.7), 3],
        (tf.constant(-1.0, tf.float64), 3),
        [tf.constant(6) / 3, 3],
        [tf.Variable(2.0), 3],
        np.array([2.7, 3.0]),
    ],
    ids=str,
)
def test_sizes_that_are_floating_tensors_are_cut(shape):
    assert tf.reshape(Z, shape).shape == (2, 3)
    if -1 not in [int(size) for size in shape]:
        assert tf.zeros(shape).shape == tf.ones(shape).shape == tf.fill(shape, 1.0).shape == (2, 3)


@pytest.mark.parametrize(
    ("shape", "eager", "traced"),
    [
        (tf.constant([2.0, 3.0]), tf.errors.InvalidArgumentError, TypeError),
        (tf.constant([2, 3], tf.int16), tf.errors.InvalidArgumentError, TypeError),
        ([2.0, 3.0], tf.errors.InvalidArgumentError, TypeError),
        ([np.float32(2), 3], tf.errors.InvalidArgumentError, TypeError),
        ([2.0, tf.constant(3.0)], tf.errors.InvalidArgumentError, TypeError),
        (6.0, TypeError, TypeError),
        ([7, "a"], ValueError, TypeError),
        (["a", "b"], tf.errors.InvalidArgumentError, TypeError),
        (tf.constant(6.0), tf.errors.InvalidArgumentError, TypeError),
        ([tf.constant(np.nan), 3], tf.errors.InvalidArgumentError, ValueError),
    ],
    ids=str,
)
def test_reshape_refuses_floats_in_tensorflows_class(shape, eager, traced):
    with pytest.raises(eager, match=r"tf\.reshape: shape must"):
        tf.reshape(Z, shape)
    with pytest.raises(traced, match=r"tf\.reshape: shape must"):
        tf.function(lambda tensor: tf.reshape(tensor, shape))(Z)


def test_transpose_counts_axes_from_the_end_too():
    assert tf.transpose(Z, [-1, 0]).shape == (2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.transpose(Z, [0, 0])


def test_matrix_transpose_needs_a_matrix():
    assert tf.linalg.matrix_transpose(tf.constant([[1 + 1j, 2]]), conjugate=True).numpy().tolist() == [[1 - 1j], [2]]
    with pytest.raises(ValueError, match="rank 2"):
        tf.linalg.matrix_transpose([1.0])


def test_squeeze_and_expand_dims_name_bad_axes():
    with pytest.raises(tf.errors.InvalidArgumentError, match="size 1"):
        tf.squeeze(Z, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis must be in \[-3, 3\), got 4"):
        tf.expand_dims(Z, 4)


def test_roll_by_a_tensor_and_by_a_number_agree():
    for shift in (1, -7):
        want = np.roll(Z.numpy(), shift, 0)
        np.testing.assert_array_equal(tf.roll(Z, shift, 0).numpy(), want)
        np.testing.assert_array_equal(tf.roll(Z, tf.constant(shift), 0).numpy(), want)


def test_repeat_takes_a_number_for_each_slice():
    assert tf.repeat(Z, [1, 0, 2], axis=0).numpy()[:, 0].tolist() == [1, 5, 5]
    assert tf.repeat([1, 2], [1, 2]).numpy().tolist() == [1, 2, 2]
    assert tf.repeat([1, 2], [-1, 2]).numpy().tolist() == [2, 2]
    for repeats, error in (([1, 2], ValueError), (-1, tf.errors.InvalidArgumentError), (1.5, TypeError)):
        with pytest.raises(error):
            tf.repeat(Z, repeats, axis=0)


def test_shape_functions_stay_on_the_host():
    pending = Z * 2.0
    with counted() as counts:
        rows, columns = tf.unstack(tf.shape(pending))
        flat = tf.reshape(tf.stack([rows, columns, 1]), [3])
        joined = tf.concat([flat, tf.expand_dims(tf.size(pending), 0)], 0)
        assert tf.gather(tf.reverse(joined, [0]), [0, 3]).numpy().tolist() == [6, 3]
    assert counts.flushes == 0


@pytest.mark.parametrize("multiples", [[2.0], tf.constant([2.0]), tf.constant([2], tf.int8)], ids=str)
def test_tile_refuses_multiples_that_are_no_indices(multiples):
    with pytest.raises(tf.errors.InvalidArgumentError, match="multiples must be int32 or int64"):
        tf.tile([1.0, 2.0], multiples)


@pytest.mark.parametrize("multiples", [np.array([2.0]), tf.constant([2], tf.int64), (np.int32(2),)], ids=str)
def test_tile_takes_what_becomes_an_index(multiples):
    assert tf.tile([1.0, 2.0], multiples).numpy().tolist() == [1.0, 2.0, 1.0, 2.0]


def test_tile_takes_booleans():
    assert tf.tile([1.0, 2.0], [True]).numpy().tolist() == [1.0, 2.0]


def test_axes_may_be_booleans_and_numpy_numbers():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.transpose(x, [True, False]).numpy().tolist() == [[1, 3], [2, 4]]
    assert tf.transpose(x, np.array([1.0, 0.0])).numpy().tolist() == [[1, 3], [2, 4]]
    assert tf.reduce_sum(x, True).numpy().tolist() == [3, 7]
    assert tf.reduce_sum(x, np.float64(1.7)).numpy().tolist() == [3, 7]
    assert tf.expand_dims(x, True).shape == (2, 1, 2)
    assert tf.reverse(x, [True]).numpy().tolist() == [[2, 1], [4, 3]]


@pytest.mark.parametrize("axes", [[0.0], [1, 0.0], ["a"], "a"], ids=str)
def test_lists_of_other_axes_are_refused(axes):
    x = tf.zeros([2, 2])
    for call in (tf.transpose, tf.reduce_sum, tf.reduce_mean, tf.reverse, tf.expand_dims):
        with pytest.raises(tf.errors.InvalidArgumentError, match="integers are expected"):
            call(x, axes)
    for call in (tf.reduce_sum, tf.expand_dims):
        with pytest.raises(TypeError):
            call(x, 0.0)


def test_squeeze_cuts_its_axes_to_integers():
    x = tf.constant([[1]])
    for axis in (0.0, -1.0, [0.9], [True], np.float32(1)):
        assert tf.squeeze(x, axis).shape == (1,)
    assert tf.squeeze(x, [0.9, 1]).shape == ()
    with pytest.raises(TypeError):
        tf.squeeze(x, "a")


@pytest.mark.parametrize(
    ("size", "shape", "words"),
    [
        (5, [2, 3], "Input to reshape is a tensor with 5 values, but the requested shape has 6"),
        (5, [2, -1], "Input to reshape is a tensor with 5 values, but the requested shape requires a multiple of 2"),
        (6, [2, -2], "Size 1 must be non-negative, not -2"),
    ],
)
def test_reshape_refuses_in_words_that_programs_look_for(size, shape, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.reshape(tf.zeros([size]), shape)
