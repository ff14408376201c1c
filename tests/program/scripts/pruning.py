"""A small network taught by a larger one, then pruned by size of weight, with masks in variables, and counted."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(26)
x = tf.constant(rng.uniform(-1, 1, size=(200, 2)).astype(np.float32))
label = tf.cast((x[:, 0] * x[:, 1] > 0), tf.int32) + 2 * tf.cast(tf.norm(x, axis=1) > 0.8, tf.int32)


class Net(tf.Module):
    def __init__(self, width, name):
        super().__init__(name=name)
        with self.name_scope:
            self.w = tf.Variable(rng.normal(scale=1.0, size=(2, width)).astype("f"), name="w")
            self.b = tf.Variable(rng.uniform(-1, 1, size=(width,)).astype("f"), name="b")
            self.v = tf.Variable(rng.normal(scale=0.3, size=(width, 4)).astype("f"), name="v")
            self.mask = tf.Variable(tf.ones([width, 4]), trainable=False, name="mask")

    def __call__(self, x):
        return tf.nn.relu(x @ self.w + self.b) @ (self.v * self.mask)


def train(net, loss_fn, steps, rate=0.3):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_fn(net(x))
        for p, g in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
            p.assign_sub(rate * g)
    return loss


def cross_entropy(logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(label, logits))


def accuracy(net):
    return tf.reduce_mean(tf.cast(tf.argmax(net(x), 1, output_type=tf.int32) == label, tf.float32)).numpy()


teacher, student = Net(48, "teacher"), Net(16, "student")
print([v.name for v in teacher.variables])
print("teacher %.4f %.3f" % (train(teacher, cross_entropy, 120), accuracy(teacher)))
T = 2.0
soft = tf.nn.softmax(teacher(x) / T)


def distil(logits):
    kl = tf.reduce_sum(soft * (tf.math.log(soft + 1e-9) - tf.nn.log_softmax(logits / T)), axis=1)
    return T**2 * tf.reduce_mean(kl) + 0.1 * cross_entropy(logits)


print("student %.4f %.3f" % (train(student, distil, 120), accuracy(student)))
for share in (0.25, 0.5):
    sizes = tf.sort(tf.reshape(tf.abs(student.v), [-1]))
    threshold = sizes[int(share * sizes.shape[0])]
    student.mask.assign(tf.cast(tf.abs(student.v) >= threshold, tf.float32))
    loss = train(student, distil, 30)
    print(
        "pruned %.2f zeros %.3f loss %.4f right %.3f"
        % (share, tf.math.zero_fraction(student.mask), loss, accuracy(student))
    )
print("agree %.3f" % np.mean(np.argmax(student(x), 1) == np.argmax(teacher(x), 1)))
