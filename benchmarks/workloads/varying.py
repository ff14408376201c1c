"""Training loops whose shapes change at every step, with signatures that leave these dimensions open.

A function's parameters are the module `tensorflow` or `tfcompat`, and the greatest size where sizes are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.loop import TensorLoop

RATE = 0.05


class VaryingLoop(NamedTuple):
    """A loop, with the shape and the dtype of each argument of its step: None stands for an open dimension."""

    loop: TensorLoop
    signature: Sequence[tuple[tuple[int | None, ...], str]]


def attention(tf, longest=200):
    """Two attention blocks on batches of 16 sentences."""
    table, *weights, output = variables(tf, (1000, 64), *[(64, 64)] * 8, (64, 2))

    def loss(ids, labels):
        x = tf.nn.embedding_lookup(table, ids)
        for i in (0, 4):
            x = normalised(tf, x + attended(tf, x, x, *weights[i : i + 4]))
        logits = tf.reduce_mean(x, 1) @ output
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def batch(index):
        rng = np.random.default_rng(index)
        return tokens(rng, 16, rng.integers(5, longest)), rng.integers(0, 2, 16)

    return trained(tf, loss, batch, [table, *weights, output], ((16, None), "int32"), ((16,), "int32"))


def lstm(tf, longest=20):
    """An LSTM with the state of a `tf.while_loop` over the length."""
    inward, recurrent, bias, output = weights = variables(tf, (16, 128), (32, 128), (128,), (32, 1))

    def loss(x, y):
        def advance(time, hidden, cell):
            gates = x[:, time] @ inward + hidden @ recurrent + bias
            enter, keep, leave, new = tf.split(gates, 4, axis=1)
            cell = tf.sigmoid(keep) * cell + tf.sigmoid(enter) * tf.tanh(new)
            return time + 1, tf.sigmoid(leave) * tf.tanh(cell), cell

        length = tf.shape(x)[1]
        start = tf.zeros([16, 32])
        _, hidden, _ = tf.while_loop(lambda time, *_: time < length, advance, (0, start, start))
        return tf.reduce_mean(tf.square(hidden @ output - y))

    def batch(index):
        rng = np.random.default_rng(index)
        x = rng.normal(size=(16, rng.integers(5, longest), 16))
        return x, x[:, -3:].mean((1, 2))[:, None]

    return trained(tf, loss, batch, weights, ((16, None, 16), "float32"), ((16, 1), "float32"))


def convolutions(tf, largest=48):
    """A convolutional net with SAME padding, for images of any size in batches of any size."""
    first, second, third, output = weights = variables(tf, (3, 3, 3, 16), (3, 3, 16, 32), (3, 3, 32, 32), (32, 10))

    def loss(images, labels):
        x = tf.nn.relu(tf.nn.conv2d(images, first, 1, "SAME"))
        x = tf.nn.relu(tf.nn.conv2d(x, second, 2, "SAME"))
        x = tf.nn.relu(tf.nn.conv2d(x, third, 2, "SAME"))
        logits = tf.reduce_mean(x, [1, 2]) @ output
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def batch(index):
        rng = np.random.default_rng(index)
        rows, height, width = rng.integers(4, 17), *rng.integers(largest // 3, largest + 1, 2)
        return rng.normal(size=(rows, height, width, 3)), rng.integers(0, 10, rows)

    return trained(tf, loss, batch, weights, ((None, None, None, 3), "float32"), ((None,), "int32"))


def policy_gradient(tf, longest=500):
    """The policy gradient of one episode, whose discounted returns are computed with NumPy."""
    hidden, bias, output = weights = variables(tf, (4, 64), (64,), (64, 2))

    def loss(observations, actions, returns):
        logits = tf.tanh(observations @ hidden + bias) @ output
        advantages = (returns - tf.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(actions, logits)
        probabilities = tf.nn.softmax(logits)
        entropy = -tf.reduce_sum(probabilities * tf.math.log(probabilities + 1e-8), -1)
        return tf.reduce_mean(losses * advantages) - 0.01 * tf.reduce_mean(entropy)

    def batch(index):
        rng = np.random.default_rng(index)
        steps = rng.integers(8, longest)
        returns = np.cumsum(0.99 ** np.arange(steps))[::-1]
        return rng.normal(size=(steps, 4)), rng.integers(0, 2, steps), returns

    shapes = ((None, 4), "float32"), ((None,), "int32"), ((None,), "float32")
    return trained(tf, loss, batch, weights, *shapes)


def translation(tf, longest=40):
    """An encoder and a decoder with attention and teacher forcing; batches are padded to their longest sentences."""
    shapes = (500, 32), (500, 32), *[(32, 32)] * 12, (32, 500)
    source_table, target_table, *blocks, output = weights = variables(tf, *shapes)

    def loss(source, target):
        source_mask = tf.cast(source == 0, tf.float32)[:, None, :] * -1e9
        x = tf.nn.embedding_lookup(source_table, source)
        x = normalised(tf, x + attended(tf, x, x, *blocks[:4], source_mask))
        given, wanted = target[:, :-1], target[:, 1:]
        length = tf.shape(given)[1]
        later = (1.0 - tf.linalg.band_part(tf.ones([length, length]), -1, 0)) * -1e9
        y = tf.nn.embedding_lookup(target_table, given)
        y = normalised(tf, y + attended(tf, y, y, *blocks[4:8], later))
        y = normalised(tf, y + attended(tf, y, x, *blocks[8:], source_mask))
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, y @ output)
        mask = tf.cast(wanted != 0, tf.float32)
        return tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)

    def batch(index):
        rng = np.random.default_rng(index)
        return [padded(rng, tokens(rng, 16, rng.integers(5, longest), 500)) for _ in range(2)]

    return trained(tf, loss, batch, weights, ((16, None), "int32"), ((16, None), "int32"))


def variables(tf, *shapes):
    """A variable of each shape; seeded."""
    rng = np.random.default_rng(0)
    return [tf.Variable(rng.normal(0, 0.1, shape).astype(np.float32)) for shape in shapes]


def attended(tf, x, memory, query, key, value, output, mask=0.0):
    """The attention of `x` to `memory`, through a layer."""
    scores = tf.matmul(x @ query, memory @ key, transpose_b=True) / 8.0 + mask
    return tf.nn.relu((tf.nn.softmax(scores) @ (memory @ value)) @ output)


def normalised(tf, x):
    """The layer norm of `x` without scale."""
    variance = tf.math.reduce_variance(x, -1, keepdims=True)
    return (x - tf.reduce_mean(x, -1, keepdims=True)) * tf.math.rsqrt(variance + 1e-5)


def tokens(rng, rows, length, words=1000):
    """Sentences of ids that are not 0."""
    return rng.integers(1, words, (rows, length))


def padded(rng, ids):
    """`ids` with zeros behind the end of each sentence; the first one keeps its length."""
    lengths = rng.integers(2, ids.shape[1] + 1, len(ids))
    lengths[0] = ids.shape[1]
    return np.where(np.arange(ids.shape[1]) < lengths[:, None], ids, 0)


def trained(tf, loss, batch, weights, *signature):
    """The loop that descends along the gradient of `loss`."""

    def step(*arrays):
        with tf.GradientTape() as tape:
            value = loss(*arrays)
        for variable, gradient in zip(weights, tape.gradient(value, weights)):
            if isinstance(gradient, tf.IndexedSlices):
                variable.scatter_sub(tf.IndexedSlices(RATE * gradient.values, gradient.indices))
            else:
                variable.assign_sub(RATE * gradient)
        return value

    def converted(index):
        pairs = zip(batch(index), signature, strict=True)
        return tuple([tf.constant(array.astype(dtype)) for array, (_, dtype) in pairs])

    return VaryingLoop(TensorLoop(step, converted, weights), signature)
