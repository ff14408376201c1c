"""A line fitted to points: the smallest complete training loop of TensorFlow 2.

python examples/linear_regression.py              with TensorFlow
python -m tfcompat examples/linear_regression.py  with tfcompat, on JAX
"""

import numpy as np
import tensorflow as tf

SLOPE, INTERCEPT = 0.1, 0.5
LEARNING_RATE = 0.05
STEPS = 500

x = tf.constant(np.linspace(0.0, 1.0, 100, dtype=np.float32))
y = SLOPE * x + INTERCEPT

# Parameters are variables: cells that keep their value from step to step.
slope = tf.Variable(0.0, name="slope")
intercept = tf.Variable(0.0, name="intercept")


def predict(inputs):
    return slope * inputs + intercept


def mean_squared_error(predicted, true):
    return tf.reduce_mean(tf.square(predicted - true))


for step in range(STEPS):
    # The tape records the variables that are read in its context, and all ops on them.
    with tf.GradientTape() as tape:
        loss = mean_squared_error(predict(x), y)
    slope_gradient, intercept_gradient = tape.gradient(loss, [slope, intercept])

    slope.assign_sub(LEARNING_RATE * slope_gradient)
    intercept.assign_sub(LEARNING_RATE * intercept_gradient)

    if step % 100 == 0:
        print(f"step {step:3}  loss {loss.numpy():.6f}")

print(f"slope {slope.numpy():.4f} (true {SLOPE}), intercept {intercept.numpy():.4f} (true {INTERCEPT})")
