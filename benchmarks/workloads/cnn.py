"""A small convolutional net: two 3x3 convolutions with max pooling, a dense layer, softmax cross-entropy."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop

BATCH, SIDE, CHANNELS, CLASSES = 16, 32, 32, 10
RATE = 0.01


def initial_values():
    rng = np.random.default_rng(0)
    shapes = [(3, 3, 3, CHANNELS), (3, 3, CHANNELS, CHANNELS), (SIDE * SIDE // 16 * CHANNELS, CLASSES)]
    kernels = [(rng.normal(size=s) * np.sqrt(2.0 / np.prod(s[:-1]))).astype(np.float32) for s in shapes]
    biases = [np.zeros(s[-1], np.float32) for s in shapes]
    images = rng.normal(size=(BATCH, SIDE, SIDE, 3)).astype(np.float32)
    return [*kernels, *biases], images, rng.integers(CLASSES, size=BATCH).astype(np.int32)


def build(tf):
    weights, images, labels = initial_values()
    weights = [tf.Variable(w) for w in weights]
    images, labels = tf.constant(images), tf.constant(labels)

    def logits(x):
        first, second, dense, *biases = weights
        for kernel, bias in ((first, biases[0]), (second, biases[1])):
            x = tf.nn.relu(tf.nn.conv2d(x, kernel, strides=1, padding="SAME") + bias)
            x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")
        return tf.matmul(tf.reshape(x, [BATCH, -1]), dense) + biases[2]

    def step(images, labels):
        with tf.GradientTape() as tape:
            entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits(images))
            loss = tf.reduce_mean(entropy)
        for w, g in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(RATE * g)
        return loss

    return TensorLoop(step, lambda _: (images, labels), weights)


def build_jax(jax):
    jnp, lax = jax.numpy, jax.lax
    weights, images, labels = jax.tree.map(jnp.asarray, initial_values())

    def cross_entropy(weights, x, labels):
        first, second, dense, *biases = weights
        for kernel, bias in ((first, biases[0]), (second, biases[1])):
            x = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.nn.relu(x + bias)
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        logits = x.reshape(BATCH, -1) @ dense + biases[2]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))

    @partial(jax.jit, donate_argnums=0)
    def step(weights, images, labels):
        loss, gradients = jax.value_and_grad(cross_entropy)(weights, images, labels)
        return [w - RATE * g for w, g in zip(weights, gradients)], loss

    return ArrayLoop(step, lambda _: (images, labels), weights)
