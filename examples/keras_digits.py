"""Classifies drawn digits with a convolutional Keras model, compiled and fitted as in TensorFlow's first tutorial.

python examples/keras_digits.py              with TensorFlow
python -m tfcompat examples/keras_digits.py  with tfcompat, on JAX
"""

import numpy as np
import tensorflow as tf

# The segments of a seven-segment display: rows and columns of the pixels, and the segments of each digit.
SEGMENTS = {
    "a": (4, slice(9, 19)),
    "b": (slice(4, 14), 18),
    "c": (slice(14, 24), 18),
    "d": (23, slice(9, 19)),
    "e": (slice(14, 24), 9),
    "f": (slice(4, 14), 9),
    "g": (14, slice(9, 19)),
}
DIGITS = ["abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg"]


def drawings(count, rng):
    """Images of digits that are shifted and noisy, as uint8, and the digits."""
    labels = rng.integers(0, 10, count)
    images = np.zeros((count, 28, 28), np.uint8)
    for image, label in zip(images, labels):
        for segment in DIGITS[label]:
            image[SEGMENTS[segment]] = 255
    shifts = rng.integers(-1, 2, (count, 2))
    images = np.stack([np.roll(image, shift, (0, 1)) for image, shift in zip(images, shifts)])
    return np.where(rng.random(images.shape) < 0.1, rng.integers(0, 256, images.shape), images).astype(np.uint8), labels


tf.keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
x_train, y_train = drawings(600, rng)
x_test, y_test = drawings(200, rng)
x_train, x_test = x_train / 255.0, x_test / 255.0

model = tf.keras.models.Sequential(
    [
        tf.keras.Input((28, 28)),
        tf.keras.layers.Reshape((28, 28, 1)),
        tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dropout(0.2),
        tf.keras.layers.Dense(10),
    ]
)
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer=tf.keras.optimizers.Adam(0.005), loss=loss, metrics=["accuracy"])
history = model.fit(x_train, y_train, batch_size=32, epochs=5, verbose=0).history
for epoch, (loss_value, accuracy) in enumerate(zip(history["loss"], history["accuracy"]), 1):
    print(f"epoch {epoch}: loss {loss_value:.4f}, accuracy {accuracy:.2%}")

test_loss, test_accuracy = model.evaluate(x_test, y_test, verbose=0)
print(f"test: loss {test_loss:.4f}, accuracy {test_accuracy:.2%}")

probability_model = tf.keras.Sequential([model, tf.keras.layers.Softmax()])
print("digits", *y_test[:8], "recognised as", *np.argmax(probability_model(x_test[:8]), axis=1))
