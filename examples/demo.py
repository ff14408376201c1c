"""Two ordinary TensorFlow 2 training loops, undecorated, on JAX: a line, and a small network with Adam written out.

python examples/demo.py
"""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np

import tfcompat as tf


def train(name, train_step, steps, shown_every):
    """Takes `steps` steps; prints their speed and the number of compiled programs."""
    print(f"{name}: {steps:,} steps")
    before = tf.counters()
    started = time.perf_counter()
    first = float(train_step())
    first_seconds = time.perf_counter() - started
    print(f"  step {1:>5}   loss {first:.3e}")
    started = time.perf_counter()
    for step in range(2, steps + 1):
        loss = train_step()
        if step % shown_every == 0:
            print(f"  step {step:>5}   loss {loss.numpy():.3e}")
    seconds = time.perf_counter() - started
    after = tf.counters()
    print(f"  first step {first_seconds:.2f} s, then {(steps - 1) / seconds:,.0f} steps per second")
    print(f"  {after.flushes - before.flushes:,} runs of {after.compiles - before.compiles} compiled programs\n")


def linear_regression():
    """A line through 100 points."""
    x_train = tf.constant(np.linspace(0.0, 1.0, 100, dtype=np.float32))
    y_train = 0.1 * x_train + 0.5
    m = tf.Variable(0.0)
    b = tf.Variable(0.0)

    def train_step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(m * x_train + b - y_train))
        gradients = tape.gradient(loss, [m, b])
        m.assign_sub(gradients[0] * 0.05)
        b.assign_sub(gradients[1] * 0.05)
        return loss

    train("Linear regression", train_step, steps=1000, shown_every=200)
    print(f"  m = {m.numpy():.4f} (0.1), b = {b.numpy():.4f} (0.5)\n")


def spirals(count):
    """Points on two spirals, and the spiral of each."""
    rng = np.random.default_rng(0)
    arm = np.arange(count) % 2
    angle = 3.0 * np.pi * np.sqrt(rng.uniform(0.03, 1.0, count))
    points = np.stack([np.cos(angle + np.pi * arm), np.sin(angle + np.pi * arm)], axis=1) * angle[:, None] / 10.0
    return (points + rng.normal(scale=0.01, size=points.shape)).astype(np.float32), arm.astype(np.int32)


def network(units=(2, 64, 64, 2)):
    """A perceptron that separates two spirals, trained with Adam."""
    points, arms = spirals(512)
    points, arms = tf.constant(points), tf.constant(arms)
    rng = np.random.default_rng(1)
    kernels = [tf.Variable((rng.normal(size=s) * np.sqrt(2 / s[0])).astype(np.float32)) for s in pairwise(units)]
    biases = [tf.Variable(tf.zeros([n])) for n in units[1:]]
    weights = kernels + biases
    moments = [tf.Variable(tf.zeros_like(w)) for w in weights]
    squares = [tf.Variable(tf.zeros_like(w)) for w in weights]
    count = tf.Variable(0.0)

    def logits(x):
        for kernel, bias in zip(kernels[:-1], biases[:-1]):
            x = tf.nn.relu(tf.matmul(x, kernel) + bias)
        return tf.matmul(x, kernels[-1]) + biases[-1]

    def train_step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=arms, logits=logits(points)))
        count.assign_add(1.0)
        rate = 0.005 * tf.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
        for w, m, s, g in zip(weights, moments, squares, tape.gradient(loss, weights)):
            m.assign(0.9 * m + 0.1 * g)
            s.assign(0.999 * s + 0.001 * tf.square(g))
            w.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))
        return loss

    train("A 2-64-64-2 network with Adam", train_step, steps=1000, shown_every=200)
    right = np.mean(np.argmax(logits(points).numpy(), axis=1) == arms.numpy())
    print(f"  {100 * right:.1f}% of the points told apart")


if __name__ == "__main__":
    linear_regression()
    network()
