"""Long chains of elementwise ops: compiled in parts, each kind of part once, with the same results as the whole."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.programs import segment
from tfcompat._core.tracing.trace import here

pytestmark = pytest.mark.usefixtures("without_host")


@pytest.fixture
def kinds(monkeypatch):
    """A list that grows with every kind of part that is compiled."""
    made = []

    class Counted(segment.Kind):
        __slots__ = ()

        def __init__(self, run):
            super().__init__(run)
            made.append(self)

    monkeypatch.setattr(segment, "Kind", Counted)
    return made


def turned(v, turns, scale=0.01):
    x = v
    for k in range(turns):
        x = x + tf.sin(x) * (scale / (k + 1.0))
    return x


def step(v, turns, scale=0.01):
    """Assigns to `v`, and returns the loss, an intermediate value and the gradient."""
    with tf.GradientTape() as tape:
        middle = turned(v, turns, scale)
        loss = tf.reduce_sum(tf.cast(tf.cast(middle * 3.0, tf.int32) + 2, tf.float32) * turned(middle, turns, scale))
    gradient = tape.gradient(loss, v)
    v.assign_sub(0.1 * gradient)
    return [x.numpy().tolist() for x in (loss, middle[:2], gradient, v)]


def answers(turns, shape, scales):
    v = tf.Variable(np.linspace(0.1, 1.0, shape).astype(np.float32))
    return [step(v, turns, scale) for scale in scales]


def test_chain_in_parts_answers_as_op_by_op(kinds):
    scales = [0.01, 0.02, 0.03]
    in_parts = answers(62, 6, scales)
    assert kinds
    with tf.config.immediate():
        expected = answers(62, 6, scales)
    for got, wanted in zip(in_parts, expected, strict=True):
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.thorough
def test_longer_loop_compiles_no_more_kinds_of_parts(kinds):
    v = tf.Variable(np.linspace(0.1, 1.0, 5).astype(np.float32))

    def train(turns):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(turned(v, turns))
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return float(loss)

    for turns in (300, 600):
        before = len(kinds)
        for _ in range(2):
            train(turns)
        assert len(kinds) - before <= 8
    with tf.counted() as counts:
        for _ in range(3):
            train(300)
            train(600)
    assert counts.compiles == 0


def test_parts_of_a_chain_are_bounded():
    x = turned(tf.Variable([0.5, 0.25, 0.125]), 200)
    chunks = segment._cut(here.trace.node.path())
    assert sum(map(len, chunks)) == len(here.trace.node.path())
    assert max(map(len, chunks)) <= 2 * segment._STEPS
    assert x.shape == (3,)


def test_wide_program_is_compiled_whole(kinds):
    vs = [tf.Variable(np.full(4, 0.1 * k, np.float32)) for k in range(80)]
    for _ in range(3):
        for v in vs:
            v.assign(tf.sqrt(tf.square(v) * 0.9 + 0.1) / (v + 2.0))
        tf.sync()
    assert not kinds


def test_chain_through_products_of_matrices_is_compiled_whole(kinds):
    w = tf.Variable(np.eye(3, dtype=np.float32) * 0.5)
    for _ in range(3):
        y = w
        for _ in range(120):
            y = tf.tanh(tf.matmul(y, w)) * 1.5
        y.numpy()
    assert not kinds


def test_chain_with_a_read_in_the_tape(kinds):
    v = tf.Variable([0.5, 0.25])

    def train():
        with tf.GradientTape() as tape:
            y = turned(v, 90)
            y.numpy()
            z = tf.reduce_sum(turned(y, 90))
        return tape.gradient(z, v).numpy()

    first, *others = [train() for _ in range(4)]
    assert kinds
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-5)


def chain_and_jacobian(v, turns):
    with tf.GradientTape() as tape:
        y = v
        for _ in range(turns):
            a, b = y[0], y[1]
            y = y + 0.01 * tf.stack([b, a * b - tf.sin(a)])
    return y.numpy(), tape.jacobian(y, v).numpy()


def test_jacobian_of_a_chain_answers_as_op_by_op(kinds):
    v = tf.Variable([0.5, -0.25])
    found = [chain_and_jacobian(v, 45) for _ in range(3)]
    assert kinds
    with tf.config.immediate():
        y, rows = chain_and_jacobian(v, 45)
    for values, jacobian in found:
        np.testing.assert_allclose(values, y, rtol=1e-5)
        np.testing.assert_allclose(jacobian, rows, rtol=1e-5, atol=1e-6)


@pytest.mark.thorough
def test_jacobian_of_a_longer_chain_compiles_few_more_kinds_of_parts(kinds):
    v = tf.Variable([0.5, -0.25])
    for turns, most in ((60, 8), (120, 4)):
        before = len(kinds)
        for _ in range(2):
            chain_and_jacobian(v, turns)
        assert 1 <= len(kinds) - before <= most
        with tf.counted() as counts:
            chain_and_jacobian(v, turns)
        assert (counts.compiles, counts.op_compiles) == (0, 0)
