"""A power iteration: no tape and no read, so nothing but its own length ends the recording."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop, no_batch

SIZE = 64


def initial_values():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(SIZE, SIZE)).astype(np.float32)
    return matrix @ matrix.T, np.ones((SIZE, 1), np.float32)


def build(tf):
    matrix, vector = initial_values()
    matrix, vector = tf.constant(matrix), tf.Variable(vector)

    def step():
        product = tf.matmul(matrix, vector)
        length = tf.sqrt(tf.reduce_sum(tf.square(product)))
        vector.assign(product / length)
        return length

    return TensorLoop(step, no_batch, [vector])


def build_jax(jax):
    jnp = jax.numpy
    matrix, vector = jax.tree.map(jnp.asarray, initial_values())

    @partial(jax.jit, donate_argnums=0)
    def step(vector):
        product = matrix @ vector
        length = jnp.sqrt(jnp.sum(jnp.square(product)))
        return product / length, length

    return ArrayLoop(step, no_batch, vector)
