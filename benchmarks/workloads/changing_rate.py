"""The line again, with a learning rate that is a Python float and another one at every step."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop

X = np.linspace(0.0, 1.0, 100, dtype=np.float32)


def rate(index):
    return (0.05 / (1.0 + 1e-4 * index),)


def build(tf):
    x_train = tf.constant(X)
    y_train = 0.1 * x_train + 0.5
    m = tf.Variable(0.0)
    b = tf.Variable(0.0)

    def step(learning_rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(m * x_train + b - y_train))
        gradients = tape.gradient(loss, [m, b])
        m.assign_sub(gradients[0] * learning_rate)
        b.assign_sub(gradients[1] * learning_rate)
        return loss

    return TensorLoop(step, rate, [m, b])


def build_jax(jax):
    jnp = jax.numpy
    x_train = jnp.asarray(X)
    y_train = 0.1 * x_train + 0.5

    def squared_error(line):
        m, b = line
        return jnp.mean(jnp.square(m * x_train + b - y_train))

    @partial(jax.jit, donate_argnums=0)
    def step(line, learning_rate):
        loss, gradients = jax.value_and_grad(squared_error)(line)
        return [value - gradient * learning_rate for value, gradient in zip(line, gradients)], loss

    return ArrayLoop(step, rate, [jnp.float32(0.0), jnp.float32(0.0)])
