"""A recurrent net unrolled over 20 steps and trained with momentum: some 160 small recorded ops a step."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop

LENGTH, BATCH, FEATURES, HIDDEN = 20, 32, 16, 64
RATE, MOMENTUM = 0.01, 0.9


def initial_values():
    rng = np.random.default_rng(0)
    shapes = [(FEATURES, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, FEATURES)]
    kernels = [(rng.normal(size=s) / np.sqrt(s[0])).astype(np.float32) for s in shapes]
    x = rng.normal(size=(LENGTH, BATCH, FEATURES)).astype(np.float32)
    y = rng.normal(size=(BATCH, FEATURES)).astype(np.float32)
    return [*kernels, np.zeros(HIDDEN, np.float32), np.zeros(FEATURES, np.float32)], x, y


def build(tf):
    weights, x, y = initial_values()
    weights = [tf.Variable(w) for w in weights]
    velocities = [tf.Variable(tf.zeros_like(w)) for w in weights]
    x, y = tf.constant(x), tf.constant(y)
    start = tf.zeros([BATCH, HIDDEN])

    def step(x, y):
        inward, recurrent, outward, bias, out_bias = weights
        with tf.GradientTape() as tape:
            hidden = start
            for time in range(LENGTH):
                hidden = tf.tanh(tf.matmul(x[time], inward) + tf.matmul(hidden, recurrent) + bias)
            loss = tf.reduce_mean(tf.square(tf.matmul(hidden, outward) + out_bias - y))
        for w, v, g in zip(weights, velocities, tape.gradient(loss, weights)):
            v.assign(MOMENTUM * v + g)
            w.assign_sub(RATE * v)
        return loss

    return TensorLoop(step, lambda _: (x, y), [*weights, *velocities])


def build_jax(jax):
    jnp = jax.numpy
    weights, x, y = jax.tree.map(jnp.asarray, initial_values())

    def mean_squared_error(weights, x, y):
        inward, recurrent, outward, bias, out_bias = weights
        hidden = jnp.zeros([BATCH, HIDDEN])
        for time in range(LENGTH):
            hidden = jnp.tanh(x[time] @ inward + hidden @ recurrent + bias)
        return jnp.mean(jnp.square(hidden @ outward + out_bias - y))

    @partial(jax.jit, donate_argnums=0)
    def step(state, x, y):
        weights, velocities = state
        loss, gradients = jax.value_and_grad(mean_squared_error)(weights, x, y)
        velocities = [MOMENTUM * v + g for v, g in zip(velocities, gradients)]
        return ([w - RATE * v for w, v in zip(weights, velocities)], velocities), loss

    return ArrayLoop(step, lambda _: (x, y), (weights, jax.tree.map(jnp.zeros_like, weights)))
