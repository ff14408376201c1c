"""A training loop that writes losses, histograms and images for TensorBoard, with a writer each for training and tests.

`tensorboard --logdir FOLDER` shows the folder in LOGS, if that environment variable is set.
"""

import os
import tempfile

import tensorflow as tf

tf.random.set_seed(1)
logs = os.environ.get("LOGS") or tempfile.mkdtemp()
writers = {name: tf.summary.create_file_writer(f"{logs}/{name}") for name in ("train", "test")}
inputs = tf.random.normal([120, 4])
labels = tf.cast(tf.argmax(inputs[:, :3], axis=1), tf.int32)
kernel, bias = tf.Variable(tf.random.normal([4, 3])), tf.Variable(tf.zeros([3]))


def loss_of(x, y):
    logits = x @ kernel + bias
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)), logits


step = tf.Variable(0, dtype=tf.int64)
for epoch in range(5):
    for start in range(0, 100, 20):
        with tf.GradientTape() as tape:
            loss, _ = loss_of(inputs[start : start + 20], labels[start : start + 20])
        for variable, gradient in zip((kernel, bias), tape.gradient(loss, (kernel, bias))):
            variable.assign_sub(0.5 * gradient)
        step.assign_add(1)
        with writers["train"].as_default(step=step):
            tf.summary.scalar("loss", loss)
    with writers["test"].as_default(step=step):
        loss, logits = loss_of(inputs[100:], labels[100:])
        confusion = tf.math.confusion_matrix(labels[100:], tf.argmax(logits, axis=1), 3, dtype=tf.float32)
        tf.summary.scalar("loss", loss)
        tf.summary.histogram("kernel", kernel)
        tf.summary.image("confusion", tf.reshape(confusion / tf.reduce_max(confusion), [1, 3, 3, 1]))
        print(f"epoch {epoch}: test loss {loss.numpy():.3f}")

for name, writer in writers.items():
    writer.close()
    [path] = tf.io.gfile.glob(f"{logs}/{name}/*")
    print(name, sum(1 for _ in tf.compat.v1.train.summary_iterator(path)), "events")
