"""Two models, two tapes, a gradient penalty through an inner tape: the WGAN-GP step, with partial() and tf.Module."""

# ruff: noqa: RUF007, UP031
from functools import partial

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)


class Dense(tf.Module):
    def __init__(self, n_in, n_out, name=None):
        super().__init__(name=name)
        self.w = tf.Variable((rng.normal(size=(n_in, n_out)) / np.sqrt(n_in)).astype("float32"), name="w")
        self.b = tf.Variable(tf.zeros([n_out]), name="b")

    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b


class Net(tf.Module):
    def __init__(self, sizes, name=None):
        super().__init__(name=name)
        self.layers = [Dense(a, b) for a, b in zip(sizes[:-1], sizes[1:])]

    def __call__(self, x, training=False):
        for layer in self.layers[:-1]:
            x = tf.nn.leaky_relu(layer(x), alpha=0.2)
            if training:
                x = x * 1.0
        return self.layers[-1](x)


def gradient_penalty(critic, real, fake):
    alpha = tf.constant(rng.uniform(size=(real.shape[0], 1)).astype("float32"))
    mixed = alpha * real + (1.0 - alpha) * fake
    with tf.GradientTape() as tape:
        tape.watch(mixed)
        score = critic(mixed)
    grad = tape.gradient(score, mixed)
    norm = tf.sqrt(tf.reduce_sum(tf.square(grad), axis=1))
    return tf.reduce_mean((norm - 1.0) ** 2)


generator, critic = Net([4, 16, 2]), Net([2, 16, 1])
print(len(generator.trainable_variables), len(critic.trainable_variables), critic.layers[0].w.shape)
for step in range(20):
    real = tf.constant(rng.normal(size=(32, 2)).astype("float32") * 0.5 + 2.0)
    noise = tf.constant(rng.normal(size=(32, 4)).astype("float32"))
    with tf.GradientTape() as d_tape:
        fake = generator(noise)
        gp = gradient_penalty(partial(critic, training=True), real, fake)
        d_loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * gp
    d_grads = d_tape.gradient(d_loss, critic.trainable_variables)
    for var, g in zip(critic.trainable_variables, d_grads):
        var.assign_sub(0.01 * (tf.zeros_like(var) if g is None else g))
    with tf.GradientTape() as g_tape:
        g_loss = -tf.reduce_mean(critic(generator(noise)))
    for var, g in zip(generator.trainable_variables, g_tape.gradient(g_loss, generator.trainable_variables)):
        var.assign_sub(0.01 * g)
    if step % 5 == 0:
        print("%d d_loss %.4f g_loss %.4f gp %.4f" % (step, d_loss, g_loss, gp))
print([g is None for g in d_grads])
