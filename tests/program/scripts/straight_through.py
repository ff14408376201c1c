"""A network with binary weights: custom gradients that pass through the rounding, one with variables, and clipping."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(6)


@tf.custom_gradient
def binarize(w):
    def grad(upstream):
        return tf.where(tf.abs(w) <= 1.0, upstream, tf.zeros_like(upstream))

    return tf.where(w >= 0, tf.ones_like(w), -tf.ones_like(w)), grad


@tf.custom_gradient
def limited(x):
    """The identity, whose gradient is bounded."""
    return tf.identity(x), lambda g: tf.clip_by_norm(g, 0.05)


scale = tf.Variable(1.0, name="scale")


@tf.custom_gradient
def scaled(x):
    def grad(upstream, variables=None):
        return upstream * scale, [tf.reduce_sum(upstream * x) for _ in variables]

    return x * scale, grad


def quantize(x, levels=4.0):
    return x + tf.stop_gradient(tf.round(x * levels) / levels - x)


x = tf.constant(np.sign(rng.normal(size=(80, 6))).astype(np.float32))
y = tf.constant((x.numpy()[:, :3].sum(1) > 0).astype(np.float32))
w = tf.Variable(rng.uniform(-0.5, 0.5, size=(6, 5)).astype(np.float32))
v = tf.Variable(rng.uniform(-0.5, 0.5, size=(5, 1)).astype(np.float32))
for step in range(60):
    with tf.GradientTape() as tape:
        h = tf.nn.tanh(tf.matmul(x, binarize(w)) / 3.0)
        logits = tf.squeeze(scaled(tf.matmul(quantize(h), limited(v))), axis=1)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, logits))
    grads = tape.gradient(loss, [w, v, scale])
    for var, g in zip((w, v, scale), grads):
        var.assign_sub(1.0 * g)
    w.assign(tf.clip_by_value(w, -1.0, 1.0))
    if step % 15 == 0:
        print(step, "loss %.4f |dv| %.4f scale %.4f" % (loss, tf.norm(grads[1]), scale))
print("weights used", sorted(set(binarize(w).numpy().ravel().tolist())))
wrong = tf.reduce_sum(tf.cast(tf.not_equal(tf.cast(logits > 0, tf.float32), y), tf.int32))
print("wrong:", wrong.numpy())
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        out = tf.reduce_sum(scaled(scaled(w)))
    first = inner.gradient(out, w)
print("second order", outer.gradient(first, scale).numpy(), first[0, 0].numpy())
