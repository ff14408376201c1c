"""Transfers to the device: data that steps read repeatedly is transferred once."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf


@pytest.mark.parametrize("decorate", [lambda step: step, tf.function], ids=["eager", "decorated"])
def test_steps_with_the_same_data_move_nothing(decorate):
    x, rate = tf.constant(np.ones([8, 4], np.float32)), tf.constant(0.5)
    w = tf.Variable(tf.ones([4, 1]))

    @decorate
    def step(x, rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w))
        w.assign_sub(rate * 0.01 * tape.gradient(loss, w))
        return loss

    def train():
        for _ in range(8):
            loss = step(x, rate)
        tf.sync()
        return loss

    for _ in range(3):
        train()
    with jax.transfer_guard_host_to_device("disallow"):
        loss = train()
    assert 0.0 < float(loss) < 16.0
