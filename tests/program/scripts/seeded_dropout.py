"""One seed decides everything: first weights, shuffled batches, noise and dropout; the curve is that of TensorFlow."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(42)
grid = np.stack(np.meshgrid(np.linspace(-1, 1, 16), np.linspace(-1, 1, 16)), -1).reshape(-1, 2).astype(np.float32)
inside = (np.sum(grid**2, axis=1) < 0.5).astype(np.float32)
w1 = tf.Variable(tf.random.normal([2, 24], stddev=1.0))
b1 = tf.Variable(tf.random.uniform([24], -1.0, 1.0))
w2 = tf.Variable(tf.random.truncated_normal([24, 1], stddev=0.3, seed=7))
print(w1[0, :3].numpy(), b1[:3].numpy(), w2[:3, 0].numpy())
weights = [w1, b1, w2]


def forward(x, rate):
    h = tf.nn.relu(x @ w1 + b1)
    h = tf.nn.dropout(h, rate=rate)
    return tf.squeeze(h @ w2, axis=1)


for epoch in range(8):
    order = tf.random.shuffle(tf.range(256))
    total = 0.0
    for rows in tf.split(order, 8):
        x = tf.gather(grid, rows) + tf.random.normal([32, 2], stddev=0.02)
        y = tf.gather(inside, rows)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=forward(x, 0.2)))
        for w, g in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(0.5 * g)
        total += float(loss)
    if epoch % 2:
        right = tf.reduce_mean(tf.cast((forward(grid, 0.0) > 0.0) == (inside > 0.5), tf.float32))
        print("epoch", epoch, "loss %.4f right %.3f" % (total / 8, right))
generator = tf.random.Generator.from_seed(3)
print(generator.normal([2]).numpy(), generator.uniform([2], maxval=10, dtype=tf.int32).numpy())
print(tf.random.stateless_uniform([3], seed=[1, 2]).numpy())
print(tf.random.categorical(tf.math.log([[0.1, 0.2, 0.7]]), 8, seed=1).numpy())
