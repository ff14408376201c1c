"""A decorated loop whose checkpoint holds a generator and the position in a shuffled dataset."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
numbers = np.arange(40, dtype=np.float32)


class Run:
    def __init__(self):
        dataset = tf.data.Dataset.from_tensor_slices(numbers).shuffle(10, seed=3).repeat().batch(4)
        self.iterator = iter(dataset)
        self.generator = tf.random.Generator.from_seed(5)
        self.weight = tf.Variable(0.5)
        self.step = tf.Variable(0, dtype=tf.int64)
        self.checkpoint = tf.train.Checkpoint(
            iterator=self.iterator, generator=self.generator, weight=self.weight, step=self.step
        )

    @tf.function
    def advance(self, batch):
        noise = self.generator.normal([4], stddev=0.01)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(batch / 40.0 * self.weight + noise - 0.3))
        self.weight.assign_sub(0.1 * tape.gradient(loss, self.weight))
        self.step.assign_add(1)
        return loss

    def run(self, count):
        losses = []
        for _ in range(count):
            batch = next(self.iterator)
            losses.append(float(self.advance(batch)))
            print(int(self.step), [int(x) for x in batch], f"{losses[-1]:.5f}", f"{float(self.weight):.5f}")
        return losses


first = Run()
first.run(6)
path = first.checkpoint.save(os.path.join(folder, "run"))
expected = first.run(8)
second = Run()
second.checkpoint.restore(path).assert_consumed()
print(second.run(8) == expected)
print(sorted(name for name, _ in tf.train.list_variables(path)))
