"""The time of `tf.summary.scalar`, and the programs of an undecorated loop with one scalar a step.

python -m benchmarks.summary
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from typing import Any

import tfcompat as tf

CALLS, ROUNDS, STEPS = 2000, 7, 50
# The most microseconds of a call, and the most programs of a step.
MOST_TIME, MOST_PROGRAMS = 20, 1


def microseconds(value: Any, clock: Callable[[], float]) -> float:
    """The time of a call, the best of several rounds; each ends with the writing of the file."""
    found: list[float] = []
    for _ in range(ROUNDS):
        start = clock()
        for step in range(CALLS):
            tf.summary.scalar("loss", value, step=step)
        tf.summary.flush()
        found.append((clock() - start) / CALLS * 1e6)
    return min(found)


def programs() -> float:
    """The programs that run in a step of an undecorated training loop with a summary of its loss."""
    v, rate = tf.Variable(tf.ones([100, 10])), tf.constant(0.01)

    def train(step: int) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(v - 3.0))
        v.assign_sub(rate * tape.gradient(loss, v))
        tf.summary.scalar("loss", loss, step=step)

    for step in range(10):
        train(step)
    tf.sync()
    with tf.counted() as counts:
        for step in range(STEPS):
            train(step)
        tf.sync()
    return counts.flushes / STEPS


def main() -> None:
    """Prints a table."""
    with tempfile.TemporaryDirectory() as folder, tf.summary.create_file_writer(folder).as_default():
        for name, value in (("number", 0.5), ("tensor", tf.constant(0.5))):
            caller, all_threads = microseconds(value, time.thread_time), microseconds(value, time.process_time)
            print(
                f"scalar of a {name:20}{all_threads:7.1f} us of CPU, {caller:.1f} in the calling thread "
                f"(at most {MOST_TIME})"
            )
        print(f"{'programs of a step':32}{programs():7.2f} (at most {MOST_PROGRAMS})")


if __name__ == "__main__":
    main()
