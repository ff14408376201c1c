"""A classifier in the style of tutorials: a decorated step, metrics in variables, and a decorated evaluation.

python examples/decorated_classifier.py              with TensorFlow
python -m tfcompat examples/decorated_classifier.py  with tfcompat, on JAX
"""

import numpy as np
import tensorflow as tf

BATCH, EPOCHS, RATE = 32, 10, 0.05
rng = np.random.default_rng(0)


def rings(count):
    """Points on three concentric rings, and the ring of each."""
    labels = rng.integers(0, 3, size=count)
    radius = labels + 0.5 + rng.uniform(-0.25, 0.25, size=count)
    angle = rng.uniform(0.0, 2.0 * np.pi, size=count)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return points.astype(np.float32), labels.astype(np.int32)


class Dense(tf.Module):
    def __init__(self, inputs, units):
        super().__init__()
        self.kernel = tf.Variable((rng.normal(size=(inputs, units)) / np.sqrt(inputs)).astype(np.float32))
        self.bias = tf.Variable(tf.zeros([units]))

    def __call__(self, x):
        return x @ self.kernel + self.bias


class Classifier(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Dense(2, 32), Dense(32, 32), Dense(32, 3)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = tf.nn.relu(layer(x))
        return self.layers[-1](x)


class Mean(tf.Module):
    """The mean of the values since the last reset."""

    def __init__(self):
        super().__init__()
        self.total, self.count = tf.Variable(0.0), tf.Variable(0.0)

    def update(self, values):
        self.total.assign_add(tf.reduce_sum(values))
        self.count.assign_add(tf.cast(tf.size(values), tf.float32))

    def result(self):
        return tf.math.divide_no_nan(self.total, self.count)

    def reset(self):
        self.total.assign(0.0)
        self.count.assign(0.0)


class Momentum(tf.Module):
    def __init__(self, variables):
        super().__init__()
        self.velocities = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def apply(self, gradients, variables):
        for velocity, gradient, variable in zip(self.velocities, gradients, variables):
            velocity.assign(0.9 * velocity - RATE * gradient)
            variable.assign_add(velocity)


model = Classifier()
optimizer = Momentum(model.trainable_variables)
train_loss, train_accuracy, test_accuracy = Mean(), Mean(), Mean()


def is_right(labels, logits):
    return tf.cast(tf.equal(tf.argmax(logits, axis=1, output_type=tf.int32), labels), tf.float32)


# Python runs these once for each shape; afterwards a call is one program, gradients, weights and metrics included.
@tf.function
def train_step(points, labels):
    with tf.GradientTape() as tape:
        logits = model(points)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply(gradients, model.trainable_variables)
    train_loss.update(losses)
    train_accuracy.update(is_right(labels, logits))


@tf.function
def test_step(points, labels):
    test_accuracy.update(is_right(labels, model(points)))


points, labels = rings(400)
test_points, test_labels = rings(200)
for epoch in range(EPOCHS):
    for metric in (train_loss, train_accuracy, test_accuracy):
        metric.reset()
    order = rng.permutation(len(points))
    for start in range(0, len(points), BATCH):
        rows = order[start : start + BATCH]
        train_step(points[rows], labels[rows])
    test_step(test_points, test_labels)
    print(
        f"epoch {epoch}  loss {train_loss.result():.4f}  accuracy {train_accuracy.result():.2%}  "
        f"test {test_accuracy.result():.2%}"
    )

# The last batch of an epoch is smaller, so there were two shapes.
print("the step was traced", train_step.experimental_get_tracing_count(), "times")
