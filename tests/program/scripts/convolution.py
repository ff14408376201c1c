"""A small convolutional network with batch statistics kept in untrained variables; horizontal and vertical bars."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(15)


def bars(count):
    images = rng.normal(scale=0.3, size=(count, 8, 8, 1)).astype(np.float32)
    labels = rng.integers(0, 2, size=count)
    for image, label in zip(images, labels):
        where = rng.integers(1, 7)
        if label:
            image[where, :, 0] += 1.0
        else:
            image[:, where, 0] += 1.0
    return tf.constant(images), tf.constant(labels, dtype=tf.int32)


class BatchNorm(tf.Module):
    def __init__(self, channels, name=None):
        super().__init__(name=name)
        self.gamma, self.beta = tf.Variable(tf.ones(channels)), tf.Variable(tf.zeros(channels))
        self.mean = tf.Variable(tf.zeros(channels), trainable=False)
        self.variance = tf.Variable(tf.ones(channels), trainable=False)

    def __call__(self, x, training):
        if training:
            mean, variance = tf.nn.moments(x, axes=[0, 1, 2])
            self.mean.assign(0.9 * self.mean + 0.1 * mean)
            self.variance.assign(0.9 * self.variance + 0.1 * variance)
        else:
            mean, variance = self.mean, self.variance
        return tf.nn.batch_normalization(x, mean, variance, self.beta, self.gamma, 1e-3)


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.kernel1 = tf.Variable(rng.normal(scale=0.3, size=(3, 3, 1, 6)).astype("f"))
        self.kernel2 = tf.Variable(rng.normal(scale=0.15, size=(3, 3, 6, 8)).astype("f"))
        self.norm = BatchNorm(6)
        self.dense = tf.Variable(rng.normal(scale=0.2, size=(8, 2)).astype("f"))

    def __call__(self, x, training=False):
        x = tf.nn.conv2d(x, self.kernel1, strides=1, padding="SAME")
        x = tf.nn.relu(self.norm(x, training))
        x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")
        x = tf.nn.relu(tf.nn.conv2d(x, self.kernel2, strides=[1, 2, 2, 1], padding="SAME"))
        return tf.reduce_mean(x, axis=[1, 2]) @ self.dense


net = Net()
velocity = [tf.Variable(tf.zeros_like(v)) for v in net.trainable_variables]
print([v.shape.as_list() for v in net.trainable_variables], len(net.non_trainable_variables))
for step in range(40):
    images, labels = bars(32)
    with tf.GradientTape() as tape:
        logits = net(images, training=True)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    for v, m, g in zip(net.trainable_variables, velocity, tape.gradient(loss, net.trainable_variables)):
        m.assign(0.9 * m + g)
        v.assign_sub(0.05 * m)
    if step % 10 == 0:
        print(step, "loss %.4f" % loss.numpy())
images, labels = bars(64)
predicted = tf.argmax(net(images), axis=1, output_type=tf.int32)
print("right %.3f" % tf.reduce_mean(tf.cast(predicted == labels, tf.float32)))
print(net.norm.mean.numpy().round(3), net.norm.variance.numpy().round(3))
