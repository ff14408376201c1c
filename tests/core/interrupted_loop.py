"""A training loop interrupted by real signals at random moments: `python interrupted_loop.py KIND TRIALS SEED`.

Twenty variables of 64x64 and their twenty momenta count steps, so that each element equals its number of assignments.
Of the kind "small" they are 8x8, so steps wait for each other and run as loops (see
`tfcompat/_core/tracing/series.py`), which are compiled early.
Prints a line for each error; the last line is the number of signals that were raised.
"""

from __future__ import annotations

import itertools
import random
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import tfcompat as tf
from tfcompat._core.tracing import series

COUNT, SIZE, SMALL = 20, 64, 8
LONGEST = 0.03


class Loop:
    """The variables, and a step that adds 1 to each of them."""

    def __init__(self, kind: str) -> None:
        size = SMALL if kind == "small" else SIZE
        self.weights = [tf.Variable(tf.zeros([size, size])) for _ in range(COUNT)]
        self.momenta = [tf.Variable(tf.zeros([size, size])) for _ in range(COUNT)]
        self.x = tf.ones([size, size])
        self.step: Callable[[], Any] = self._train
        if kind == "decorated":
            self.step = tf.function(self._train, autograph=False)
        elif kind == "op_by_op":
            self.step = self._train_at_once

    def _train(self) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum(w * self.x) for w in self.weights])
        for w, m, g in zip(self.weights, self.momenta, tape.gradient(loss, self.weights), strict=True):
            m.assign(0.5 * m + 0.5 * g + 0.5 * (1.0 - m))
            w.assign_add(g)
        return loss

    def _train_at_once(self) -> Any:
        with tf.config.immediate():
            return self._train()

    def problems(self) -> list[str]:
        """The errors in the variables: lost, partly assigned, or different numbers of assignments."""
        found: list[str] = []
        values: list[float] = []
        for k, w in enumerate(self.weights):
            try:
                value = w.numpy()
                self.momenta[k].numpy()
            except Exception as error:
                found.append(f"variable {k} lost: {type(error).__name__}: {str(error)[:200]}")
                continue
            if (value != value[0, 0]).any() or value[0, 0] != np.round(value[0, 0]):
                found.append(f"variable {k} is half-assigned")
            values.append(float(value[0, 0]))
        if any(before < after for before, after in itertools.pairwise(values)) or (
            values and values[0] - values[-1] > 1
        ):
            found.append(f"variables are out of step: {values}")
        return found


ignored: list[str] = []


def note_ignored(ignoring: Any) -> None:
    """Stores the objects in which Python ignores exceptions."""
    ignored.append(f"{getattr(ignoring.object, '__module__', '')} {ignoring.object!r}")


def run(loop: Loop, delay: float, fired: list[int]) -> None:
    """Trains until the signal arrives.

    It is a function of its own since Python 3.13 does not guard the end of a loop's turn by a `try` around the loop.
    """
    signal.setitimer(signal.ITIMER_REAL, delay)
    while not fired:
        loop.step()


def trial(loop: Loop, delay: float) -> list[str]:
    """The errors after a signal interrupts `loop` after `delay` seconds."""
    fired: list[int] = []
    ignored.clear()

    def interrupt(number: int, _frame: object) -> None:
        fired.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    found: list[str] = []
    try:
        run(loop, delay, fired)
        # Python ignores exceptions in callbacks of the collector and of weak references, some of which are JAX's.
        if not ignored or any("tfcompat" in name for name in ignored):
            found.append(f"the interrupt was swallowed in {ignored}")
    except KeyboardInterrupt:
        pass
    found += loop.problems()
    if found:
        return found
    # An interrupt between two assignments leaves some variables a step ahead: set all to the same value.
    top = max(float(w.numpy()[0, 0]) for w in loop.weights)
    for w in loop.weights:
        w.assign(tf.fill(w.shape, top))
    for _ in range(2):
        loop.step()
    values = {float(w.numpy().min()) for w in loop.weights} | {float(w.numpy().max()) for w in loop.weights}
    if values != {top + 2}:
        found.append(f"the next steps made {values} of {top}")
    return found


def main(kind: str, trials: int, seed: int) -> None:
    """Runs `trials` trials, with concurrent threads that train and read if `kind` is "threads"."""
    sys.unraisablehook = note_ignored
    series._OFTEN = 8
    chance = random.Random(seed)
    loop = Loop(kind)
    for _ in range(4):
        loop.step()
    stop = threading.Event()
    problems: list[str] = []

    def beside() -> None:
        other = Loop("undecorated")
        while not stop.is_set():
            other.step()
            for w in loop.weights[::7]:
                value = w.numpy()
                if (value != value[0, 0]).any():
                    problems.append("a thread read a half-assigned variable")
            problems.extend(other.problems())

    threads = [threading.Thread(target=beside, daemon=True) for _ in range(2 if kind == "threads" else 0)]
    for thread in threads:
        thread.start()
    for k in range(trials):
        problems += [f"trial {k}: {problem}" for problem in trial(loop, chance.uniform(0.0002, LONGEST))]
        if len(problems) > 20:
            break
    stop.set()
    for thread in threads:
        thread.join(timeout=60)
        if thread.is_alive():
            problems.append("a thread does not end")
    print("\n".join([*problems, str(k + 1)]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
