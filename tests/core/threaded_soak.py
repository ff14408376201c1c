"""Eight threads that train, evaluate, load, trace and read each other's tensors: `python threaded_soak.py SECONDS`.

Each worker's results must equal those of sequential work. Prints a line for each error, and last the turns.
"""

from __future__ import annotations

import faulthandler
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tfcompat as tf

SIZE = 48
PATIENCE = 120


class Trainer:
    """A small network trained with momentum, `step` undecorated or decorated; it shows its last loss to others."""

    def __init__(self, seed: int, is_decorated: bool) -> None:
        chance = np.random.default_rng(seed)
        self.x = tf.constant(chance.standard_normal((16, SIZE)), tf.float32)
        self.y = tf.constant(chance.integers(0, SIZE, 16))
        first = chance.standard_normal((2, SIZE, SIZE)).astype(np.float32) / 8
        self.weights = [tf.Variable(w) for w in first]
        self.momenta = [tf.Variable(tf.zeros_like(w)) for w in first]
        self.losses: list[float] = []
        self.shown: Any = tf.constant(0.0)
        self.step: Callable[[], Any] = tf.function(self._step, autograph=False) if is_decorated else self._step

    def _step(self) -> Any:
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.tanh(tf.matmul(self.x, self.weights[0])), self.weights[1])
            entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.y, logits=logits)
            loss = tf.reduce_mean(entropy)
        for w, m, g in zip(self.weights, self.momenta, tape.gradient(loss, self.weights), strict=True):
            m.assign(0.9 * m + g)
            w.assign_sub(0.01 * m)
        return loss

    def turn(self) -> None:
        """One step; every fourth loss is read."""
        loss = self.step()
        self.shown = loss * 1.0
        if len(self.losses) % 4 == 0:
            self.losses.append(float(loss))
        else:
            self.losses.append(0.0)


def trained(seed: int, is_decorated: bool, turns: int) -> list[float]:
    """The losses of `turns` steps done alone."""
    trainer = Trainer(seed, is_decorated)
    for _ in range(turns):
        trainer.turn()
    return trainer.losses


def main(seconds: float) -> None:
    """Runs the threads for the given time, then does the same work sequentially and compares."""
    faulthandler.dump_traceback_later(seconds + 3 * PATIENCE, exit=True)
    problems: list[str] = []
    stop = threading.Event()
    trainers = [Trainer(k, k % 2 == 1) for k in range(3)]
    batches: queue.Queue[Any] = queue.Queue(maxsize=4)
    counter = tf.Variable(0.0)
    table = tf.Variable(tf.zeros([64, 64]))
    added = [0, 0]
    eaten: list[float] = []

    def training(trainer: Trainer) -> Callable[[], None]:
        return trainer.turn

    def evaluate() -> None:
        for trainer in trainers:
            value = float(trainer.shown)
            weight = trainer.weights[0].numpy()
            if not np.isfinite(value) or not np.isfinite(weight).all():
                problems.append("a value that another thread computes is not finite")

    def load() -> None:
        tensor = tf.fill([8], float(len(loaded))) + 1.0
        loaded.append(None)
        try:
            batches.put(tensor.numpy(), timeout=0.5)
        except queue.Full:
            loaded.pop()

    loaded: list[None] = []

    def eat() -> None:
        try:
            eaten.append(float(taking()[0]))
        except tf.errors.OpError:
            if not stop.is_set():
                raise

    def next_batch() -> Any:
        while True:
            try:
                return batches.get(timeout=0.5)
            except queue.Empty:
                if stop.is_set():
                    raise

    @tf.function(autograph=False)
    def taking() -> Any:
        batch = tf.numpy_function(next_batch, [], tf.TensorSpec([8], tf.float32))
        counter.assign_add(1.0)
        return batch

    def trace() -> None:
        size = 1 + added[0] % 5
        function = tf.function(lambda x: [counter.assign_add(0.0), tf.reduce_sum(x * x)][1], autograph=False)
        if float(function(tf.ones([size]))) != size:
            problems.append("a new function answered something else")
        table.assign_add(tf.ones([64, 64]))
        added[0] += 1

    adding = tf.function(lambda: table.assign_add(tf.ones([64, 64])), autograph=False)

    def assign() -> None:
        adding()
        added[1] += 1

    def forever(turn: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                while not stop.is_set():
                    turn()
            except Exception as error:
                problems.append(f"{getattr(turn, '__qualname__', turn)}: {type(error).__name__}: {str(error)[:300]}")
                stop.set()

        return run

    turns = [*map(training, trainers), evaluate, load, eat, trace, assign]
    threads = [threading.Thread(target=forever(turn), daemon=True) for turn in turns]
    for thread in threads:
        thread.start()
    stop.wait(seconds)
    stop.set()
    end = time.monotonic() + PATIENCE
    for turn, thread in zip(turns, threads, strict=True):
        thread.join(max(0.0, end - time.monotonic()))
        if thread.is_alive():
            problems.append(f"the thread of {turn.__qualname__} does not end")
            faulthandler.dump_traceback(all_threads=True)
            break
    if not problems:
        for k, trainer in enumerate(trainers):
            if trainer.losses != trained(k, k % 2 == 1, len(trainer.losses)):
                problems.append(f"trainer {k} has other losses than alone")
        if np.unique(table.numpy()).tolist() != [float(sum(added))]:
            problems.append(f"assignments were lost: {np.unique(table.numpy())} of {sum(added)}")
        if eaten != [float(k + 1) for k in range(len(eaten))] or float(counter) < len(eaten):
            problems.append("batches were lost")
    done = [*(len(t.losses) for t in trainers), len(loaded), len(eaten), *added]
    print("\n".join([*problems, f"turns: {done}"]))


if __name__ == "__main__":
    main(float(sys.argv[1]))
