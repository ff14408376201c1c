"""With determinism, the same computation on the same values returns the same digits whenever it runs."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.config import settings

X = tf.constant(np.random.default_rng(0).normal(size=(64, 300)).astype(np.float32))
W = tf.constant(np.random.default_rng(1).normal(size=(300, 40)).astype(np.float32))
WEIGHTS = tf.Variable(W)


def gradient():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.softmax(tf.tanh(X @ WEIGHTS)) ** 2)
    return tape.gradient(loss, WEIGHTS)


COMPUTATIONS = {
    "softmax": lambda: tf.nn.softmax(X @ W),
    "mean": lambda: tf.reduce_mean(tf.exp(X), 1),
    "elementwise": lambda: tf.tanh(X) * X + tf.sin(X),
    "small": lambda: tf.exp(X[0, :5]),
    "normal": lambda: tf.random.stateless_normal([1000], [1, 2]) * 0.1,
    "gradient": gradient,
    "decorated": tf.function(gradient),
}


@pytest.fixture
def determinism(monkeypatch):
    monkeypatch.setattr(settings, "is_deterministic", True)


@pytest.mark.usefixtures("determinism")
@pytest.mark.parametrize("name", COMPUTATIONS)
def test_digits_are_the_same_in_each_run(name):
    first, *others = [COMPUTATIONS[name]().numpy() for _ in range(40)]
    for other in others:
        np.testing.assert_array_equal(first, other)


@pytest.mark.usefixtures("determinism")
def test_digits_of_drawn_values_are_those_of_the_values():
    logits = tf.random.stateless_normal([1, 10000], [1, 2])
    labels = tf.random.stateless_normal([1, 10000], [3, 4])

    def loss():
        return tf.nn.softmax_cross_entropy_with_logits(labels, logits)

    first = loss()
    for _ in range(3):
        np.testing.assert_array_equal(loss(), first)


@pytest.mark.usefixtures("determinism")
def test_sizes_return_the_same_digits_when_they_return():
    found = {}
    for size in (5, 9, 5, 17, 9, 33, 5, 17, 33, 9, 5) * 8:
        value = tf.reduce_sum(tf.nn.softmax(X[:size] @ W) ** 3, 0).numpy()
        np.testing.assert_array_equal(found.setdefault(size, value), value)


@pytest.mark.usefixtures("determinism")
def test_first_values_of_variables_compile_nothing():
    with tf.counted() as counts:
        for k in range(60):
            initial = tf.keras.initializers.GlorotUniform(seed=k)([k + 3, 2 * k + 5])
            tf.Variable(initial).numpy()
    assert counts.compiles == 0


@pytest.mark.usefixtures("determinism")
def test_small_sizes_return_the_same_digits_before_and_after_others_have_come():
    found = {}
    for size in (3, *range(2, 12), 3, 7) * 4:
        value = tf.reduce_sum(tf.tanh(X[:size, :9] * 1.3)).numpy()
        np.testing.assert_array_equal(found.setdefault(size, value), value)
