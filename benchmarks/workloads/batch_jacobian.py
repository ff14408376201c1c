"""Inputs of a small perceptron moved toward given outputs, along the Jacobian of each example."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop, no_batch

BATCH, INPUTS, HIDDEN, OUTPUTS = 32, 16, 64, 8
RATE = 0.1


def initial_values():
    rng = np.random.default_rng(0)
    shapes = [(INPUTS, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, OUTPUTS)]
    kernels = [(rng.normal(size=s) / np.sqrt(s[0])).astype(np.float32) for s in shapes]
    x = rng.normal(size=(BATCH, INPUTS)).astype(np.float32)
    return kernels, x, rng.normal(size=(BATCH, OUTPUTS)).astype(np.float32)


def build(tf):
    kernels, x, wanted = initial_values()
    first, second, third = (tf.constant(k) for k in kernels)
    wanted = tf.constant(wanted)
    x = tf.Variable(x)

    def step():
        with tf.GradientTape() as tape:
            y = tf.matmul(tf.tanh(tf.matmul(tf.tanh(tf.matmul(x, first)), second)), third)
        jacobian = tape.batch_jacobian(y, x)
        missing = wanted - y
        x.assign_add(RATE * tf.reduce_sum(jacobian * missing[:, :, tf.newaxis], axis=1))
        return tf.reduce_mean(tf.square(missing))

    return TensorLoop(step, no_batch, [x])


def build_jax(jax):
    jnp = jax.numpy
    kernels, x, wanted = jax.tree.map(jnp.asarray, initial_values())

    def perceptron(x):
        first, second, third = kernels
        return jnp.tanh(jnp.tanh(x @ first) @ second) @ third

    def output_twice(x):
        y = perceptron(x)
        return y, y

    @partial(jax.jit, donate_argnums=0)
    def step(x):
        jacobian, y = jax.vmap(jax.jacrev(output_twice, has_aux=True))(x)
        missing = wanted - y
        return x + RATE * jnp.sum(jacobian * missing[:, :, None], axis=1), jnp.mean(jnp.square(missing))

    return ArrayLoop(step, no_batch, x)
