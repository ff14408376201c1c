"""No signal handler runs while `jax.jit` looks a function up, which it does under a lock of its own."""

from __future__ import annotations

import signal

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.programs.compiled_alone import compiled_alone


@pytest.fixture
def interrupted(monkeypatch):
    """Signals that come during `jax.jit`, and for each whether its handler has run meanwhile."""
    handled, found = [], []
    before = signal.signal(signal.SIGUSR1, lambda *_: handled.append(True))
    jit = jax.jit

    def interrupted(*args, **kwargs):
        count = len(handled)
        signal.raise_signal(signal.SIGUSR1)
        made = jit(*args, **kwargs)
        found.append(len(handled) > count)
        return made

    monkeypatch.setattr(jax, "jit", interrupted)
    yield found
    signal.signal(signal.SIGUSR1, before)
    assert len(handled) == len(found)


def step(variable):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.sin(variable) * 1.5)
    variable.assign_sub(tape.gradient(loss, variable))
    return loss


@pytest.mark.parametrize("is_decorated", [False, True])
def test_programs(is_decorated, interrupted):
    variable = tf.Variable(np.linspace(0.0, 1.0, 7, dtype=np.float32))
    run = tf.function(step) if is_decorated else step
    for _ in range(4):
        run(variable).numpy()
    assert interrupted
    assert not any(interrupted)


def test_ops_alone(interrupted, monkeypatch):
    monkeypatch.setenv("TFCOMPAT_HOST", "0")
    monkeypatch.setattr("tfcompat._core.system.config.settings.is_hosting", False)
    compiled_alone.clear()
    with tf.counted() as counts:
        tf.linalg.det(tf.eye(5) * 2.0).numpy()
    assert counts.op_compiles or counts.compiles
    assert interrupted
    assert not any(interrupted)


def test_blocks_of_elements(interrupted, monkeypatch):
    monkeypatch.setattr("tfcompat._data.function.block_program.compilation", lambda _: 0.0)
    total = tf.constant(np.ones([400, 400], np.float32))
    dataset = tf.data.Dataset.range(64).map(lambda x: tf.reduce_sum(total @ total * tf.cast(x, tf.float32)))
    assert len(list(dataset)) == 64
    assert interrupted
    assert not any(interrupted)
