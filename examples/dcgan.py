"""A deep convolutional GAN on drawn rings: one decorated step, two tapes, two optimizers.

python examples/dcgan.py              with TensorFlow
python -m tfcompat examples/dcgan.py  with tfcompat, on JAX
"""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

SIDE, NOISE, BATCH, EPOCHS = 16, 16, 32, 3


def rings(count):
    """Images of rings with random centres and radii, between -1 and 1."""
    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[:SIDE, :SIDE]
    centre_row, centre_column = rng.uniform(6, 9, (2, count, 1, 1))
    radius = rng.uniform(3, 5, (count, 1, 1))
    distance = np.hypot(rows - centre_row, columns - centre_column)
    return (2.0 * np.exp(-((distance - radius) ** 2)) - 1.0)[..., None].astype(np.float32)


def make_generator():
    return tf.keras.Sequential(
        [
            tf.keras.Input((NOISE,)),
            layers.Dense(4 * 4 * 16, use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Reshape((4, 4, 16)),
            layers.Conv2DTranspose(8, 5, strides=2, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Conv2DTranspose(1, 5, strides=2, padding="same", use_bias=False, activation="tanh"),
        ]
    )


def make_discriminator():
    return tf.keras.Sequential(
        [
            tf.keras.Input((SIDE, SIDE, 1)),
            layers.Conv2D(8, 5, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Dropout(0.3),
            layers.Conv2D(16, 5, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Dropout(0.3),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )


tf.keras.utils.set_random_seed(1)
dataset = tf.data.Dataset.from_tensor_slices(rings(160)).shuffle(160, seed=2).batch(BATCH)
generator, discriminator = make_generator(), make_discriminator()
generator_optimizer = tf.keras.optimizers.Adam(1e-4)
discriminator_optimizer = tf.keras.optimizers.Adam(1e-4)
cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)


def discriminator_loss(real_output, fake_output):
    real_loss = cross_entropy(tf.ones_like(real_output), real_output)
    fake_loss = cross_entropy(tf.zeros_like(fake_output), fake_output)
    return real_loss + fake_loss


def generator_loss(fake_output):
    return cross_entropy(tf.ones_like(fake_output), fake_output)


@tf.function
def train_step(images):
    noise = tf.random.normal([tf.shape(images)[0], NOISE])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated_images = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated_images, training=True)
        gen_loss = generator_loss(fake_output)
        disc_loss = discriminator_loss(real_output, fake_output)
    generator_gradients = gen_tape.gradient(gen_loss, generator.trainable_variables)
    discriminator_gradients = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(generator_gradients, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(zip(discriminator_gradients, discriminator.trainable_variables))
    return gen_loss, disc_loss


for epoch in range(EPOCHS):
    for images in dataset:
        gen_loss, disc_loss = train_step(images)
    print(f"epoch {epoch + 1}: generator {gen_loss:.4f}, discriminator {disc_loss:.4f}")

image = generator(tf.random.normal([1, NOISE], seed=3), training=False)
print("generated", image.shape, f"mean {tf.reduce_mean(image):.4f}")
