"""Sharpness-aware steps, decoupled weight decay, gradients of each example, noise scale and curvature."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(25)
x = tf.constant(rng.normal(size=(40, 3)).astype(np.float32))
y = tf.constant((rng.uniform(size=40) < 1 / (1 + np.exp(-3 * x.numpy()[:, 0]))).astype(np.float32))
w = tf.Variable(tf.random.stateless_normal([3, 6], seed=[1, 2]) * 0.5, name="w")
v = tf.Variable(tf.ones([6, 1]) * 0.1, name="v")
params = (w, v)


def per_example(x, y):
    logits = tf.squeeze(tf.nn.softplus(x @ w) @ v, -1) - 0.5
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits)


def gradients():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(per_example(x, y))
    return loss, tape.gradient(loss, params)


for step in range(50):
    loss, g = gradients()
    norm = tf.linalg.global_norm(g)
    saved = [p.read_value() for p in params]
    for p, gi in zip(params, g):
        p.assign_add(0.05 * gi / (norm + 1e-12))
    sharp, g = gradients()
    for p, old, gi in zip(params, saved, g):
        p.assign(old * (1 - 0.3 * 0.01) - 0.3 * gi)
    if step % 10 == 0:
        print(step, "loss %.4f sharpness %.5f norm %.4f" % (loss, sharp - loss, norm))

with tf.GradientTape() as tape:
    each = per_example(x, y)
rows = [tf.reshape(j, [40, -1]) for j in tape.jacobian(each, list(params))]
rows = tf.concat(rows, axis=1)
mean = tf.reduce_mean(rows, axis=0)
variance = tf.math.reduce_variance(rows, axis=0)
print("noise scale %.3f" % (tf.reduce_sum(variance) / tf.reduce_sum(mean**2)))
fisher = tf.matmul(rows, rows, transpose_a=True) / 40.0
print("largest eigenvalues", tf.linalg.eigvalsh(fisher)[-3:].numpy().round(4))

u = [tf.ones_like(p) / np.sqrt(24.0) for p in params]
for _ in range(15):
    with tf.GradientTape() as outer:
        loss, g = gradients()
        dot = tf.add_n([tf.reduce_sum(a * b) for a, b in zip(g, u)])
    hu = outer.gradient(dot, params)
    curvature = tf.add_n([tf.reduce_sum(a * b) for a, b in zip(u, hu)])
    size = tf.linalg.global_norm(hu)
    u = [h / size for h in hu]
print("largest curvature %.4f" % curvature)
