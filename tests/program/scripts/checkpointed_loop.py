"""A loop that logs and checkpoints, is stopped, and continues from its last checkpoint as if it had not been."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
rng = np.random.RandomState(0)
inputs = rng.normal(size=(64, 8)).astype(np.float32)
targets = np.sin(inputs.sum(axis=1, keepdims=True)).astype(np.float32)


class Network(tf.Module):
    def __init__(self):
        super().__init__()
        start = np.random.RandomState(1)
        self.hidden = tf.Variable(start.normal(size=(8, 16), scale=0.3).astype(np.float32))
        self.out = tf.Variable(start.normal(size=(16, 1), scale=0.3).astype(np.float32))
        self.bias = tf.Variable(tf.zeros([16]))

    def __call__(self, x):
        return tf.tanh(x @ self.hidden + self.bias) @ self.out


class Trainer:
    def __init__(self):
        self.network = Network()
        self.velocity = [tf.Variable(tf.zeros_like(v)) for v in self.network.trainable_variables]
        self.step = tf.Variable(0, dtype=tf.int64)
        self.checkpoint = tf.train.Checkpoint(network=self.network, velocity=self.velocity, step=self.step)
        self.manager = tf.train.CheckpointManager(
            self.checkpoint, os.path.join(folder, "checkpoints"), max_to_keep=2, step_counter=self.step
        )
        self.writer = tf.summary.create_file_writer(os.path.join(folder, "logs"))

    def train(self, stop):
        self.checkpoint.restore(self.manager.latest_checkpoint)
        while self.step < stop:
            start = int(self.step) * 16 % 64
            with tf.GradientTape() as tape:
                error = self.network(inputs[start : start + 16]) - targets[start : start + 16]
                loss = tf.reduce_mean(tf.square(error))
            variables = self.network.trainable_variables
            for v, m, g in zip(variables, self.velocity, tape.gradient(loss, variables)):
                m.assign(0.9 * m + g)
                v.assign_sub(0.02 * m)
            with self.writer.as_default(step=self.step):
                tf.summary.scalar("loss", loss)
                tf.summary.histogram("hidden", self.network.hidden)
            self.step.assign_add(1)
            print(int(self.step), f"{float(loss):.4f}")
            if int(self.step) % 5 == 0:
                print("saved", os.path.basename(self.manager.save(checkpoint_number=self.step)))
        self.writer.close()


Trainer().train(12)
print("again")
Trainer().train(20)
print(sorted(os.listdir(os.path.join(folder, "checkpoints"))))
events = [
    (event.step, value.tag)
    for name in sorted(os.listdir(os.path.join(folder, "logs")))
    for event in tf.compat.v1.train.summary_iterator(os.path.join(folder, "logs", name))
    for value in event.summary.value
]
print(len(events), events[:2], events[-1])
