"""The WGAN-GP step: two models, two tapes, and a gradient penalty through an inner tape."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np

from benchmarks.loop import ArrayLoop, TensorLoop

BATCHES = 16


def initial_values():
    rng = np.random.default_rng(0)

    def layers(sizes):
        return [
            ((rng.normal(size=(a, b)) / np.sqrt(a)).astype(np.float32), np.zeros(b, np.float32))
            for a, b in pairwise(sizes)
        ]

    def batch():
        real = rng.normal(size=(32, 2)) * 0.5 + 2.0
        noise = rng.normal(size=(2, 32, 4))
        alpha = rng.uniform(size=(32, 1))
        return [array.astype(np.float32) for array in (real, noise[0], noise[1], alpha)]

    return layers([4, 16, 2]), layers([2, 16, 1]), [batch() for _ in range(BATCHES)]


def build(tf):
    class Net(tf.Module):
        def __init__(self, layers):
            super().__init__()
            self.layers = [(tf.Variable(w), tf.Variable(b)) for w, b in layers]

        def __call__(self, x, training=False):
            for w, b in self.layers[:-1]:
                x = tf.nn.leaky_relu(tf.matmul(x, w) + b, alpha=0.2)
                if training:
                    x = x * 1.0
            w, b = self.layers[-1]
            return tf.matmul(x, w) + b

    def gradient_penalty(critic, real, fake, alpha):
        mixed = alpha * real + (1.0 - alpha) * fake
        with tf.GradientTape() as tape:
            tape.watch(mixed)
            score = critic(mixed)
        grad = tape.gradient(score, mixed)
        norm = tf.sqrt(tf.reduce_sum(tf.square(grad), axis=1))
        return tf.reduce_mean((norm - 1.0) ** 2)

    generator_layers, critic_layers, batches = initial_values()
    generator, critic = Net(generator_layers), Net(critic_layers)
    batches = [tuple(tf.constant(array) for array in batch) for batch in batches]

    def step(real, noise, more_noise, alpha):
        with tf.GradientTape() as d_tape:
            fake = generator(noise)
            gp = gradient_penalty(partial(critic, training=True), real, fake, alpha)
            d_loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * gp
        d_grads = d_tape.gradient(d_loss, critic.trainable_variables)
        for var, g in zip(critic.trainable_variables, d_grads):
            var.assign_sub(0.01 * (tf.zeros_like(var) if g is None else g))
        with tf.GradientTape() as g_tape:
            g_loss = -tf.reduce_mean(critic(generator(more_noise)))
        for var, g in zip(generator.trainable_variables, g_tape.gradient(g_loss, generator.trainable_variables)):
            var.assign_sub(0.01 * g)
        return d_loss

    variables = [*generator.trainable_variables, *critic.trainable_variables]
    return TensorLoop(step, lambda i: batches[i % BATCHES], variables)


def build_jax(jax):
    jnp = jax.numpy

    def net(layers, x):
        for w, b in layers[:-1]:
            x = jax.nn.leaky_relu(x @ w + b, negative_slope=0.2)
        w, b = layers[-1]
        return x @ w + b

    def critic_loss(critic, generator, real, noise, alpha):
        fake = net(generator, noise)
        mixed = alpha * real + (1.0 - alpha) * fake
        grad = jax.grad(lambda x: jnp.sum(net(critic, x)))(mixed)
        norm = jnp.sqrt(jnp.sum(jnp.square(grad), axis=1))
        penalty = jnp.mean((norm - 1.0) ** 2)
        return jnp.mean(net(critic, fake)) - jnp.mean(net(critic, real)) + 10.0 * penalty

    def generator_loss(generator, critic, noise):
        return -jnp.mean(net(critic, net(generator, noise)))

    def descend(weights, gradients):
        return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradients)

    @partial(jax.jit, donate_argnums=0)
    def step(state, real, noise, more_noise, alpha):
        generator, critic = state
        d_loss, d_grads = jax.value_and_grad(critic_loss)(critic, generator, real, noise, alpha)
        critic = descend(critic, d_grads)
        generator = descend(generator, jax.grad(generator_loss)(generator, critic, more_noise))
        return (generator, critic), d_loss

    generator, critic, batches = jax.tree.map(jnp.asarray, initial_values())
    return ArrayLoop(step, lambda i: batches[i % BATCHES], (generator, critic))
