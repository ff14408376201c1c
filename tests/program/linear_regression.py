"""A linear model trained with a tape, two variables and assign_sub: the smallest real training loop."""

# ruff: noqa: UP031
import numpy as np
import tensorflow as tf

x_train = tf.constant(np.linspace(0.0, 1.0, 100, dtype=np.float32))
y_train = 0.1 * x_train + 0.5
m = tf.Variable(0.0)
b = tf.Variable(0.0)


def predict(x):
    return m * x + b


def squared_error(y_pred, y_true):
    return tf.reduce_mean(tf.square(y_pred - y_true))


for step in range(500):
    with tf.GradientTape() as tape:
        loss = squared_error(predict(x_train), y_train)
    gradients = tape.gradient(loss, [m, b])
    m.assign_sub(gradients[0] * 0.05)
    b.assign_sub(gradients[1] * 0.05)
    if step % 100 == 0:
        print("Step %d, Loss %f" % (step, loss.numpy()))
print("m: %f, b: %f" % (m.numpy(), b.numpy()))
