"""A GRU cell unrolled in Python over sequences of several lengths, with masks; it learns to add marked numbers."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
UNITS = 8


class GRUCell(tf.Module):
    def __init__(self, inputs, units):
        super().__init__()
        scale = 1.0 / np.sqrt(units)
        self.wx = tf.Variable(rng.uniform(-scale, scale, (inputs, 3 * units)).astype(np.float32))
        self.wh = tf.Variable(rng.uniform(-scale, scale, (units, 3 * units)).astype(np.float32))
        self.b = tf.Variable(tf.zeros([3 * units]))
        self.units = units

    def __call__(self, x, h):
        xr, xz, xn = tf.split(x @ self.wx + self.b, 3, axis=-1)
        hr, hz, hn = tf.split(h @ self.wh, num_or_size_splits=3, axis=-1)
        r, z = tf.sigmoid(xr + hr), tf.sigmoid(xz + hz)
        n = tf.tanh(xn + r * hn)
        return (1 - z) * n + z * h


def batch(size, steps):
    values = rng.uniform(size=(size, steps)).astype(np.float32)
    marks = np.zeros((size, steps), np.float32)
    lengths = rng.integers(2, steps + 1, size=size)
    for row, length in enumerate(lengths):
        marks[row, rng.choice(length, 2, replace=False)] = 1
    return np.stack([values, marks], -1), lengths, (values * marks).sum(1)


cell = GRUCell(2, UNITS)
out = tf.Variable(rng.normal(scale=0.3, size=(UNITS, 1)).astype(np.float32))
bias = tf.Variable([0.0])
weights = [*cell.trainable_variables, out, bias]
m = [tf.Variable(tf.zeros(w.shape)) for w in weights]
s = [tf.Variable(tf.zeros(w.shape)) for w in weights]
for step in range(1, 61):
    rate = 0.02 * 0.5 ** (step // 30)
    steps = [3, 4][step % 2]
    x, lengths, target = batch(32, steps)
    mask = tf.sequence_mask(lengths, maxlen=steps)
    with tf.GradientTape() as tape:
        h = tf.zeros([32, UNITS])
        states = []
        for t, x_t in enumerate(tf.unstack(tf.constant(x), axis=1)):
            h = tf.where(mask[:, t, tf.newaxis], cell(x_t, h), h)
            states.append(h)
        history = tf.stack(states, axis=1)
        prediction = tf.reshape(history[:, -1] @ out + bias, [-1])
        loss = tf.reduce_mean(tf.square(prediction - target))
        loss += 1e-3 * tf.reduce_mean(tf.square(history[:, 1:] - history[:, :-1]))
    gradients = tape.gradient(loss, weights)
    for w, mi, si, g in zip(weights, m, s, gradients):
        g = tf.clip_by_value(g, -1.0, 1.0)
        mi.assign(0.9 * mi + 0.1 * g)
        si.assign(0.99 * si + 0.01 * g**2)
        w.assign_sub(rate * (mi / (1 - 0.9**step)) / (tf.sqrt(si / (1 - 0.99**step)) + 1e-8))
    if step % 20 == 0:
        print("step", step, "loss %.4f rate %.4f" % (loss.numpy(), rate), history.shape)
