"""Programs with value checks: variables that are updated from each other."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.programs import program


def adam_step(size=4):
    """A decorated step: moments, weights that are updated from them, and a count; it gathers a row of a table."""
    mean, square, weights = (tf.Variable(np.full((size, size), k, np.float32)) for k in (0.0, 0.5, 1.0))
    count, table = tf.Variable(0.0), tf.Variable(np.ones([3, size], np.float32))

    @tf.function
    def step(x, row):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x @ weights) ** 2) + tf.reduce_sum(tf.gather(table, row))
        gradient = tape.gradient(loss, weights)
        mean.assign_add(0.1 * (gradient - mean))
        square.assign_add(0.2 * (gradient * gradient - square))
        weights.assign_sub(0.01 * mean / (tf.sqrt(square) + 0.001))
        count.assign_add(1.0)
        return loss, count + 0.0

    return step, [mean, square, weights, count]


def test_failed_check_leaves_all_variables_as_they_were():
    step, variables = adam_step()
    x = tf.ones([2, 4])
    expected = []
    for attempt in range(4):
        step(x, tf.constant([attempt % 3]))
        expected.append([v.numpy().tolist() for v in variables])
        _, count = step(x, tf.constant([7]))
        with pytest.raises(tf.errors.InvalidArgumentError):
            count.numpy()
        assert [v.numpy().tolist() for v in variables] == expected[-1]
    alone, others = adam_step()
    for attempt in range(4):
        alone(x, tf.constant([attempt % 3]))
        assert [v.numpy().tolist() for v in others] == expected[attempt]


def test_guarded_variables_are_updated_in_place(monkeypatch):
    calls = []
    store_results = program.store_results

    def spied(run, args, *rest):
        calls.append((run, [np.asarray(arg) for arg in args]))
        store_results(run, args, *rest)

    monkeypatch.setattr(program, "store_results", spied)
    step, _ = adam_step(64)
    for _ in range(3):
        step(tf.ones([2, 64]), tf.constant([1]))
    tf.sync()
    run, args = calls[-1]
    with jax.enable_x64(True):
        text = run.lower(*args).compile().as_text()
    copies = [line for line in text.splitlines() if " copy(" in line and "f32[64,64]" in line]
    assert "input_output_alias" in text
    # The weights are read by the first product, and by the gradient's.
    assert len(copies) <= 1
