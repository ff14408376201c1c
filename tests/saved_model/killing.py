"""Processes that save models are killed at random moments; the folder then has a whole model, or none.

python -m tests.saved_model.killing FOLDER ROUNDS SEED
"""

from __future__ import annotations

import os
import pathlib
import random
import sys

import numpy as np

import tfcompat as tf
from tests.saved import killing

# Some variables of different sizes, so that files are written in parts.
SIZES = (1, 300_000, 5)
LONGEST = 0.2


class Saver:
    """Loads and saves a model whose variables and function all hold the number of the last save."""

    def __init__(self, way: str, folder: pathlib.Path) -> None:
        del way
        self.path = str(folder / "model")

    def restore(self) -> int:
        """The number of the model; 0 if a process was killed before the first model was whole, or between two."""
        if not tf.saved_model.contains_saved_model(self.path):
            return 0
        loaded = tf.saved_model.load(self.path)
        [number] = {int(each) for v in loaded.parts for each in (v.numpy().min(), v.numpy().max())}
        assert loaded.f(tf.constant(1, tf.int64)).numpy().tolist() == [number, number + 1]
        return number

    def save(self, number: int) -> int:
        """Saves `number`, in the variables and in the program of the function."""
        module = tf.Module()
        module.parts = [tf.Variable(np.full([size], number)) for size in SIZES]
        constant = tf.constant([number, number], tf.int64)
        module.f = tf.function(
            lambda x: constant + x * tf.constant([0, 1], tf.int64), input_signature=[tf.TensorSpec([], tf.int64)]
        )
        tf.saved_model.save(module, self.path)
        return number


def main() -> None:
    """Kills as many processes as are asked for; prints the number of those that left a whole model."""
    folder, rounds, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    draw = random.Random(seed)
    killing.Saver = Saver
    found = 0
    for _ in range(rounds):
        killing.killed("model", folder, 0, LONGEST * draw.random())
        found += os.path.exists(folder / "model" / "saved_model.pb")
    print(found)


if __name__ == "__main__":
    main()
