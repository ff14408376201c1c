"""A line through 100 points: two variables and seven ops, so the cost of a step is the cost of the machinery."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop, no_batch

X = np.linspace(0.0, 1.0, 100, dtype=np.float32)


def build(tf):
    x_train = tf.constant(X)
    y_train = 0.1 * x_train + 0.5
    m = tf.Variable(0.0)
    b = tf.Variable(0.0)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(m * x_train + b - y_train))
        gradients = tape.gradient(loss, [m, b])
        m.assign_sub(gradients[0] * 0.05)
        b.assign_sub(gradients[1] * 0.05)
        return loss

    return TensorLoop(step, no_batch, [m, b])


def build_jax(jax):
    jnp = jax.numpy
    x_train = jnp.asarray(X)
    y_train = 0.1 * x_train + 0.5

    def squared_error(line):
        m, b = line
        return jnp.mean(jnp.square(m * x_train + b - y_train))

    @partial(jax.jit, donate_argnums=0)
    def step(line):
        loss, gradients = jax.value_and_grad(squared_error)(line)
        return [value - gradient * 0.05 for value, gradient in zip(line, gradients)], loss

    return ArrayLoop(step, no_batch, [jnp.float32(0.0), jnp.float32(0.0)])
