"""A network trained to obey u'' = -u with u(0) = 0, u'(0) = 1: derivatives by its inputs inside the loss."""

import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
rng = np.random.default_rng(8)
W1 = tf.Variable(rng.normal(size=(1, 12)))
b1 = tf.Variable(np.linspace(-2, 2, 12))
W2 = tf.Variable(rng.normal(scale=0.3, size=(12, 1)))
params = [W1, b1, W2]
t = tf.reshape(tf.linspace(tf.constant(0.0, tf.float64), 3.0, 21), [-1, 1])
zero = tf.zeros([1, 1], dtype=tf.float64)


def u(time):
    return tf.tanh(time @ W1 + b1) @ W2


def residual(time):
    with tf.GradientTape() as second:
        second.watch(time)
        with tf.GradientTape() as first:
            first.watch(time)
            value = u(time)
        velocity = first.gradient(value, time)
    return second.gradient(velocity, time) + value, value, velocity


def loss_fn():
    physics, _, _ = residual(t)
    _, start, speed = residual(zero)
    return tf.reduce_mean(physics**2) + 5.0 * tf.reduce_sum(start**2 + (speed - 1.0) ** 2)


m = [tf.zeros_like(p) for p in params]
v = [tf.zeros_like(p) for p in params]
for step in range(1, 301):
    with tf.GradientTape() as tape:
        loss = loss_fn()
    grads = tape.gradient(loss, params)
    m = [0.9 * mi + 0.1 * g for mi, g in zip(m, grads)]
    v = [0.999 * vi + 0.001 * tf.square(g) for vi, g in zip(v, grads)]
    for p, mi, vi in zip(params, m, v):
        p.assign_sub(0.02 * (mi / (1 - 0.9**step)) / (tf.sqrt(vi / (1 - 0.999**step)) + 1e-8))
    if step % 100 == 0 or step == 1:
        print(step, "loss %.5f" % loss)
_, value, velocity = residual(t)
print("worst error %.4f" % tf.reduce_max(tf.abs(value - tf.sin(t))), value.dtype)
print(np.round(velocity.numpy()[::5, 0], 3))
