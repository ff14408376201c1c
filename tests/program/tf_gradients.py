"""tf.gradients with grad_ys in a tf.function, beside a tape with output_gradients; hessians; a decorated step."""

import numpy as np
import tensorflow as tf

X = tf.constant(np.random.default_rng(0).normal(size=(50, 3)).astype("float32"))
y = tf.matmul(X, [[1.0], [-2.0], [0.5]])
theta = tf.Variable(tf.zeros([3, 1]), name="theta")


@tf.function
def by_gradients(weights):
    errors = tf.matmul(X, theta) - y
    return tf.gradients(tf.reduce_mean(tf.square(errors)), [theta], grad_ys=weights)[0]


with tf.GradientTape() as tape:
    mse = tf.reduce_mean(tf.square(tf.matmul(X, theta) - y))
print(
    np.allclose(by_gradients(tf.constant(2.0)), tape.gradient(mse, theta, output_gradients=tf.constant(2.0)), rtol=1e-5)
)


@tf.function
def hessian(x):
    return tf.hessians(tf.reduce_sum(x**3), x)[0]


print(hessian(tf.constant([1.0, 2.0])).numpy())
traces = []


@tf.function
def train_step(rate):
    traces.append(1)
    with tf.GradientTape() as tape:
        mse = tf.reduce_mean(tf.square(tf.matmul(X, theta) - y))
    theta.assign_sub(rate * tape.gradient(mse, theta))
    if mse > 1.0:  # noqa: SIM108  # the statement is the subject of the test
        level = tf.constant(1)
    else:
        level = tf.constant(0)
    return mse, level


for step in range(60):
    mse, level = train_step(tf.constant(0.1))
    if step % 20 == 0:
        print(step, f"{mse.numpy():.5f}", level.numpy())
print("traces:", len(traces), np.round(theta.numpy().ravel(), 3))


@tf.function
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:  # noqa: SIM108
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


print(collatz(tf.constant(27)).numpy())
