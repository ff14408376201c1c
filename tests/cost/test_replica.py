"""A training step in several replicas is one program."""

from __future__ import annotations

import pytest

import tfcompat as tf

D = tf.distribute


@pytest.mark.parametrize("is_decorated", [False, True], ids=["eager", "decorated"])
def test_a_step_in_replicas_is_one_program(without_host, is_decorated):
    del without_host
    strategy = D.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        weights = tf.Variable([1.0, 2.0])

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((weights * x) ** 2)
        gradient = D.get_replica_context().all_reduce("SUM", tape.gradient(loss, weights))
        weights.assign_sub(0.01 * gradient)
        return loss

    def everywhere(x):
        return strategy.reduce("SUM", strategy.run(step, (x,)), axis=None)

    run = tf.function(everywhere) if is_decorated else everywhere
    values = [tf.constant([float(k), 1.0]) for k in range(6)]
    losses = [run(value) for value in values[:3]]
    losses[-1].numpy()
    with tf.counted() as counts:
        for value in values[3:]:
            loss = run(value)
        loss.numpy()
    assert counts.compiles == 0
    assert counts.flushes <= 3
