"""Trains from the last checkpoint in a folder, and prints each loss in hexadecimal digits; may kill itself.

python -m tests.saved.continuing KIND FOLDER STEPS [KILLED_AFTER]

Runs under TensorFlow, too: TFCOMPAT_SUBJECT=tensorflow python -m tests.saved.continuing ...
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.on_tensorflow import stand_in

if os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    stand_in.install()
import tfcompat as tf

INTERVAL = 3
POINTS = np.linspace(-1.0, 1.0, 24, dtype=np.float32).reshape(-1, 1)


class Line(tf.Module):
    """A module with noise from a generator, trained with momentum."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = tf.random.Generator.from_seed(3)
        self.layers = [tf.Variable(self.generator.normal([1, 16])), tf.Variable(self.generator.normal([16, 1]))]
        self.velocities = {str(k): tf.Variable(tf.zeros_like(each)) for k, each in enumerate(self.layers)}

    def step(self, points: Any) -> Any:
        """Trains on `points`; returns the loss."""
        with tf.GradientTape() as tape:
            noise = self.generator.normal([8, 16], stddev=0.1)
            found = tf.tanh(points @ self.layers[0] + noise) @ self.layers[1]
            loss = tf.reduce_mean(tf.square(found - tf.sin(3.0 * points)))
        for k, gradient in enumerate(tape.gradient(loss, self.layers)):
            velocity = self.velocities[str(k)]
            velocity.assign(0.9 * velocity - 0.05 * gradient)
            self.layers[k].assign_add(velocity)
        return loss


def line(*, is_decorated: bool) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """The objects to save, and the step."""
    model = Line()
    return {"model": model}, tf.function(model.step) if is_decorated else model.step


def renewed(*, is_varying: bool) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """A step that decorates a function again each time; if it `is_varying`, each has more layers than the last one."""
    model, calls = Line(), tf.Variable(0)

    def step(points: Any) -> Any:
        depth = 1 + int(calls) * is_varying
        calls.assign_add(1)

        @tf.function
        def forward(hidden: Any) -> Any:
            for _ in range(depth):
                hidden = tf.tanh(hidden + 0.1)
            return hidden

        @tf.function
        def decorated() -> Any:
            with tf.GradientTape() as tape:
                noise = model.generator.normal([8, 16], stddev=0.1)
                found = forward(points @ model.layers[0] + noise) @ model.layers[1]
                loss = tf.reduce_mean(tf.square(found - tf.sin(3.0 * points)))
            for layer, gradient in zip(model.layers, tape.gradient(loss, model.layers), strict=True):
                layer.assign_sub(0.05 * gradient)
            return loss

        return decorated()

    return {"model": model, "calls": calls}, step


def deterministic() -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """Steps of another structure each, whose choice of an executor depends on the step alone."""
    tf.config.experimental.enable_op_determinism()
    return renewed(is_varying=True)


def keras() -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """A custom loop with Adam and dropout, whose seed Keras leaves out of checkpoints."""
    tf.keras.utils.set_random_seed(5)
    layers = tf.keras.layers
    dropout = layers.Dropout(0.3)
    model = tf.keras.Sequential([tf.keras.Input([1]), layers.Dense(16, "tanh"), dropout, layers.Dense(1)])
    optimizer = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.ExponentialDecay(0.02, 5, 0.9))

    @tf.function
    def step(points: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(points, training=True) - tf.sin(3.0 * points)))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return {"model": model, "optimizer": optimizer, "seed": dropout.seed_generator.state.value}, step


KINDS: dict[str, Callable[[], tuple[dict[str, Any], Callable[[Any], Any]]]] = {
    "undecorated": lambda: line(is_decorated=False),
    "decorated": lambda: line(is_decorated=True),
    "keras": keras,
    "renewed": lambda: renewed(is_varying=False),
    "deterministic": deterministic,
}


def main() -> None:
    """Prints the losses of the steps after the last checkpoint."""
    kind, folder, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    killed_after = int(sys.argv[4]) if len(sys.argv) > 4 else None
    saved, train = KINDS[kind]()
    points = tf.data.Dataset.from_tensor_slices(POINTS).cache().shuffle(24, seed=2).repeat().batch(8).prefetch(1)
    batches, step = iter(points), tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(**saved, batches=batches, step=step)
    manager = tf.train.CheckpointManager(checkpoint, folder, 2, step_counter=step, checkpoint_interval=INTERVAL)
    manager.restore_or_initialize()
    while int(step) < steps:
        loss = train(next(batches))
        step.assign_add(1)
        print(int(step), float(loss).hex(), flush=True)
        if int(step) % INTERVAL == 0:
            manager.save()
        if int(step) == killed_after:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
