"""A process that fits a Keras model: `python -m benchmarks.keras_worker ENVIRONMENT SCENE MODEL`.

The scene `steady` fits for ever: before each epoch it reads a line from standard input, and after it prints the
epoch's seconds of wall clock and of CPU time. `cold` prints those of the first epoch of ten steps, `programs` the
programs that tfcompat has compiled for three epochs with validation and partial batches, `memory` the MB by which the
process grows from the third epoch to the twentieth. `loop` prints the seconds of wall clock and of CPU time of a step
of a custom loop, undecorated and in a `tf.function`.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np

BATCH, CLASSES = 32, 10
STEPS = {"mlp": 200, "cnn": 40, "lstm": 100, "transformer": 30}
COLD_STEPS, LOOP_ROUNDS = 10, 7
SHAPES = {"mlp": (20,), "cnn": (28, 28, 1), "lstm": (20, 8), "transformer": (32,)}
WORDS = 1000


def load(environment: str) -> Any:
    """Keras on tfcompat, on TensorFlow, or on its own JAX backend."""
    if environment == "tfcompat":
        import tfcompat

        return tfcompat.keras
    os.environ["KERAS_BACKEND"] = environment
    import keras

    return keras


def model_of(keras: Any, name: str) -> Any:
    """The compiled model `name`."""
    layers = keras.layers
    inner = {
        "mlp": lambda: [layers.Dense(64, activation="relu"), layers.Dense(64, activation="relu")],
        "cnn": lambda: [
            *(layers.Conv2D(16, 3, activation="relu"), layers.MaxPooling2D()),
            *(layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D()),
            *(layers.Flatten(), layers.Dense(64, activation="relu")),
        ],
        "lstm": lambda: [layers.LSTM(32)],
    }
    keras.utils.set_random_seed(1)
    if name == "transformer":
        model = _transformer(keras)
    else:
        model = keras.Sequential([keras.Input(SHAPES[name]), *inner[name](), layers.Dense(CLASSES, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def _transformer(keras: Any) -> Any:
    layers = keras.layers
    inputs = keras.Input(SHAPES["transformer"], dtype="int32")
    x = layers.Embedding(WORDS, 64)(inputs)
    for _ in range(2):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 16)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(64)(layers.Dense(128, activation="gelu")(x)))
    return keras.Model(inputs, layers.Dense(CLASSES, "softmax")(layers.GlobalAveragePooling1D()(x)))


def data_of(name: str, count: int) -> tuple[Any, Any]:
    """`count` examples and their classes."""
    rng = np.random.default_rng(0)
    shape = (count, *SHAPES[name])
    words = rng.integers(0, WORDS, shape).astype(np.int32)
    return words if name == "transformer" else rng.normal(size=shape).astype(np.float32), rng.integers(
        0, CLASSES, count
    )


def steady(keras: Any, name: str) -> None:
    """Fits for as long as there are lines to read."""

    class Timed(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            del epoch, logs
            if not sys.stdin.readline():
                sys.exit()
            self.began = time.perf_counter(), time.process_time()

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            del epoch, logs
            print(time.perf_counter() - self.began[0], time.process_time() - self.began[1], flush=True)

    model = model_of(keras, name)
    x, y = data_of(name, BATCH * STEPS[name])
    model.fit(x, y, batch_size=BATCH, epochs=10_000, verbose=0, callbacks=[Timed()])


def cold(keras: Any, name: str) -> None:
    """Times the first epoch, with the model's construction."""
    x, y = data_of(name, BATCH * COLD_STEPS)
    began = time.perf_counter(), time.process_time()
    model_of(keras, name).fit(x, y, batch_size=BATCH, verbose=0)
    print(time.perf_counter() - began[0], time.process_time() - began[1])


def programs(keras: Any, name: str) -> None:
    """Counts the compiled programs of three epochs."""
    import tfcompat

    x, y = data_of(name, BATCH * COLD_STEPS + 7)
    model = model_of(keras, name)
    with tfcompat.counted() as counts:
        model.fit(x, y, batch_size=BATCH, epochs=3, verbose=0, validation_data=(x[:75], y[:75]))
    print(counts.compiles, counts.op_compiles)


def memory(keras: Any, name: str) -> None:
    """Measures the resident memory at the end of epochs."""
    resident: list[float] = []

    class Measured(keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            del epoch, logs
            with open("/proc/self/statm") as file:
                resident.append(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6)

    x, y = data_of(name, BATCH * STEPS[name] + 7)
    model = model_of(keras, name)
    model.fit(x, y, batch_size=BATCH, epochs=20, verbose=0, validation_split=0.1, callbacks=[Measured()])
    print(resident[-1] - resident[2], resident[-1])


def loop(keras: Any, name: str) -> None:
    """Times a custom training loop, undecorated and decorated in turns; the medians of rounds."""
    import tfcompat as tf

    x, y = data_of(name, BATCH)
    batch, classes = tf.constant(x), tf.constant(y)
    kinds: dict[str, Any] = {"undecorated": lambda step: step, "decorated": tf.function}
    steps = [decorate(_step_of(keras, name)) for decorate in kinds.values()]
    taken: list[list[tuple[float, float]]] = [[] for _ in steps]
    for _ in range(LOOP_ROUNDS + 1):
        for step, found in zip(steps, taken, strict=True):
            began = time.perf_counter(), time.process_time()
            losses = [step(batch, classes) for _ in range(STEPS[name])]
            losses[-1].numpy()
            found.append((time.perf_counter() - began[0], time.process_time() - began[1]))
    medians = [np.median(found[1:], 0) / STEPS[name] for found in taken]
    print(*[number for pair in medians for number in pair])


def _step_of(keras: Any, name: str) -> Any:
    """A training step of a new model `name`."""
    import tfcompat as tf

    model, optimizer = model_of(keras, name), keras.optimizers.Adam()
    loss_of, accuracy = keras.losses.SparseCategoricalCrossentropy(), keras.metrics.SparseCategoricalAccuracy()

    def step(batch: Any, classes: Any) -> Any:
        with tf.GradientTape() as tape:
            answers = model(batch, training=True)
            loss = loss_of(classes, answers)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        accuracy.update_state(classes, answers)
        return loss

    return step


if __name__ == "__main__":
    {"loop": loop, "steady": steady, "cold": cold, "programs": programs, "memory": memory}[sys.argv[2]](
        load(sys.argv[1]), sys.argv[3]
    )
