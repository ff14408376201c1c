"""A Gaussian process: its hyperparameters by the gradient of the marginal likelihood through a Cholesky factor."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(16)
x = np.sort(rng.uniform(-3, 3, size=(25, 1)))
y = np.sin(2 * x) + 0.1 * rng.normal(size=x.shape)
x, y = tf.constant(x), tf.constant(y)
raw = {name: tf.Variable(0.0, dtype=tf.float64, name=name) for name in ("length", "signal", "noise")}


def kernel(a, b, length, signal):
    squared = tf.reduce_sum((a[:, None] - b[None]) ** 2, -1)
    return signal**2 * tf.exp(-0.5 * squared / length**2)


def factor():
    length, signal, noise = (tf.nn.softplus(raw[k]) + 1e-3 for k in ("length", "signal", "noise"))
    K = kernel(x, x, length, signal) + noise**2 * tf.eye(25, dtype=tf.float64)
    return tf.linalg.cholesky(K), length, signal, noise


def negative_log_likelihood():
    L, *_ = factor()
    alpha = tf.linalg.triangular_solve(L, y, lower=True)
    half_log_det = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(L)))
    return 0.5 * tf.reduce_sum(alpha**2) + half_log_det + 0.5 * 25 * np.log(2 * np.pi)


names = list(raw)
for step in range(60):
    with tf.GradientTape() as tape:
        nll = negative_log_likelihood()
    gradients = tape.gradient(nll, raw)
    for name in names:
        raw[name].assign_sub(0.02 * tf.clip_by_value(gradients[name], -5.0, 5.0))
    if step % 15 == 0:
        print(step, "nll %.4f" % nll, {k: round(float(tf.nn.softplus(v)), 4) for k, v in raw.items()})
L, length, signal, noise = factor()
at = tf.constant([[0.0], [1.0], [5.0]], tf.float64)
cross = kernel(x, at, length, signal)
mean = tf.matmul(cross, tf.linalg.cholesky_solve(L, y), transpose_a=True)
v = tf.linalg.triangular_solve(L, cross)
variance = tf.linalg.diag_part(kernel(at, at, length, signal)) - tf.reduce_sum(v**2, axis=0)
print(mean.numpy().ravel().round(4), tf.sqrt(variance).numpy().round(4))
K = tf.matmul(L, L, transpose_b=True)
print("log det %.4f" % tf.linalg.logdet(K), "trace %.4f" % tf.linalg.trace(K), "inv %.5f" % tf.linalg.inv(K)[0, 0])
print("solve agrees:", np.allclose(tf.linalg.solve(K, y), tf.linalg.cholesky_solve(L, y)))
