"""A multilayer perceptron with Adam written out in variables, at any width and depth."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop, no_batch

RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-7


def initial_values(depth, width, batch):
    rng = np.random.default_rng(0)
    kernels = [(rng.normal(size=(width, width)) / np.sqrt(width)).astype(np.float32) for _ in range(depth)]
    biases = [np.zeros(width, np.float32) for _ in range(depth)]
    x, y = rng.normal(size=(2, batch, width)).astype(np.float32)
    return kernels, biases, x, y


def build(tf, depth, width, batch):
    kernels, biases, x, y = initial_values(depth, width, batch)
    kernels, biases = [tf.Variable(k) for k in kernels], [tf.Variable(b) for b in biases]
    x, y = tf.constant(x), tf.constant(y)
    weights = kernels + biases
    moments = [tf.Variable(tf.zeros_like(w)) for w in weights]
    squares = [tf.Variable(tf.zeros_like(w)) for w in weights]
    count = tf.Variable(0.0)

    def predict(x):
        for kernel, bias in zip(kernels[:-1], biases[:-1]):
            x = tf.nn.relu(tf.matmul(x, kernel) + bias)
        return tf.matmul(x, kernels[-1]) + biases[-1]

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(predict(x) - y))
        gradients = tape.gradient(loss, weights)
        count.assign_add(1.0)
        rate = RATE * tf.sqrt(1.0 - BETA2**count) / (1.0 - BETA1**count)
        for w, m, s, g in zip(weights, moments, squares, gradients):
            m.assign(BETA1 * m + (1.0 - BETA1) * g)
            s.assign(BETA2 * s + (1.0 - BETA2) * tf.square(g))
            w.assign_sub(rate * m / (tf.sqrt(s) + EPSILON))
        return loss

    return TensorLoop(step, no_batch, [*weights, *moments, *squares])


def build_jax(jax, depth, width, batch):
    jnp = jax.numpy
    kernels, biases, x, y = jax.tree.map(jnp.asarray, initial_values(depth, width, batch))
    weights = [kernels, biases]

    def mean_squared_error(weights, x, y):
        kernels, biases = weights
        for kernel, bias in zip(kernels[:-1], biases[:-1]):
            x = jax.nn.relu(x @ kernel + bias)
        return jnp.mean(jnp.square(x @ kernels[-1] + biases[-1] - y))

    @partial(jax.jit, donate_argnums=0)
    def step(state, x, y):
        weights, moments, squares, count = state
        loss, gradients = jax.value_and_grad(mean_squared_error)(weights, x, y)
        count = count + 1.0
        rate = RATE * jnp.sqrt(1.0 - BETA2**count) / (1.0 - BETA1**count)
        moments = jax.tree.map(lambda m, g: BETA1 * m + (1.0 - BETA1) * g, moments, gradients)
        squares = jax.tree.map(lambda s, g: BETA2 * s + (1.0 - BETA2) * jnp.square(g), squares, gradients)
        weights = jax.tree.map(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + EPSILON), weights, moments, squares)
        return (weights, moments, squares, count), loss

    state = (weights, jax.tree.map(jnp.zeros_like, weights), jax.tree.map(jnp.zeros_like, weights), jnp.float32(0.0))
    return ArrayLoop(step, lambda _: (x, y), state)
