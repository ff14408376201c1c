"""The recurrent net of `rnn` with its time steps in a loop on tensors: `for t in tf.range` against `lax.scan`."""

from __future__ import annotations

from functools import partial

from benchmarks.loop import ArrayLoop, TensorLoop
from benchmarks.workloads.rnn import BATCH, HIDDEN, LENGTH, MOMENTUM, RATE, initial_values


def build(tf):
    weights, x, y = initial_values()
    weights = [tf.Variable(w) for w in weights]
    velocities = [tf.Variable(tf.zeros_like(w)) for w in weights]
    x, y = tf.constant(x), tf.constant(y)

    def step(x, y):
        inward, recurrent, outward, bias, out_bias = weights
        with tf.GradientTape() as tape:
            hidden = tf.zeros([BATCH, HIDDEN])
            for time in tf.range(LENGTH):
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

        def advance(hidden, now):
            return jnp.tanh(now @ inward + hidden @ recurrent + bias), None

        hidden, _ = jax.lax.scan(advance, jnp.zeros([BATCH, HIDDEN]), x)
        return jnp.mean(jnp.square(hidden @ outward + out_bias - y))

    @partial(jax.jit, donate_argnums=0)
    def step(state, x, y):
        weights, velocities = state
        loss, gradients = jax.value_and_grad(mean_squared_error)(weights, x, y)
        velocities = [MOMENTUM * v + g for v, g in zip(velocities, gradients)]
        return ([w - RATE * v for w, v in zip(weights, velocities)], velocities), loss

    return ArrayLoop(step, lambda _: (x, y), (weights, jax.tree.map(jnp.zeros_like, weights)))
