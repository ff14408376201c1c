"""tf.gradients and tf.hessians in decorated functions: a force field, Newton's method, and a gradient penalty."""

import numpy as np
import tensorflow as tf


@tf.function
def energy_and_force(position):
    distance = tf.norm(position[:, None] - position[None] + 1e-6, axis=-1)
    inverse = tf.linalg.set_diag(1.0 / tf.linalg.set_diag(distance, tf.ones([4])), tf.zeros([4]))
    energy = tf.reduce_sum(tf.linalg.band_part(4.0 * (inverse**12 - inverse**6), 0, -1))
    (gradient,) = tf.gradients(energy, position)
    return energy, -gradient


rng = np.random.default_rng(4)
position = tf.Variable(1.2 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), dtype=tf.float32)
velocity = tf.Variable(tf.zeros([4, 3]))
for step in range(31):
    energy, force = energy_and_force(position)
    velocity.assign(0.9 * velocity + 0.01 * force)
    position.assign_add(0.1 * velocity)
    if step % 10 == 0:
        print(step, "energy %.5f force %.5f" % (energy.numpy(), np.abs(force.numpy()).max()))


@tf.function
def rosenbrock_step(p):
    value = 100.0 * (p[1] - p[0] ** 2) ** 2 + (1.0 - p[0]) ** 2
    gradient = tf.gradients(value, p)[0]
    hessian = tf.hessians(value, p)[0]
    direction = tf.linalg.solve(hessian, gradient[:, None])[:, 0]
    return p - direction, value


p = tf.constant([-1.2, 1.0], tf.float64)
for step in range(7):
    p, value = rosenbrock_step(p)
    print("newton", step, p.numpy().round(6), "%.3e" % value)

critic = [tf.Variable(rng.normal(size=s).astype(np.float32) * 0.5) for s in [(2, 8), (8, 1)]]


@tf.function
def penalised_step(real, fake, weight=10.0):
    def score(x):
        return tf.tanh(x @ critic[0]) @ critic[1]

    mixed = 0.5 * (real + fake)
    slope = tf.gradients(score(mixed), [mixed])[0]
    norm = tf.sqrt(tf.reduce_sum(slope**2, axis=1) + 1e-12)
    loss = tf.reduce_mean(score(fake) - score(real)) + weight * tf.reduce_mean((norm - 1.0) ** 2)
    for v, g in zip(critic, tf.gradients(loss, critic, name="update")):
        v.assign_sub(0.02 * g)
    unused = tf.gradients(loss, [weight * tf.ones([1])], unconnected_gradients="zero")
    return loss, tf.reduce_mean(norm), unused[0]


for step in range(20):
    real = rng.normal(size=(16, 2)).astype(np.float32) + 1.0
    loss, norm, unused = penalised_step(tf.constant(real), tf.constant(rng.normal(size=(16, 2)), tf.float32))
    if step % 5 == 4:
        print("penalised", step, "loss %.4f norm %.4f" % (loss.numpy(), norm.numpy()), unused.numpy())
