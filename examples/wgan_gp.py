"""A Wasserstein GAN with gradient penalty: two models, two tapes, and a third tape inside the loss.

The critic learns to score real points above generated ones; the penalty keeps the length of its slope near one, so the
loss of the critic contains a gradient and its own gradient is of second order.

python examples/wgan_gp.py              with TensorFlow
python -m tfcompat examples/wgan_gp.py  with tfcompat, on JAX
"""

from itertools import pairwise

import numpy as np
import tensorflow as tf

BATCH, NOISE = 64, 4
CRITIC_STEPS = 3
PENALTY = 10.0
LEARNING_RATE = 0.02
STEPS = 150

rng = np.random.default_rng(0)


class Dense(tf.Module):
    def __init__(self, inputs, outputs, name=None):
        super().__init__(name=name)
        kernel = rng.normal(scale=1.0 / np.sqrt(inputs), size=(inputs, outputs))
        self.kernel = tf.Variable(kernel.astype(np.float32), name="kernel")
        self.bias = tf.Variable(tf.zeros([outputs]), name="bias")

    def __call__(self, x):
        return tf.matmul(x, self.kernel) + self.bias


class Perceptron(tf.Module):
    def __init__(self, sizes, name=None):
        super().__init__(name=name)
        self.layers = [Dense(inputs, outputs) for inputs, outputs in pairwise(sizes)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = tf.nn.leaky_relu(layer(x), alpha=0.2)
        return self.layers[-1](x)


def real_points():
    """Points around (2, 2)."""
    return tf.constant(rng.normal(loc=2.0, scale=0.5, size=(BATCH, 2)).astype(np.float32))


def noise():
    return tf.constant(rng.normal(size=(BATCH, NOISE)).astype(np.float32))


def gradient_penalty(critic, real, fake):
    """The deviation of the norm of the critic's gradient from one, between real and generated points."""
    weight = tf.constant(rng.uniform(size=(BATCH, 1)).astype(np.float32))
    between = weight * real + (1.0 - weight) * fake
    with tf.GradientTape() as tape:
        tape.watch(between)
        scores = critic(between)
    slope = tape.gradient(scores, between)
    length = tf.sqrt(tf.reduce_sum(tf.square(slope), axis=1))
    return tf.reduce_mean(tf.square(length - 1.0))


def descend(variables, gradients):
    for variable, gradient in zip(variables, gradients):
        variable.assign_sub(LEARNING_RATE * gradient)


def train_critic(generator, critic):
    real, fake = real_points(), generator(noise())
    with tf.GradientTape() as tape:
        penalty = gradient_penalty(critic, real, fake)
        distance = tf.reduce_mean(critic(real)) - tf.reduce_mean(critic(fake))
        loss = PENALTY * penalty - distance
    gradients = tape.gradient(loss, critic.trainable_variables, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    descend(critic.trainable_variables, gradients)
    return distance, penalty


def train_generator(generator, critic):
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(critic(generator(noise())))
    descend(generator.trainable_variables, tape.gradient(loss, generator.trainable_variables))


generator = Perceptron([NOISE, 16, 2], name="generator")
critic = Perceptron([2, 32, 1], name="critic")
for model in (generator, critic):
    print(model.name, [variable.shape.as_list() for variable in model.trainable_variables])

for step in range(STEPS + 1):
    for _ in range(CRITIC_STEPS):
        distance, penalty = train_critic(generator, critic)
    train_generator(generator, critic)
    if step % 50 == 0:
        middle = tf.reduce_mean(generator(noise()), axis=0)
        print(f"step {step:3}  distance {distance:.3f}  penalty {penalty:.4f}  middle {middle.numpy().round(2)}")
