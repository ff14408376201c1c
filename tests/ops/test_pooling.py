"""Pooling: ties, padding, large windows, and refusals. Literals are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def image(values, shape):
    return tf.constant(np.asarray(values, np.float32).reshape(shape))


def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy().ravel().tolist()


def test_max_pool_gradient_goes_to_the_first_of_equal_elements():
    x = image([1, 1, 1, 1, 3, 2, 3, 1, 0, 0, 5, 5, 2, 2, 2, 2], (1, 4, 4, 1))
    assert slope(lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), x) == [0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0]


def test_max_pool_gradient_adds_up_where_windows_overlap():
    x = image([1, 1, 2, 2, 2], (1, 1, 5, 1))
    assert slope(lambda x: 2 * tf.nn.max_pool2d(x, [1, 2], 1, "SAME"), x) == [2, 0, 4, 2, 2]


def test_max_pool_second_derivative_is_zero_rather_than_none():
    x = image(range(16), (1, 4, 4, 1))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.max_pool2d(x, 2, 2, "VALID")
        first = inner.gradient(y, x)
    assert not outer.gradient(first, x).numpy().any()


def test_max_pool_differentiates_twice_through_a_square():
    x = image([1, 3, 2, 0], (1, 2, 2, 1))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.max_pool2d(x * x * x, 2, 2, "VALID")
        first = inner.gradient(y, x)
    assert first.numpy().ravel().tolist() == [0, 27, 0, 0]
    assert outer.gradient(first, x).numpy().ravel().tolist() == [0, 18, 0, 0]


def test_avg_pool_counts_real_elements_only():
    x = image(range(1, 6), (1, 1, 5, 1))
    assert tf.nn.avg_pool2d(x, [1, 2], [1, 2], "SAME").numpy().ravel().tolist() == [1.5, 3.5, 5]


def test_same_pads_more_behind_than_before():
    x = image(range(16), (1, 4, 4, 1))
    assert tf.nn.max_pool2d(x, 2, 1, "SAME").numpy()[0, :, :, 0].tolist() == [
        [5, 6, 7, 7],
        [9, 10, 11, 11],
        [13, 14, 15, 15],
        [13, 14, 15, 15],
    ]


def test_large_windows_give_what_small_steps_give():
    x = image(np.random.default_rng(0).normal(size=800), (2, 20, 20, 1))
    found = tf.nn.max_pool2d(x, 9, 9, "VALID").numpy()
    blocks = x.numpy()[:, :18, :18, 0].reshape(2, 2, 9, 2, 9)
    assert np.array_equal(found[..., 0], blocks.max((2, 4)))
    assert np.allclose(tf.nn.avg_pool2d(x, 9, 9, "VALID").numpy()[..., 0], blocks.mean((2, 4)), atol=1e-6)
    assert sum(slope(lambda x: tf.nn.max_pool2d(x, 9, 9, "VALID"), x)) == 8


def test_channels_first_is_the_same_turned():
    x = np.random.default_rng(1).normal(size=(2, 5, 6, 3)).astype(np.float32)
    last = tf.nn.max_pool2d(x, 3, 2, "SAME").numpy()
    first = tf.nn.max_pool2d(np.moveaxis(x, -1, 1), 3, 2, "SAME", "NCHW").numpy()
    assert np.array_equal(np.moveaxis(first, 1, -1), last)


def test_max_pool_keeps_int8():
    assert tf.nn.max_pool2d(tf.constant(np.arange(16).reshape(1, 4, 4, 1), tf.int8), 2, 2, "VALID").dtype == tf.int8


def test_max_pool_pads_as_told():
    x = image(range(16), (1, 4, 4, 1))
    found = tf.nn.max_pool2d(x, 2, 1, [[0, 0], [1, 1], [0, 1], [0, 0]])
    assert found.shape == [1, 5, 4, 1]
    assert found.numpy()[0, 0, :, 0].tolist() == [1, 2, 3, 3]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((2, 1, "same"), tf.errors.InvalidArgumentError, 'must be "SAME" or "VALID"'),
        ((2, 1, "EXPLICIT"), ValueError, "list of pairs"),
        ((2, 1, None), TypeError, "padding"),
        (([2, 2, 2], 1, "SAME"), ValueError, "length 1, 2 or 4"),
        ((0, 1, "SAME"), tf.errors.InvalidArgumentError, "ksize must be positive"),
        ((2, 0, "SAME"), tf.errors.InvalidArgumentError, "strides must be positive"),
        (([2, 1, 1, 1], 1, "SAME"), tf.errors.UnimplementedError, "batch and the channels"),
        ((6, 1, "VALID"), tf.errors.InvalidArgumentError, "must fit into the input"),
        ((2, 1, [[0, 0], [2, 2], [0, 0], [0, 0]]), tf.errors.InvalidArgumentError, "smaller than the window"),
        ((2, 1, [[1, 1], [0, 0], [0, 0], [0, 0]]), tf.errors.InvalidArgumentError, "0 for the batch"),
    ],
)
def test_max_pool_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), *arguments)


def test_avg_pool_has_no_explicit_padding():
    with pytest.raises(TypeError, match="padding"):
        tf.nn.avg_pool2d(tf.ones([1, 4, 4, 1]), 2, 1, [[0, 0], [1, 1], [1, 1], [0, 0]])


def test_max_pool_by_rank_refuses_rank_2():
    with pytest.raises(ValueError, match="rank 3, 4 or 5"):
        tf.nn.max_pool(tf.ones([4, 4]), 2, 1, "SAME")


def test_max_pool_with_argmax_finds_places_in_the_image():
    x = image(range(32), (1, 4, 4, 2))
    values, places = tf.nn.max_pool_with_argmax(x, 3, 2, "SAME", output_dtype=tf.int32)
    assert places.numpy().ravel().tolist() == [20, 21, 22, 23, 28, 29, 30, 31]
    assert values.numpy().ravel().tolist() == [20, 21, 22, 23, 28, 29, 30, 31]


def test_pool_refuses_dilated_windows_with_strides():
    x = image(range(32), (1, 4, 4, 2))
    assert tf.nn.pool(x, [2, 2], "MAX", dilations=[2, 2]).numpy().ravel().tolist() == [20, 21, 22, 23, 28, 29, 30, 31]
    with pytest.raises(ValueError, match="dilations"):
        tf.nn.pool(x, [2, 2], "AVG", strides=[2, 2], dilations=[2, 2])


@pytest.mark.parametrize("number", [2.7, np.float64(2.0), tf.constant(2.5), np.array(2.0)], ids=repr)
def test_fractions_of_windows_and_strides_are_cut_off(number):
    x = image(range(25), (1, 5, 5, 1))
    one, window = (1, 1, 1, 1), (1, number, number, 1)
    found = (
        tf.nn.avg_pool(x, window, 1, "VALID"),
        tf.nn.max_pool2d(x, 2, window, "VALID"),
        tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), window, "VALID"),
        tf.image.extract_patches(x, window, one, one, "VALID")[..., 3:],
    )
    assert [each.shape.as_list()[1:] for each in found] == [[4, 4, 1], [2, 2, 1], [2, 2, 1], [4, 4, 1]]
    assert [float(tf.reduce_sum(each)) for each in found] == [192.0, 48.0, 144.0, 240.0]


def test_windows_are_numbers():
    with pytest.raises(TypeError):
        tf.nn.avg_pool(image(range(4), (1, 2, 2, 1)), "2", 1, "VALID")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((0, 1, "SAME"), tf.errors.InvalidArgumentError),
        ((2, 1, [[0, 0], [3, 3], [3, 3], [0, 0]]), tf.errors.InvalidArgumentError),
        ((2, 0, "SAME"), ValueError),
        ((2, 1, "FOO"), ValueError),
    ],
)
def test_refusals_in_functions_have_the_class(arguments, error):
    with pytest.raises(error):
        tf.function(lambda: tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), *arguments))().numpy()


@pytest.mark.parametrize(
    "arguments",
    [
        {"window_shape": [2]},
        {"window_shape": [0, 0]},
        {"window_shape": [2, 2], "strides": [0, 0]},
        {"window_shape": [2, 2], "strides": [1]},
        {"window_shape": [2, 2], "dilations": [0, 0]},
    ],
)
def test_pool_checks_its_lists(arguments):
    with pytest.raises(ValueError, match=r"\S"):
        tf.nn.pool(tf.ones([1, 4, 4, 1]), pooling_type="MAX", padding="SAME", **arguments)


@pytest.mark.parametrize("dtype", [tf.int32, tf.bool])
def test_dtype_that_has_no_volumes_is_a_type_error_in_functions(dtype):
    with pytest.raises(TypeError):
        tf.function(lambda x: tf.nn.max_pool3d(x, 2, 1, "SAME"))(tf.ones([1, 4, 4, 4, 1], dtype))


def test_volumes_have_no_explicit_padding():
    with pytest.raises(TypeError):
        tf.nn.max_pool3d(tf.ones([1, 4, 4, 4, 1]), 2, 1, [[0, 0], [1, 1], [1, 1], [1, 1], [0, 0]])


@pytest.mark.parametrize(
    "pool",
    [
        lambda x: tf.nn.avg_pool2d(x, [3, 5], 2, "VALID"),
        lambda x: tf.nn.avg_pool2d(x, [1, 5], [1, 2], "VALID"),
        lambda x: tf.nn.max_pool_with_argmax(x, [1, 5], 2, "VALID")[0],
        lambda x: tf.nn.max_pool_with_argmax(x, [1, 3], 2, "VALID")[0],
    ],
    ids=["mean", "mean along one axis", "argmax", "argmax without a stride missing"],
)
def test_windows_for_which_more_than_a_stride_is_missing_find_nothing(pool):
    x = tf.ones([2, 1, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = pool(x)
    assert found.shape[2] == 0
    assert tape.gradient(found, x).numpy().tolist() == tf.zeros_like(x).numpy().tolist()


def test_pool_refuses_strides_larger_than_the_window():
    with pytest.raises(ValueError, match="strides"):
        tf.nn.pool(tf.ones([1, 4, 4, 1]), [2, 1], "MAX", strides=[2, 2])
