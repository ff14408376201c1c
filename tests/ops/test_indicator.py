"""Products with conditions that became numbers: nan and infinity times 0 are nan, in each call."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

NUMBERS = tf.constant([[-np.inf, 0.5, np.nan]])
MIDDLE = tf.constant([[False, True, False]])


@pytest.mark.parametrize(
    "masked",
    [
        lambda x: x * tf.cast(MIDDLE, tf.float32),
        lambda x: x * tf.cast(x > 0, x.dtype),
        lambda x: tf.cast(tf.cast(x > 0, tf.float16), tf.float32) * x,
        lambda x: tf.one_hot([1], 3) * x,
        lambda x: x * tf.eye(3)[1:2],
        lambda x: x * tf.sequence_mask([2], 3, tf.float32),
        lambda x: tf.math.real(tf.cast(x, tf.complex64) * tf.cast(MIDDLE, tf.complex64)),
    ],
    ids=["constant", "computed", "twice", "one_hot", "eye", "sequence_mask", "complex"],
)
@pytest.mark.parametrize("is_decorated", [False, True], ids=["eager", "function"])
def test_numbers_times_zero(masked, is_decorated):
    function = tf.function(masked) if is_decorated else masked
    for _ in range(4):  # op by op, by the host, as a program
        np.testing.assert_array_equal(function(NUMBERS)[:, 1:], [[0.5, np.nan]])


def test_gradient_of_a_masked_loss():
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.math.log(x) * tf.cast(x > 0, tf.float32))
        return loss, tape.gradient(loss, x)

    loss, slope = gradient(tf.constant([2.0, 0.0]))
    assert np.isnan(loss)
    np.testing.assert_array_equal(slope, [0.5, np.nan])
