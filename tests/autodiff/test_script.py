"""Gradients of traces that differ in sizes only are recorded by the script of one walk, and are those of a walk."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._autodiff import backward as module
from tfcompat._autodiff.backward import Walk
from tfcompat._core.node import tree


def normal(*shape):
    return np.random.default_rng(shape).normal(0, 1, shape).astype(np.float32)


class Model:
    """Its variables, and a loss that looks up rows twice, splits, broadcasts, and adds gradients."""

    def __init__(self):
        self.variables = [tf.Variable(normal(*shape)) for shape in ((9, 4), (4, 4), (4,))]

    def loss(self, size):
        table, matrix, bias = self.variables
        at = tf.constant(np.arange(2 * size, dtype=np.int32).reshape(2, size) % 9)
        x = tf.nn.embedding_lookup(table, at) * tf.gather(table, at[0])
        left, right = tf.split(tf.tanh(x @ matrix + bias), 2, axis=-1)
        return tf.reduce_sum(tf.concat([left * right, right], -1) ** 2) + tf.reduce_max(x)

    def gradients(self, size, weight=None):
        with tf.GradientTape() as tape:
            loss = self.loss(size)
        return [tf.convert_to_tensor(g).numpy() for g in tape.gradient(loss, self.variables, weight)]

    def second(self, size):
        """The gradient of a gradient."""
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                loss = self.loss(size)
            slope = tape.gradient(loss, self.variables[1])
            length = tf.reduce_sum(slope * slope)
        return [outer.gradient(length, self.variables[1]).numpy()]


@pytest.fixture
def walks(monkeypatch):
    """The walks that begin."""
    begun = []

    class Counted(Walk):
        def __init__(self, *given):
            begun.append(given)
            super().__init__(*given)

    monkeypatch.setattr(module, "Walk", Counted)
    return begun


def walked(monkeypatch, compute):
    """The result of `compute` with a walk for each gradient, in a new tree."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "_appended", lambda trace, span, *given: list(Walk(trace, span, {}).run(*given)))
        tree.clear()
        found = compute()
    tree.clear()
    return found


COMPUTED = {
    "first": lambda size: Model().gradients(size),
    "weighted": lambda size: Model().gradients(size, tf.constant(2.0)),
    "second": lambda size: Model().second(size),
}


@pytest.mark.parametrize("compute", COMPUTED.values(), ids=COMPUTED.keys())
def test_gradients_of_other_sizes_are_those_of_walks(compute, walks, monkeypatch):
    wanted = {size: walked(monkeypatch, lambda size=size: compute(size)) for size in (5, 8, 3, 1)}
    del walks[:]
    compute(5)
    first = len(walks)
    for size in (5, 8, 3):
        for found, expected in zip(compute(size), wanted[size], strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert len(walks) == first
    for found, expected in zip(compute(1), wanted[1], strict=True):  # another structure
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert len(walks) > first


def test_sizes_of_1_inside_a_trace_make_another_walk():
    """The rank of a squeezed slice depends on its size."""
    v = tf.Variable(normal(6, 3))

    def gradient(size):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(v * 2.0, tf.squeeze(tf.constant([[0, 1, 2]])[:, 2:size])) ** 2)
        return tf.convert_to_tensor(tape.gradient(loss, v)).numpy()

    rows = 8.0 * v.numpy()
    for size, last in ((4, 3), (3, 3), (5, 3)):
        wanted = np.zeros((6, 3), np.float32)
        wanted[2:last] = rows[2:last]
        np.testing.assert_allclose(gradient(size), wanted)


@pytest.mark.parametrize("shape", [(6, 4), (3, 8), (12, 2)])
def test_gradient_through_a_reshape_is_dense_for_every_shape(shape):
    """As in TensorFlow, also where the reshape changes nothing."""
    v = tf.Variable(normal(6, 4))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(tf.reshape(v, shape), [0, 2]) ** 2)
    found = tape.gradient(loss, v)
    assert isinstance(found, tf.Tensor)
    wanted = np.zeros(shape, np.float32)
    wanted[[0, 2]] = 2.0 * v.numpy().reshape(shape)[[0, 2]]
    np.testing.assert_allclose(found.numpy(), wanted.reshape(6, 4))
