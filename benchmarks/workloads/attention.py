"""Two blocks of a transformer: self-attention and a two-layer perceptron, with layer normalisation written out."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop

BLOCKS, BATCH, LENGTH, WIDTH, HEADS = 2, 8, 64, 128, 4
RATE = 0.01


def initial_values():
    rng = np.random.default_rng(0)

    def kernel(a, b):
        return (rng.normal(size=(a, b)) / np.sqrt(a)).astype(np.float32)

    def block():
        ones, zeros = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)
        attention = [ones, zeros, kernel(WIDTH, 3 * WIDTH), kernel(WIDTH, WIDTH)]
        perceptron = [kernel(WIDTH, 4 * WIDTH), np.zeros(4 * WIDTH, np.float32), kernel(4 * WIDTH, WIDTH), zeros]
        return [*attention, ones, zeros, *perceptron]

    x, y = rng.normal(size=(2, BATCH, LENGTH, WIDTH)).astype(np.float32)
    return [block() for _ in range(BLOCKS)], x, y


def build(tf):
    blocks, x, y = initial_values()
    blocks = [[tf.Variable(w) for w in block] for block in blocks]
    x, y = tf.constant(x), tf.constant(y)
    weights = [w for block in blocks for w in block]

    def normalise(x, scale, shift):
        centred = x - tf.reduce_mean(x, axis=-1, keepdims=True)
        variance = tf.reduce_mean(tf.square(centred), axis=-1, keepdims=True)
        return centred * tf.math.rsqrt(variance + 1e-5) * scale + shift

    def attend(x, inward, outward):
        parts = tf.reshape(tf.matmul(x, inward), [BATCH, LENGTH, 3, HEADS, WIDTH // HEADS])
        query, key, value = tf.unstack(tf.transpose(parts, [2, 0, 3, 1, 4]))
        scores = tf.matmul(query, key, transpose_b=True) * (WIDTH // HEADS) ** -0.5
        mixed = tf.transpose(tf.matmul(tf.nn.softmax(scores), value), [0, 2, 1, 3])
        return tf.matmul(tf.reshape(mixed, [BATCH, LENGTH, WIDTH]), outward)

    def transform(x, block):
        scale, shift, inward, outward, scale2, shift2, wide, wide_bias, narrow, narrow_bias = block
        x = x + attend(normalise(x, scale, shift), inward, outward)
        hidden = tf.nn.relu(tf.matmul(normalise(x, scale2, shift2), wide) + wide_bias)
        return x + tf.matmul(hidden, narrow) + narrow_bias

    def step(x, y):
        with tf.GradientTape() as tape:
            hidden = x
            for block in blocks:
                hidden = transform(hidden, block)
            loss = tf.reduce_mean(tf.square(hidden - y))
        for w, g in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(RATE * g)
        return loss

    return TensorLoop(step, lambda _: (x, y), weights)


def build_jax(jax):
    jnp = jax.numpy
    blocks, x, y = jax.tree.map(jnp.asarray, initial_values())

    def normalise(x, scale, shift):
        centred = x - jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.mean(jnp.square(centred), axis=-1, keepdims=True)
        return centred * jax.lax.rsqrt(variance + 1e-5) * scale + shift

    def attend(x, inward, outward):
        parts = (x @ inward).reshape(BATCH, LENGTH, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(-1, -2) * (WIDTH // HEADS) ** -0.5
        mixed = (jax.nn.softmax(scores) @ value).transpose(0, 2, 1, 3)
        return mixed.reshape(BATCH, LENGTH, WIDTH) @ outward

    def transform(x, block):
        scale, shift, inward, outward, scale2, shift2, wide, wide_bias, narrow, narrow_bias = block
        x = x + attend(normalise(x, scale, shift), inward, outward)
        hidden = jax.nn.relu(normalise(x, scale2, shift2) @ wide + wide_bias)
        return x + hidden @ narrow + narrow_bias

    def mean_squared_error(blocks, x, y):
        for block in blocks:
            x = transform(x, block)
        return jnp.mean(jnp.square(x - y))

    @partial(jax.jit, donate_argnums=0)
    def step(blocks, x, y):
        loss, gradients = jax.value_and_grad(mean_squared_error)(blocks, x, y)
        return jax.tree.map(lambda w, g: w - RATE * g, blocks, gradients), loss

    return ArrayLoop(step, lambda _: (x, y), blocks)
