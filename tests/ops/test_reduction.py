"""Reductions: dtypes that stay, empty axes, nan, ties and axes that don't exist. Literals are TensorFlow's."""

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


def test_reduce_sum_keeps_int8():
    total = tf.reduce_sum(tf.constant([100, 100], "int8"))
    assert total.dtype == tf.int8
    assert total.numpy() == -56


def test_reduce_mean_of_integers_is_cut_towards_zero():
    assert [tf.reduce_mean(v).numpy() for v in ([1, 2], [-1, -2], [-5, -6, -6])] == [1, -1, -5]


def test_reduce_mean_of_integers_does_not_overflow():
    assert tf.reduce_mean(tf.constant([100] * 300, "int8")).numpy() == 100


def test_reduce_mean_of_no_complex_numbers_is_0():
    np.testing.assert_array_equal(tf.reduce_mean(tf.zeros([2, 0], "complex64"), 1), [0, 0])


def test_reduce_mean_of_float16_overflows():
    assert tf.reduce_mean(tf.fill([4096], tf.constant(100.0, tf.float16))).numpy() == np.inf


def test_bool_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.reduce_sum: input_tensor must be one of"):
        tf.reduce_sum(tf.constant([True]))


def test_message_names_rule_and_axis():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.reduce_sum: axis must be in \[-1, 1\), got 3"):
        tf.reduce_sum(tf.ones([5]), 3)


def test_an_axis_may_come_once():
    with pytest.raises(tf.errors.InvalidArgumentError, match="once"):
        tf.reduce_max(tf.ones([2, 3]), [1, -1])


def test_no_axes_reduce_nothing():
    assert tf.reduce_sum(tf.constant([1.0, 2.0]), []).numpy().tolist() == [1.0, 2.0]


def test_nothing_has_its_identity():
    empty = tf.zeros([0])
    assert tf.reduce_max(empty).numpy() == -np.inf
    assert tf.reduce_prod(empty).numpy() == 1
    assert np.isnan(tf.reduce_mean(empty).numpy())
    assert tf.reduce_max(tf.zeros([0], tf.int32)).numpy() == np.iinfo(np.int32).min
    assert bool(tf.reduce_all(tf.zeros([0], tf.bool)))


def test_reduce_max_shares_ties():
    assert gradient(tf.reduce_max, [2.0, 1.0, 2.0]) == [0.5, 0.0, 0.5]


def test_reduce_prod_is_right_beside_a_zero():
    assert gradient(tf.reduce_prod, [2.0, 0.0, 4.0]) == [0.0, 8.0, 0.0]


def test_cumprod_is_wrong_beside_a_zero_as_in_tensorflow():
    assert gradient(lambda x: tf.math.cumprod(x), [1.0, 0.0, 3.0]) == [1.0, 0.0, 0.0]


def test_argmax_is_int64_takes_the_first_axis_and_passes_over_nan():
    found = tf.argmax(tf.constant([[1.0, np.nan], [3.0, 2.0]]))
    assert found.dtype == tf.int64
    assert found.numpy().tolist() == [1, 1]


def test_argmax_of_nothing_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not be empty"):
        tf.argmax(tf.zeros([0, 3]))


def test_reduce_std_of_integers_raises_type_error():
    with pytest.raises(TypeError):
        tf.math.reduce_std(tf.constant([1, 2]))


def test_reduce_std_of_equal_numbers_has_no_slope():
    assert np.isnan(gradient(tf.math.reduce_std, [1.0, 1.0])).all()


def test_moments_answers_a_pair():
    mean, variance = tf.nn.moments(tf.constant([1.0, 3.0]), [0])
    assert (mean.numpy(), variance.numpy()) == (2.0, 1.0)


def test_running_logsumexp_passes_over_masked_elements():
    x = tf.constant([-np.inf, -np.inf, 1.0, 2.0])
    for reverse, expected, slope in (
        (False, [-np.inf, -np.inf, 1.0, 2.3132617], [np.nan, np.nan, 1.2689414, 0.7310586]),
        (True, [2.3132617, 2.3132617, 2.3132617, 2.0], [0.0, 0.0, 0.8068242, 3.1931758]),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.cumulative_logsumexp(x, reverse=reverse)
        assert np.allclose(y, expected)
        assert np.allclose(tape.gradient(y, x), slope, equal_nan=True)


def test_index_of_no_type_is_int64():
    for find, place in ((tf.argmax, 1), (tf.argmin, 0)):
        found = find([[1.0, 3.0, 2.0]], 1, None)
        assert found.dtype == tf.int64
        assert found.numpy().tolist() == [place]


def test_bfloat16_is_summed_in_float32():
    x = tf.cast(np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32), tf.bfloat16)
    functions = {tf.reduce_sum: [49239, 16418, 16420, 16583], tf.reduce_mean: [48599, 15778, 15780, 15943]}
    for function, wanted in functions.items():
        decorated = tf.function(lambda x, of=function: of(x, 0))
        for _ in range(3):  # NumPy may compute the first run.
            assert tf.bitcast(decorated(x), tf.uint16).numpy().tolist() == wanted
            assert tf.bitcast(function(x, 0), tf.uint16).numpy().tolist() == wanted
