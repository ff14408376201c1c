"""The step of a GAN as tutorials write it: decorated, two tapes side by side, noise drawn inside."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(3)
rng = np.random.default_rng(1)
BATCH, NOISE = 16, 3


def dense(a, b):
    return tf.Variable((rng.normal(size=(a, b)) / np.sqrt(a)).astype(np.float32)), tf.Variable(tf.zeros([b]))


class Generator(tf.Module):
    def __init__(self):
        self.w1, self.b1 = dense(NOISE, 8)
        self.w2, self.b2 = dense(8, 2)

    def __call__(self, z):
        return tf.nn.tanh(tf.nn.leaky_relu(z @ self.w1 + self.b1) @ self.w2 + self.b2)


class Discriminator(tf.Module):
    def __init__(self):
        self.w1, self.b1 = dense(2, 8)
        self.w2, self.b2 = dense(8, 1)

    def __call__(self, x, training=True):
        h = tf.nn.leaky_relu(x @ self.w1 + self.b1)
        if training:
            h = tf.nn.dropout(h, rate=0.3)
        return h @ self.w2 + self.b2


class Adam(tf.Module):
    def __init__(self, variables, rate):
        self.rate, self.t = rate, tf.Variable(0.0)
        self.m = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.s = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def apply_gradients(self, pairs):
        self.t.assign_add(1.0)
        rate = self.rate * tf.sqrt(1.0 - 0.999**self.t) / (1.0 - 0.5**self.t)
        for (g, v), m, s in zip(pairs, self.m, self.s):
            m.assign(0.5 * m + 0.5 * g)
            s.assign(0.999 * s + 0.001 * tf.square(g))
            v.assign_sub(rate * m / (tf.sqrt(s) + 1e-7))


def cross_entropy(labels, logits):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


def discriminator_loss(real_output, fake_output):
    real_loss = cross_entropy(tf.ones_like(real_output), real_output)
    fake_loss = cross_entropy(tf.zeros_like(fake_output), fake_output)
    return real_loss + fake_loss


def generator_loss(fake_output):
    return cross_entropy(tf.ones_like(fake_output), fake_output)


generator, discriminator = Generator(), Discriminator()
generator_optimizer = Adam(generator.trainable_variables, 1e-2)
discriminator_optimizer = Adam(discriminator.trainable_variables, 1e-2)


# Notice the use of `tf.function`
@tf.function
def train_step(images):
    noise = tf.random.normal([BATCH, NOISE])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated_images = generator(noise)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated_images, training=True)
        gen_loss = generator_loss(fake_output)
        disc_loss = discriminator_loss(real_output, fake_output)
    gradients_of_generator = gen_tape.gradient(gen_loss, generator.trainable_variables)
    gradients_of_discriminator = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(gradients_of_generator, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(zip(gradients_of_discriminator, discriminator.trainable_variables))
    return gen_loss, disc_loss


seed = tf.random.normal([4, NOISE])
for epoch in range(4):
    for _ in range(5):
        gen_loss, disc_loss = train_step((rng.normal(size=(BATCH, 2)) * 0.1 + 0.5).astype(np.float32))
    predictions = generator(seed)
    print("epoch", epoch, "gen %.4f disc %.4f" % (gen_loss, disc_loss), predictions.numpy().mean(0).round(4))
