"""Op by op, a value is dropped after the last step that reads it."""

from __future__ import annotations

import weakref

import numpy as np

import tfcompat as tf
from tfcompat._core.programs import op_by_op


def test_a_chain_holds_two_values_at_a_time(monkeypatch):
    alive: list[weakref.ref] = []
    most = [0]
    run_alone = op_by_op.run_alone

    def counted(op, signature, inputs):
        outputs = run_alone(op, signature, inputs)
        alive.extend(map(weakref.ref, outputs))
        most[0] = max(most[0], sum(each() is not None for each in alive))
        return outputs

    monkeypatch.setattr(op_by_op, "run_alone", counted)
    x = tf.constant(np.linspace(0.0, 1.0, 12, dtype=np.float32))
    y = tf.sin(x)
    for _ in range(20):
        y = tf.sin(y)
    expected = np.linspace(0.0, 1.0, 12, dtype=np.float32)
    for _ in range(21):
        expected = np.sin(expected)
    np.testing.assert_allclose(y, expected, rtol=1e-5)
    assert len(alive) == 21
    assert most[0] == 2
