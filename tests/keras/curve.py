"""Seeded training scripts that return the loss of each step, and the recorder of TensorFlow's losses.

    python -m tests.keras.curve

An interpreter that has TensorFlow runs this. It also records the curves without oneDNN, whose sums have another order:
the two differ by TensorFlow's own spread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).parent / "curves.json"
STEPS = 100


def _images(tf: Any) -> Any:
    """Shuffled batches of images, each flipped and brightened at random; the last one of an epoch is smaller."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 150)
    images = rng.random((150, 12, 12, 3), np.float32)
    images[np.arange(150), 2 * labels + 2] += 0.5

    def changed(image: Any, label: Any) -> Any:
        image = tf.image.random_flip_left_right(image, seed=1)
        return tf.image.random_brightness(image, 0.2, seed=2), label

    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(150, seed=3)
    return dataset.map(changed).batch(16).repeat().prefetch(tf.data.AUTOTUNE)


def _network(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((12, 12, 3)),
            layers.Conv2D(8, 3, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.ReLU(),
            layers.MaxPooling2D(),
            layers.Conv2D(16, 3, activation="relu"),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(4),
        ]
    )


def _compiled(tf: Any, model: Any, loss: Any) -> Any:
    schedule = tf.keras.optimizers.schedules.CosineDecay(0.003, STEPS)
    model.compile(tf.keras.optimizers.Adam(schedule), loss, metrics=["accuracy"])
    return model


def _fitted(tf: Any, model: Any, dataset: Any) -> list[float]:
    losses: list[float] = []

    class Kept(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            del batch
            losses.append(logs["loss"])

    model.fit(dataset, epochs=1, steps_per_epoch=STEPS, shuffle=False, verbose=0, callbacks=[Kept()])
    return losses


def convolutional_fit(tf: Any) -> list[float]:
    """`fit` of a network with dropout and batch normalisation."""
    tf.keras.utils.set_random_seed(1)
    cross_entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    return _fitted(tf, _compiled(tf, _network(tf), cross_entropy), _images(tf))


def convolutional_loop(tf: Any) -> list[float]:
    """The same network in a custom loop."""
    tf.keras.utils.set_random_seed(2)
    model = _network(tf)
    optimizer = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.ExponentialDecay(0.003, 50, 0.5))

    def step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    decorated = tf.function(step)
    losses: list[float] = []
    for number, (images, labels) in enumerate(_images(tf).take(STEPS)):
        losses.append(float((step if number < STEPS // 2 else decorated)(images, labels)))
    return losses


def text_fit(tf: Any) -> list[float]:
    """`fit` of an LSTM on batches of texts that are padded to the longest one of each batch."""
    tf.keras.utils.set_random_seed(3)
    layers = tf.keras.layers
    rng = np.random.default_rng(1)
    words = np.array([f"word{k}" for k in range(30)])
    numbers = [rng.integers(0, 30, rng.integers(3, 10)) for _ in range(200)]
    texts = [" ".join(words[row]) for row in numbers]
    labels = np.array([float(np.mean(row) > 14.5) for row in numbers], np.float32)
    vectorize = layers.TextVectorization()
    vectorize.adapt(texts)
    dataset = tf.data.Dataset.from_tensor_slices((texts, labels)).map(lambda text, label: (vectorize(text), label))
    dataset = dataset.shuffle(200, seed=4).padded_batch(16, padded_shapes=([None], [])).repeat()
    model = tf.keras.Sequential(
        [
            layers.Embedding(vectorize.vocabulary_size(), 8, mask_zero=True),
            layers.LSTM(8, dropout=0.1),
            layers.Dense(1),
        ]
    )
    cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    return _fitted(tf, _compiled(tf, model, cross_entropy), dataset)


def adversarial(tf: Any) -> list[float]:
    """A convolutional GAN: the losses of the generator and of the discriminator, in turns."""
    tf.keras.utils.set_random_seed(4)
    layers = tf.keras.layers
    images = np.tanh(np.random.default_rng(2).normal(size=(64, 8, 8, 1))).astype(np.float32)
    generator = tf.keras.Sequential(
        [
            tf.keras.Input((8,)),
            layers.Dense(4 * 4 * 8, use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Reshape((4, 4, 8)),
            layers.Conv2DTranspose(1, 5, strides=2, padding="same", use_bias=False, activation="tanh"),
        ]
    )
    discriminator = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            layers.Conv2D(8, 5, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Dropout(0.3),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )
    optimizers = [tf.keras.optimizers.Adam(1e-3) for _ in range(2)]
    loss_of = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def step(real: Any) -> Any:
        noise = tf.random.normal([tf.shape(real)[0], 8])
        with tf.GradientTape() as first, tf.GradientTape() as second:
            made = generator(noise, training=True)
            right, wrong = discriminator(real, training=True), discriminator(made, training=True)
            losses = (
                loss_of(tf.ones_like(wrong), wrong),
                loss_of(tf.ones_like(right), right) + loss_of(tf.zeros_like(wrong), wrong),
            )
        for tape, loss, model, optimizer in zip(
            (first, second), losses, (generator, discriminator), optimizers, strict=True
        ):
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return losses

    dataset = tf.data.Dataset.from_tensor_slices(images).shuffle(64, seed=5).batch(16).repeat()
    return [float(loss) for batch in dataset.take(STEPS) for loss in step(batch)]


SCRIPTS = (convolutional_fit, convolutional_loop, text_fit, adversarial)


def _main() -> None:
    if sys.argv[1:] == ["--print"]:
        import tensorflow as tf

        print(json.dumps({script.__name__: script(tf) for script in SCRIPTS}))
        return
    found: dict[str, Any] = {}
    for name, setting in (("default", "1"), ("without oneDNN", "0")):
        command = [sys.executable, "-m", "tests.keras.curve", "--print"]
        environment = os.environ | {"TF_ENABLE_ONEDNN_OPTS": setting}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        for script, losses in json.loads(done.stdout.splitlines()[-1]).items():
            found.setdefault(script, {})[name] = losses
    RECORDED.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    _main()
