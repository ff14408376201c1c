"""Skip-gram with negative samples: gradients of tables are rows, applied by scatter_sub and assign_sub."""

import numpy as np
import tensorflow as tf

text = "the cat sat on the mat the dog sat on the log the cat saw the dog and the dog saw the cat".split()
vocabulary = sorted(set(text))
ids = {word: i for i, word in enumerate(vocabulary)}
rng = np.random.default_rng(0)
pairs = [(ids[text[i]], ids[text[j]]) for i in range(len(text)) for j in (i - 1, i + 1) if 0 <= j < len(text)]
centers, contexts = (np.array(side, np.int32) for side in zip(*pairs))
DIM = 6
inside = tf.Variable(rng.uniform(-0.5, 0.5, (len(vocabulary), DIM)).astype("f"), name="inside")
outside = tf.Variable(rng.uniform(-0.5, 0.5, (len(vocabulary), DIM)).astype("f"), name="outside")
counts = tf.Variable(tf.zeros([len(vocabulary)], tf.int64), trainable=False)


def batch_loss(c, o, n):
    v = tf.nn.embedding_lookup(inside, c)
    positive = tf.reduce_sum(v * tf.gather(outside, o), axis=1)
    negative = tf.einsum("bd,bkd->bk", v, tf.nn.embedding_lookup(outside, n))
    up = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(positive), logits=positive)
    down = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.zeros_like(negative), logits=negative)
    return tf.reduce_mean(up) + tf.reduce_mean(tf.reduce_sum(down, axis=1))


for epoch in range(12):
    total = 0.0
    for start in range(0, len(pairs), 12):
        c, o = centers[start : start + 12], contexts[start : start + 12]
        n = rng.integers(0, len(vocabulary), size=(len(c), 3))
        with tf.GradientTape() as tape:
            loss = batch_loss(c, o, n)
        g_in, g_out = tape.gradient(loss, [inside, outside])
        inside.scatter_sub(tf.IndexedSlices(0.5 * g_in.values, g_in.indices))
        outside.assign_sub(0.5 * tf.convert_to_tensor(g_out))
        counts.scatter_add(tf.IndexedSlices(tf.ones(len(c), tf.int64), c))
        total += loss.numpy() * len(c)
    if epoch % 4 == 3:
        print("epoch", epoch, "loss %.4f" % (total / len(pairs)))
print(type(g_in).__name__, g_in.values.shape, g_in.indices.dtype.name, g_in.dense_shape.numpy())
print(type(g_out).__name__, g_out.values.shape, g_out.indices.dtype.name)
print(dict(zip(vocabulary, counts.numpy().tolist())))
unit = tf.nn.l2_normalize(inside, axis=1)
similar = tf.matmul(unit, unit, transpose_b=True)
similar = tf.linalg.set_diag(similar, tf.fill([len(vocabulary)], -1.0))
for word in ("cat", "sat"):
    best = tf.argsort(similar[ids[word]], direction="DESCENDING")[:2]
    print(word, [(vocabulary[i], round(float(similar[ids[word], i]), 2)) for i in best])

# Adagrad by rows: only the rows of the lookup change.
table = tf.Variable(tf.ones([5, 2]))
cache = tf.Variable(tf.zeros([5, 2]), trainable=False)
for step in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [1, 3, 1]) ** 2)
    g = tape.gradient(loss, table)
    rows, where = tf.unique(g.indices)
    summed = tf.math.unsorted_segment_sum(g.values, where, tf.size(rows))
    cache.scatter_add(tf.IndexedSlices(summed**2, rows))
    table.scatter_sub(tf.IndexedSlices(0.1 * summed / tf.sqrt(tf.gather(cache, rows)), rows))
print(table.numpy())
