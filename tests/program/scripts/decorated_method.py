"""A trainer class: a decorated method with a step counter, a running mean kept every third step, and a branch on it."""

import numpy as np
import tensorflow as tf


class Trainer:
    def __init__(self, dimension, rate=0.1, average_every=3):
        self.weights = tf.Variable(tf.zeros([dimension]), name="weights")
        self.averaged = tf.Variable(tf.zeros([dimension]), trainable=False, name="averaged")
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False, name="step")
        self.best = tf.Variable(np.inf, dtype=tf.float32, trainable=False)
        self.rate, self.average_every = rate, average_every

    def loss(self, x, y):
        logits = tf.linalg.matvec(x, self.weights)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, logits))

    @tf.function
    def train_step(self, x, y, penalty=None):
        with tf.GradientTape() as tape:
            loss = self.loss(x, y)
            if penalty is not None:
                loss += penalty * tf.nn.l2_loss(self.weights)
        gradient = tape.gradient(loss, self.weights)
        self.weights.assign_sub(self.rate * gradient)
        self.step.assign_add(1)
        if self.step % self.average_every == 0:
            count = tf.cast(self.step // self.average_every, tf.float32)
            self.averaged.assign_add((self.weights - self.averaged) / count)
            tf.print("averaged at step", self.step)
        elif loss < self.best:
            self.best.assign(loss)
        return {"loss": loss, "norm": tf.norm(gradient)}

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def predict(self, x):
        return tf.sigmoid(tf.linalg.matvec(x, self.averaged))


rng = np.random.default_rng(2)
true = np.array([1.0, -2.0, 0.5, 0.0], np.float32)
x = rng.normal(size=(64, 4)).astype(np.float32)
y = (x @ true > 0).astype(np.float32)
first, second = Trainer(4), Trainer(4, rate=1.0, average_every=4)
for _ in range(8):
    logs = first.train_step(x, y)
    other = second.train_step(x, y, penalty=0.01)
    print({k: round(float(v), 4) for k, v in sorted(logs.items())}, "other %.4f" % other["loss"].numpy())
print("steps", first.step.numpy(), second.step.numpy(), "best", first.best.numpy(), second.best.numpy())
print(first.averaged.numpy(), second.averaged.numpy())
print(second.predict(x[:3]).numpy(), second.predict(x[:5]).shape)
print(first.train_step.experimental_get_tracing_count(), second.train_step.experimental_get_tracing_count())
