"""A pendulum's law learned from its path: Runge-Kutta steps unrolled, constraints, slopes by forward mode."""

import numpy as np
import tensorflow as tf

DT, STEPS = 0.2, 4


def rk4(f, s):
    k1 = f(s)
    k2 = f(s + DT / 2 * k1)
    k3 = f(s + DT / 2 * k2)
    k4 = f(s + DT * k3)
    return s + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def pendulum(length, friction):
    def law(s):
        position, speed = s[..., 0], s[..., 1]
        return tf.stack([speed, -9.81 / length * tf.sin(position) - friction * speed], axis=-1)

    return law


def path(length, friction, start):
    states = [start]
    for _ in range(STEPS):
        states.append(rk4(pendulum(length, friction), states[-1]))
    return tf.stack(states)


start = tf.constant([[1.0, 0.0], [0.3, -0.5]], tf.float64)
observed = path(2.0, 0.3, start)
print(observed.shape, observed[-1].numpy().round(4).tolist())
length = tf.Variable(1.5, dtype=tf.float64, constraint=lambda v: tf.clip_by_value(v, 0.5, 5.0))
friction = tf.Variable(0.0, dtype=tf.float64, constraint=tf.nn.relu)
for step in range(30):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.math.squared_difference(path(length, friction, start), observed))
    for p, g, rate in zip((length, friction), tape.gradient(loss, (length, friction)), (1.0, 1.0)):
        p.assign_sub(rate * g)
        p.assign(p.constraint(p))
    if step % 6 == 0:
        print("%d loss %.6f length %.4f friction %.4f" % (step, loss, length, friction))
with tf.autodiff.ForwardAccumulator(length, tf.constant(1.0, tf.float64)) as accumulator:
    end = path(length, friction, start)[-1]
by_hand = (path(length + 1e-5, friction, start)[-1] - path(length - 1e-5, friction, start)[-1]) / 2e-5
print(accumulator.jvp(end).numpy().round(4).tolist(), np.allclose(accumulator.jvp(end), by_hand, atol=1e-6))
