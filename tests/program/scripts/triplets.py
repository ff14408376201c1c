"""A metric learned from the hardest triplets of each batch: a table of distances, masked extrema, a ranking measure."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(24)
CLASSES, EACH = 5, 6
centers = rng.normal(size=(CLASSES, 10))
x = np.repeat(centers, EACH, axis=0) + 0.8 * rng.normal(size=(CLASSES * EACH, 10))
x = tf.constant(x.astype(np.float32))
label = tf.repeat(tf.range(CLASSES), EACH)
same = tf.equal(label[:, tf.newaxis], label[tf.newaxis, :])
other = tf.logical_not(same)
same = tf.logical_and(same, tf.logical_not(tf.eye(CLASSES * EACH, dtype=tf.bool)))
w = tf.Variable(rng.normal(scale=0.3, size=(10, 4)).astype(np.float32))


def distances(z):
    squares = tf.reduce_sum(tf.square(z), axis=1)
    gram = tf.matmul(z, z, transpose_b=True)
    squared = tf.maximum(squares[:, None] - 2.0 * gram + squares[None, :], 0.0)
    is_zero = tf.cast(squared <= 0.0, tf.float32)
    return tf.sqrt(squared + is_zero * 1e-12) * (1.0 - is_zero)


def average_precision(d):
    order = tf.argsort(tf.where(tf.eye(len(d), dtype=tf.bool), np.inf, d), axis=1)
    hits = tf.cast(tf.gather(same, order, batch_dims=1), tf.float32)
    precision = tf.cumsum(hits, axis=1) / tf.range(1.0, len(d) + 1.0)
    return tf.reduce_mean(tf.reduce_sum(precision * hits, 1) / tf.reduce_sum(hits, 1))


for step in range(41):
    with tf.GradientTape() as tape:
        d = distances(tf.math.l2_normalize(x @ w, axis=-1))
        farthest = tf.reduce_max(tf.where(same, d, tf.zeros_like(d)), axis=1)
        nearest = tf.reduce_min(tf.where(other, d, tf.fill(tf.shape(d), np.inf)), axis=1)
        loss = tf.reduce_mean(tf.nn.relu(farthest - nearest + 0.3))
    w.assign_sub(0.5 * tape.gradient(loss, w))
    if step % 10 == 0:
        active = tf.reduce_mean(tf.cast(farthest - nearest + 0.3 > 0, tf.float32))
        print(step, "loss %.4f active %.2f precision %.4f" % (loss, active, average_precision(d)))
values, places = tf.nn.top_k(-d + 10.0 * tf.cast(other, tf.float32) * -1.0, k=2)
print(values[0].numpy().round(3), tf.gather(label, places[:, 1])[:5].numpy())
print(tf.linalg.svd(w, compute_uv=False).numpy().round(3))
