"""A convolutional Keras classifier with dropout, batch normalisation and a regulariser; Adam with a schedule."""

import numpy as np
import tensorflow as tf

keras = tf.keras
keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
images = rng.random((16, 8, 8, 2), np.float32)
labels = rng.integers(0, 3, 16)

model = keras.Sequential(
    [
        keras.Input((8, 8, 2)),
        keras.layers.Conv2D(4, 3, padding="same", use_bias=False, kernel_regularizer="l2"),
        keras.layers.BatchNormalization(),
        keras.layers.ReLU(),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dropout(0.3),
        keras.layers.Dense(3),
    ]
)
print(model.output_shape, model.count_params())
loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
accuracy = keras.metrics.SparseCategoricalAccuracy()
optimizer = keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.01, 10, 0.5))


def step(images, labels):
    with tf.GradientTape() as tape:
        logits = model(images, training=True)
        loss = loss_of(labels, logits) + tf.add_n(model.losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    accuracy.update_state(labels, logits)
    return loss


for number in range(15):
    loss = step(tf.constant(images), tf.constant(labels))
    if number % 5 == 4:
        print(f"undecorated {number} loss {loss:.5f} accuracy {accuracy.result():.4f}")
accuracy.reset_state()
decorated = tf.function(step)
for number in range(15):
    loss = decorated(tf.constant(images), tf.constant(labels))
    if number % 5 == 4:
        print(f"decorated {number} loss {loss:.5f} accuracy {accuracy.result():.4f}")
print(f"{optimizer.iterations.numpy()} steps, logits {model(images[:1]).numpy().round(4)}")
