"""Messages along the edges of a graph, added up at its nodes; a few labelled nodes teach the rest."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(23)
NODES = 30
group = np.arange(NODES) // 10
chance = np.where(group[:, None] == group[None], 0.5, 0.03)
source, target = np.nonzero(np.triu(rng.uniform(size=(NODES, NODES)) < chance, 1))
source, target = np.concatenate([source, target]), np.concatenate([target, source])
features = tf.one_hot(tf.range(NODES), NODES)
labelled = tf.constant([0, 1, 10, 11, 20, 21])
is_labelled = tf.scatter_nd(labelled[:, None], tf.ones_like(labelled), [NODES]) > 0
degree = tf.math.unsorted_segment_sum(tf.ones(len(target)), target, NODES)
print(len(source), int(tf.reduce_max(degree)), is_labelled.shape, int(tf.math.count_nonzero(is_labelled)))


def propagate(h):
    messages = tf.gather(h, source)
    return tf.math.unsorted_segment_mean(messages, target, num_segments=NODES) + h


w1 = tf.Variable(rng.normal(scale=0.3, size=(NODES, 8)).astype(np.float32))
w2 = tf.Variable(rng.normal(scale=0.3, size=(8, 3)).astype(np.float32))


def forward():
    return propagate(tf.nn.relu(propagate(features @ w1)) @ w2)


for step in range(60):
    with tf.GradientTape() as tape:
        logits = forward()
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=group, logits=logits)
        loss = tf.reduce_sum(tf.where(is_labelled, loss, 0.0)) / tf.reduce_sum(tf.cast(is_labelled, tf.float32))
        loss += 1e-3 * (tf.nn.l2_loss(w1) + tf.nn.l2_loss(w2))
    g1, g2 = tape.gradient(loss, (w1, w2))
    w1.assign_sub(1.0 * g1)
    w2.assign_sub(1.0 * g2)
    if step % 15 == 0:
        print(step, "%.4f" % loss.numpy())
guess = tf.argmax(forward(), axis=1)
hidden = tf.logical_not(is_labelled)
right = tf.boolean_mask(tf.equal(guess, group), hidden)
print("right %d of %d" % (tf.reduce_sum(tf.cast(right, tf.int32)), tf.size(right)))
best = tf.math.segment_max(tf.reduce_max(tf.nn.softmax(forward()), axis=1), tf.constant(group))
print(best.numpy().round(3))
