"""The number of programs of functions that read datasets."""

from __future__ import annotations

import numpy as np

import tfcompat as tf


class Line:
    """A line with momentum, fitted to ten points in batches of four, four and two."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.weight, self.velocity = tf.Variable([0.5, float(seed)]), tf.Variable([0.0, 0.0])
        rows = rng.normal(size=(10, 2)).astype(np.float32)
        self.dataset = tf.data.Dataset.from_tensor_slices((rows, rows @ np.array([1.0, -2.0], np.float32))).batch(4)

    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(x, self.weight) - y) ** 2)
        self.velocity.assign(0.5 * self.velocity + tape.gradient(loss, self.weight))
        self.weight.assign_sub(0.1 * self.velocity)
        return loss


def test_loop_over_a_dataset_compiles_one_program_for_each_size_of_batches():
    line = Line(1)

    @tf.function
    def epoch(dataset):
        total = 0.0
        for x, y in dataset:
            total += line.step(x, y)
        return total

    with tf.counted() as counted:
        losses = [float(epoch(line.dataset)) for _ in range(6)]
    assert losses[2] < losses[1] < losses[0]
    assert 1 <= counted.compiles <= 2
    with tf.counted() as counted:
        float(epoch(line.dataset.prefetch(1)))
    assert (counted.compiles, counted.flushes) == (0, 3)


def test_step_on_an_iterator_compiles_one_program_for_each_size_of_batches():
    line = Line(2)

    @tf.function
    def step(iterator):
        return line.step(*next(iterator))

    def epoch():
        iterator = iter(line.dataset)
        return [step(iterator) for _ in range(3)]

    with tf.counted() as counted:
        for _ in range(6):
            epoch()
    assert 1 <= counted.compiles <= 2
    with tf.counted() as counted:
        epoch()
        epoch()
    assert (counted.compiles, counted.flushes) == (0, 6)


def test_several_steps_in_one_call_run_one_program_each():
    line = Line(3)

    @tf.function
    def steps(iterator, count):
        loss = 0.0
        for _ in tf.range(count):
            loss = line.step(*next(iterator))
        return loss

    with tf.counted() as counted:
        steps(iter(line.dataset.repeat()), tf.constant(18))
    assert 1 <= counted.compiles <= 2
    with tf.counted() as counted:
        steps(iter(line.dataset.repeat()), tf.constant(6))
    assert (counted.compiles, counted.flushes) == (0, 6)
