"""Functions with loops whose lengths vary run by few padded programs, and compute the same as exact ones."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough
from tfcompat._core.programs.family import variants
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.system.config import settings

pytestmark = pytest.mark.usefixtures("without_host")
SIZES = (9, 12, 7, 14, 11, 12, 19, 10, 8, 17)
WIDTH = 4


def normal(*shape):
    return np.random.default_rng(shape).normal(0, 0.3, shape).astype(np.float32)


class Recurrent:
    """A recurrent net, trained on rows of any length."""

    def __init__(self, states, way):
        self._states = states
        self.weights = [tf.Variable(normal(*shape)) for shape in ((3, 4 * WIDTH), (WIDTH, 4 * WIDTH), (WIDTH, 1))]
        open_rows = tf.TensorSpec([5, None, 3], tf.float32)
        self._run = self._step if way == "eager" else tf.function(self._step, input_signature=[open_rows])

    def cell(self, row, hidden, cell):
        inward, recurrent, _ = self.weights
        enter, keep, leave, new = tf.split(row @ inward + hidden @ recurrent, 4, axis=1)
        cell = tf.sigmoid(keep) * cell + tf.sigmoid(enter) * tf.tanh(new)
        return tf.sigmoid(leave) * tf.tanh(cell), cell

    def _step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self._states(self, x) @ self.weights[2] - 1.0) ** 2)
        gradients = tape.gradient(loss, self.weights, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        for weight, gradient in zip(self.weights, gradients, strict=True):
            weight.assign_sub(0.1 * gradient)
        return loss

    def step(self, size):
        return float(self._run(tf.constant(normal(5, size, 3))))


def by_while_loop(model, x):
    start, length = tf.zeros([5, WIDTH]), tf.shape(x)[1]

    def advance(time, *state):
        return time + 1, *model.cell(x[:, time], *state)

    return tf.while_loop(lambda time, *_: time < length, advance, (0, start, start))[1]


def by_scan(model, x):
    start = tf.zeros([5, WIDTH])
    hidden, _ = tf.scan(lambda state, row: model.cell(row, *state), tf.transpose(x, [1, 0, 2]), (start, start))
    return tf.reduce_sum(hidden, 0)


def by_array(model, x):
    start, length = tf.zeros([5, WIDTH]), tf.shape(x)[1]

    def advance(time, hidden, cell, found):
        hidden, cell = model.cell(x[:, time], hidden, cell)
        return time + 1, hidden, cell, found.write(time, hidden)

    found = tf.TensorArray(tf.float32, length)
    return tf.reduce_max(tf.while_loop(lambda time, *_: time < length, advance, (0, start, start, found))[3].stack(), 0)


def by_computed_length(model, x):
    """The program computes the number of iterations: the gradient uses checkpoints."""
    start, length = tf.zeros([5, WIDTH]), tf.reduce_sum(tf.cast(x[0, :, 0] < 0.1, tf.int32))

    def advance(time, *state):
        return time + 1, *model.cell(x[:, time], *state)

    return tf.while_loop(lambda time, *_: time < length, advance, (0, start, start))[1]


def by_autograph(model, x):
    hidden = cell = tf.zeros([5, WIDTH])
    for time in tf.range(tf.shape(x)[1]):
        if tf.reduce_sum(hidden) > 0.1:
            hidden = hidden + 0.5 * tf.random.stateless_normal([5, WIDTH], tf.stack([time, 3]))
        hidden, cell = model.cell(x[:, time], hidden, cell)
    return hidden


def trained(model, sizes=SIZES):
    """The losses of all steps, the parameters at the end, and the counts of events, compiled from scratch."""
    cache.clear()
    variants.clear()
    with tf.counted() as counts:
        losses = [model.step(size) for size in sizes]
        values = [weight.numpy() for weight in model.weights]
    return losses, values, counts


@pytest.mark.parametrize(
    "states",
    [
        *map(thorough, (by_while_loop, by_autograph, by_array, by_computed_length)),
        by_scan,
    ],
    ids=lambda f: f.__name__,
)
def test_training_equals_that_of_exact_programs(monkeypatch, states):
    losses, values, counts = trained(Recurrent(states, "decorated"))
    assert counts.padded >= 6
    assert 1 <= counts.compiles <= 4
    monkeypatch.setattr(settings, "is_padding", False)
    expected, exact, counts = trained(Recurrent(states, "decorated"))
    assert (counts.padded, counts.compiles) == (0, len(set(SIZES)))
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for value, wanted in zip(values, exact, strict=True):
        np.testing.assert_allclose(value, wanted, atol=1e-5)


@pytest.mark.parametrize("states", [by_while_loop, thorough(by_scan)], ids=lambda f: f.__name__)
def test_training_equals_that_of_undecorated_code(monkeypatch, states):
    losses, _, _ = trained(Recurrent(states, "decorated"))
    monkeypatch.setattr(settings, "is_hosting", True)
    np.testing.assert_allclose(losses, trained(Recurrent(states, "eager"))[0], rtol=1e-5)


@pytest.mark.parametrize(
    ("states", "size"),
    [(by_while_loop, 0), (by_scan, 1), *map(thorough, ((by_while_loop, 1), (by_scan, 0)))],
    ids=lambda given: getattr(given, "__name__", given),
)
def test_loops_of_0_and_1_iterations_run_exactly(states, size):
    model = Recurrent(states, "decorated")
    trained(model, (5, 6, 7))
    weights = [weight.numpy() for weight in model.weights]
    with tf.counted() as counts:
        loss = model.step(size)
    assert (counts.padded, counts.compiles) == (0, 1)
    for weight, value in zip(model.weights, weights, strict=True):
        weight.assign(value)
    assert loss == pytest.approx(float(model._step(tf.constant(normal(5, size, 3)))), rel=1e-5)
    with tf.counted() as counts:
        model.step(8)
    assert counts.padded == 1


def test_failed_check_in_a_loop_raises_and_keeps_variables():
    total = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def add(x):
        for row in x:
            tf.debugging.assert_less(row, 10.0)
            total.assign_add(row)
        return total + 0.0

    for size in (5, 6, 7, 9):
        add(tf.ones([size]))
    before = total.numpy()
    assert before == 27.0
    failed = pytest.raises(tf.errors.InvalidArgumentError, match=r"assert_less.*test_loop_variants\.py:\d+")
    with tf.counted() as counts, failed:
        add(tf.constant([1.0, 20.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]))
    assert counts.padded == 1
    assert total.numpy() == before
    assert float(add(tf.ones([8]))) == 35.0
