"""The first epoch of a loop like Keras' `fit`: partial last batches, and an evaluation with another one."""

from __future__ import annotations

import numpy as np

from benchmarks.workloads.varying import variables

EXAMPLES, EVALUATED, BATCH, RATE = 1_000, 300, 64, 0.05


def first_epoch(tf):
    """Trains and evaluates a small convolutional net for one epoch by decorated steps; returns the two mean losses."""
    first, second, output = weights = variables(tf, (3, 3, 1, 16), (3, 3, 16, 32), (32, 10))

    def loss(images, labels):
        x = tf.nn.relu(tf.nn.conv2d(images, first, 2, "SAME"))
        x = tf.nn.relu(tf.nn.conv2d(x, second, 2, "SAME"))
        logits = tf.reduce_mean(x, [1, 2]) @ output
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    @tf.function(reduce_retracing=True)
    def train(images, labels):
        with tf.GradientTape() as tape:
            value = loss(images, labels)
        for variable, gradient in zip(weights, tape.gradient(value, weights)):
            variable.assign_sub(RATE * gradient)
        return value

    evaluate = tf.function(loss, reduce_retracing=True)
    return [_mean(train, drawn(tf, EXAMPLES)), _mean(evaluate, drawn(tf, EVALUATED))]


def drawn(tf, number):
    """Seeded images and labels, in a dataset of batches."""
    rng = np.random.default_rng(number)
    images = rng.normal(size=(number, 28, 28, 1)).astype(np.float32)
    labels = rng.integers(0, 10, number).astype(np.int32)
    return tf.data.Dataset.from_tensor_slices((images, labels)).batch(BATCH)


def _mean(step, batches):
    return float(np.mean([float(step(*batch).numpy()) for batch in batches]))
