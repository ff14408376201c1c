"""An LSTM trained on all answers: it reads `x[:, time]` and writes into a `tf.TensorArray`; against `lax.scan`."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop

LENGTH, BATCH, FEATURES, HIDDEN = 40, 32, 16, 64
RATE = 0.1


def initial_values():
    rng = np.random.default_rng(0)
    shapes = [(FEATURES, 4 * HIDDEN), (HIDDEN, 4 * HIDDEN), (HIDDEN, FEATURES)]
    kernels = [(rng.normal(size=s) / np.sqrt(s[0])).astype(np.float32) for s in shapes]
    x, y = rng.normal(size=(2, BATCH, LENGTH, FEATURES)).astype(np.float32)
    return [*kernels, np.zeros(4 * HIDDEN, np.float32)], x, y


def build(tf):
    weights, x, y = initial_values()
    weights = [tf.Variable(w) for w in weights]
    x, y = tf.constant(x), tf.constant(y)

    def step(x, y):
        inward, recurrent, outward, bias = weights
        with tf.GradientTape() as tape:
            hidden = cell = tf.zeros([BATCH, HIDDEN])
            answers = tf.TensorArray(tf.float32, LENGTH)
            for time in tf.range(LENGTH):
                gates = tf.matmul(x[:, time], inward) + tf.matmul(hidden, recurrent) + bias
                enter, keep, leave, new = tf.split(gates, 4, axis=1)
                cell = tf.sigmoid(keep) * cell + tf.sigmoid(enter) * tf.tanh(new)
                hidden = tf.sigmoid(leave) * tf.tanh(cell)
                answers = answers.write(time, hidden)
            found = tf.matmul(tf.transpose(answers.stack(), [1, 0, 2]), outward)
            loss = tf.reduce_mean(tf.square(found - y))
        for w, g in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(RATE * g)
        return loss

    return TensorLoop(step, lambda _: (x, y), weights)


def build_jax(jax):
    jnp = jax.numpy
    weights, x, y = jax.tree.map(jnp.asarray, initial_values())

    def mean_squared_error(weights, x, y):
        inward, recurrent, outward, bias = weights

        def advance(state, now):
            hidden, cell = state
            enter, keep, leave, new = jnp.split(now @ inward + hidden @ recurrent + bias, 4, axis=1)
            cell = jax.nn.sigmoid(keep) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new)
            hidden = jax.nn.sigmoid(leave) * jnp.tanh(cell)
            return (hidden, cell), hidden

        start = jnp.zeros([BATCH, HIDDEN])
        _, answers = jax.lax.scan(advance, (start, start), jnp.swapaxes(x, 0, 1))
        return jnp.mean(jnp.square(jnp.swapaxes(answers, 0, 1) @ outward - y))

    @partial(jax.jit, donate_argnums=0)
    def step(weights, x, y):
        loss, gradients = jax.value_and_grad(mean_squared_error)(weights, x, y)
        return [w - RATE * g for w, g in zip(weights, gradients)], loss

    return ArrayLoop(step, lambda _: (x, y), weights)
