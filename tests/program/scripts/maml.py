"""Learning to learn: one gradient step inside the loss, with the outer tape going through it."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(10)
w1 = tf.Variable(rng.normal(scale=1.0, size=(1, 16)).astype(np.float32))
b1 = tf.Variable(rng.uniform(-1, 1, size=(16,)).astype(np.float32))
w2 = tf.Variable(rng.normal(scale=0.25, size=(16, 1)).astype(np.float32))
inner_rate = tf.Variable(0.05)
meta = [w1, b1, w2, inner_rate]


def network(x, weights):
    w1, b1, w2 = weights
    return tf.matmul(tf.nn.softplus(tf.matmul(x, w1) + b1), w2)


def task():
    amplitude, phase = rng.uniform(0.5, 2.0), rng.uniform(0, np.pi)
    x = rng.uniform(-2, 2, size=(20, 1)).astype(np.float32)
    y = (amplitude * np.sin(x + phase)).astype(np.float32)
    return (x[:10], y[:10]), (x[10:], y[10:])


def adapt(weights, support):
    x, y = support
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = tf.reduce_mean((network(x, weights) - y) ** 2)
    return [w - inner_rate * g for w, g in zip(weights, tape.gradient(loss, weights))]


for step in range(25):
    before, after = [], []
    with tf.GradientTape() as tape:
        for support, query in [task() for _ in range(4)]:
            start = [tf.convert_to_tensor(w) for w in (w1, b1, w2)]
            adapted = adapt(start, support)
            before.append(tf.reduce_mean((network(query[0], start) - query[1]) ** 2))
            after.append(tf.reduce_mean((network(query[0], adapted) - query[1]) ** 2))
        meta_loss = tf.add_n(after) / len(after)
    for variable, g in zip(meta, tape.gradient(meta_loss, meta)):
        variable.assign_sub(0.01 * tf.clip_by_norm(g, 1.0))
    if step % 6 == 0:
        print(step, "before %.4f after %.4f rate %.4f" % (tf.reduce_mean(before), meta_loss, inner_rate))
