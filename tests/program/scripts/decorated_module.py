"""A two-layer classifier as a tf.Module, trained by a decorated step over batches of which the last is smaller."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)


class Dense(tf.Module):
    def __init__(self, units, activation=None, name=None):
        super().__init__(name=name)
        self.units = units
        self.activation = activation
        self.w = None

    @tf.Module.with_name_scope
    def __call__(self, x):
        if self.w is None:
            fan_in = int(x.shape[-1])
            values = rng.normal(size=(fan_in, self.units)) / np.sqrt(fan_in)
            self.w = tf.Variable(values.astype(np.float32), name="w")
            self.b = tf.Variable(tf.zeros([self.units]), name="b")
        y = tf.matmul(x, self.w) + self.b
        return y if self.activation is None else self.activation(y)


class Classifier(tf.Module):
    def __init__(self):
        super().__init__(name="classifier")
        self.hidden = Dense(16, tf.nn.relu, name="hidden")
        self.logits = Dense(3, name="logits")

    @tf.function
    def __call__(self, x):
        return self.logits(self.hidden(x))


x = rng.normal(size=(100, 2)).astype(np.float32)
y = (np.arctan2(x[:, 1], x[:, 0]) // 2.1 + 2).astype(np.int32).clip(0, 2)
model = Classifier()
print(model(x[:2]).shape, [(v.name, v.shape.as_list()) for v in model.trainable_variables])
velocities = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        logits = model(images)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    for v, m, g in zip(model.trainable_variables, velocities, gradients):
        m.assign(0.9 * m + g)
        v.assign_sub(0.05 * m)
    return loss, tf.linalg.global_norm(gradients)


@tf.function
def evaluate(images, labels):
    predicted = tf.argmax(model(images), axis=-1, output_type=tf.int32)
    return tf.reduce_mean(tf.cast(tf.equal(predicted, labels), tf.float32))


for epoch in range(8):
    order = rng.permutation(100)
    total = 0.0
    for start in range(0, 100, 32):
        rows = order[start : start + 32]
        loss, norm = train_step(tf.constant(x[rows]), tf.constant(y[rows]))
        total += loss.numpy() * len(rows)
    if epoch % 2 == 1:
        print(f"epoch {epoch} loss {total / 100:.4f} norm {norm.numpy():.4f} accuracy {evaluate(x, y).numpy():.2f}")
print("traces of train_step:", train_step.experimental_get_tracing_count())
