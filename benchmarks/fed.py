"""Time of a training step whose batches come from a pipeline, relative to steps whose batches are ready.

Ready arrays are NumPy arrays, which each step copies to the device, as it does the arrays of a pipeline. Ready tensors
are on the device.

python -m benchmarks.fed [--rounds 9]

The step is that of a perceptron of four layers of 256 for 128 rows, undecorated. Rounds of all feeds alternate; the
medians of the wall clock are compared. On a CPU the step uses all cores, so the pipeline takes its time from it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

TARGET = 1.05
BATCH, BATCHES, WIDTH = 128, 64, 256
UNCOUNTED = 2


def feeds(tf: Any) -> dict[str, Iterable[Any]]:
    """The batches of one epoch; the first two feeds are those of ready batches."""
    rng = np.random.default_rng(0)
    count = BATCH * BATCHES
    x, y = rng.random((count, WIDTH), np.float32), rng.random((count, 1), np.float32)
    rows = tf.data.Dataset.from_tensor_slices((x, y))
    arrays = [(x[k : k + BATCH], y[k : k + BATCH]) for k in range(0, count, BATCH)]
    return {
        "ready arrays": arrays,
        "ready tensors": [(tf.constant(inputs), tf.constant(targets)) for inputs, targets in arrays],
        "batch, prefetch": rows.batch(BATCH).prefetch(2),
        "map, batch, prefetch": rows.map(centred).batch(BATCH).prefetch(2),
        "map, shuffle, batch, prefetch": rows.map(centred).shuffle(1024).batch(BATCH).prefetch(2),
    }


def centred(x: Any, y: Any) -> tuple[Any, Any]:
    """Values between 0 and 1 as values between -1 and 1."""
    return x * 2.0 - 1.0, y


def trainer(tf: Any) -> Any:
    """A function that trains on a feed."""
    rng = np.random.default_rng(1)
    shapes = [*[(WIDTH, WIDTH)] * 4, (WIDTH, 1)]
    weights = [tf.Variable(rng.normal(0, 0.05, shape).astype(np.float32)) for shape in shapes]

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            hidden = x
            for weight in weights[:-1]:
                hidden = tf.nn.relu(hidden @ weight)
            loss = tf.reduce_mean(tf.square(hidden @ weights[-1] - y))
        for gradient, weight in zip(tape.gradient(loss, weights), weights, strict=True):
            weight.assign_sub(0.01 * gradient)
        return loss

    def train(feed: Iterable[Any]) -> None:
        loss: Any = None
        for x, y in feed:
            loss = step(x, y)
        loss.numpy()

    return train


def main() -> None:
    """Prints a row for each feed; `x` marks a missed target."""
    parser = argparse.ArgumentParser(prog="benchmarks.fed", description="Times a training step that a pipeline feeds.")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    import tfcompat as tf

    known, train = feeds(tf), trainer(tf)
    taken: dict[str, list[float]] = {name: [] for name in known}
    for _ in range(UNCOUNTED + given.rounds):
        for name, feed in known.items():
            start = time.perf_counter()
            train(feed)
            taken[name].append((time.perf_counter() - start) * 1e6 / BATCHES)
    medians = {name: statistics.median(times[UNCOUNTED:]) for name, times in taken.items()}
    arrays, tensors = medians["ready arrays"], medians["ready tensors"]
    print(f"Microseconds of a step; relative to ready arrays (target: at most {TARGET}), and to ready tensors")
    for name, median in medians.items():
        missed = "" if median <= TARGET * arrays else "  x"
        print(f"  {name:32}{median:8.0f}{median / arrays:8.2f}{median / tensors:8.2f}{missed}")


if __name__ == "__main__":
    main()
