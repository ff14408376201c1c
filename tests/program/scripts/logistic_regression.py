"""Softmax regression with one-hot labels, accuracy, a confusion matrix, precision and recall by hand."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(1)
CLASSES = 3
centers = np.array([[0, 2], [2, -1], [-2, -1]], np.float32)
labels_np = rng.integers(0, CLASSES, size=150)
features = (centers[labels_np] + rng.normal(size=(150, 2))).astype(np.float32)
labels = tf.constant(labels_np)
onehot = tf.one_hot(labels, CLASSES)
W = tf.Variable(tf.zeros((2, CLASSES)))
b = tf.Variable(tf.zeros((CLASSES,)))
print(labels.dtype, onehot.shape, onehot.dtype)

for epoch in range(30):
    order = rng.permutation(150)
    losses = []
    for i in range(0, 150, 50):
        idx = order[i : i + 50]
        xb, yb = tf.gather(features, idx), tf.gather(onehot, idx)
        with tf.GradientTape() as tape:
            logits = tf.matmul(xb, W) + b
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=yb, logits=logits))
        dW, db = tape.gradient(loss, [W, b])
        W.assign_sub(0.5 * dW)
        b.assign_sub(0.5 * db)
        losses.append(loss)
    if epoch % 10 == 9:
        predicted = tf.argmax(tf.nn.softmax(features @ W + b), axis=1)
        accuracy = tf.reduce_mean(tf.cast(tf.equal(predicted, labels), tf.float32))
        print("epoch {:d} loss {:.4f} accuracy {:.3f}".format(epoch, tf.add_n(losses) / len(losses), accuracy))

probabilities = tf.nn.softmax(tf.matmul(features, W) + b)
predicted = tf.argmax(probabilities, axis=-1, output_type=tf.int32)
confusion = tf.math.confusion_matrix(labels, predicted, num_classes=CLASSES)
print(confusion)
for c in range(CLASSES):
    said, was = tf.equal(predicted, c), tf.equal(labels, c)
    hits = tf.math.count_nonzero(tf.logical_and(said, was), dtype=tf.int32)
    precision = hits / tf.math.count_nonzero(said, dtype=tf.int32)
    recall = hits / tf.reduce_sum(tf.cast(was, tf.int32))
    print(c, precision.dtype.name, "%.3f %.3f" % (precision, recall))
top = tf.math.top_k(probabilities, k=2)
print(top.indices[:3].numpy(), top.values[:3])
sure = tf.boolean_mask(predicted, tf.reduce_max(probabilities, axis=1) > 0.99)
print("sure of", tf.size(sure).numpy(), tf.unique(sure).y.numpy().tolist())
print(W)
