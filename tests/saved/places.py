"""Places of iterators that TensorFlow saved, with the elements that followed.

TFCOMPAT_SUBJECT=tensorflow python -m tests.saved.places           records them again
TFCOMPAT_SUBJECT=tensorflow python -m tests.saved.places FOLDER    saves them to a folder, and prints the elements
"""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.on_tensorflow import stand_in

if __name__ == "__main__" and os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    stand_in.install()
import tfcompat as tf

RECORD = pathlib.Path(__file__).resolve().parents[1] / "golden" / "places.json.gz"
D = tf.data.Dataset
TEXT = pathlib.Path(__file__).resolve().parents[2] / "LICENSE"
# The elements that follow a place, at most.
FOLLOWING = 12
WORDS = ["a", "b", "", "long" * 9, "e", "f", "g"]


def plain_options() -> Any:
    """Options that leave the pipeline as the program describes it."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    return options


def interleaved() -> Any:
    """Elements of several datasets in turn."""
    return D.range(4).interleave(lambda x: D.range(x, x + 15), cycle_length=2)


def training() -> Any:
    """A usual pipeline for training."""
    numbers = np.arange(11.0, dtype=np.float32)
    pairs = D.from_tensor_slices((numbers, {"word": np.array([WORDS[int(k) % 7] for k in numbers])}))
    return pairs.shuffle(5, seed=3).repeat().map(lambda x, y: (x * 2.0, y)).batch(4).prefetch(2)


PIPELINES: dict[str, Callable[[], Any]] = {
    "training": training,
    "range": lambda: D.range(3, 30, 4),
    "batches": lambda: D.range(20).batch(3),
    "shuffle": lambda: D.range(20).shuffle(7, seed=3).batch(3, drop_remainder=True),
    "whole": lambda: D.range(9).shuffle(20, seed=4, reshuffle_each_iteration=False).repeat(2),
    "repeated shuffle": lambda: D.range(5).shuffle(3, seed=3).repeat(3),
    "repeated map": lambda: D.range(5).shuffle(3, seed=3).map(lambda x: x + 1).repeat(3),
    "map of batches": lambda: D.range(20).batch(3).map(lambda x: x * 2, num_parallel_calls=2).prefetch(1),
    "batches of a map": lambda: D.range(20).map(lambda x: x * 2).batch(3).repeat(2),
    "parallel batches": lambda: D.range(20).map(lambda x: x + 1).batch(3, num_parallel_calls=2).prefetch(1),
    "dropped": lambda: D.range(20).map(lambda x: x * 2).batch(6, drop_remainder=True).repeat(),
    "padded": lambda: D.range(8).map(tf.range).shuffle(3, seed=1).padded_batch(3).prefetch(1),
    "cached": lambda: D.range(5).cache().shuffle(4, seed=5).repeat().batch(4),
    "parts": lambda: D.range(20).skip(2).shard(3, 1).concatenate(D.range(3)).take(8),
    "filtered": lambda: D.range(30).filter(lambda x: x % 3 != 0).shuffle(4, seed=1).batch(2),
    "lines": lambda: tf.data.TextLineDataset([str(TEXT)]).shuffle(5, seed=1).map(tf.strings.length).batch(2),
    "repeated lines": lambda: tf.data.TextLineDataset([str(TEXT)]).shuffle(5, seed=1).repeat(),
    "interleaved": lambda: interleaved().shuffle(4, seed=2).repeat().batch(3).prefetch(1),
    "zipped": lambda: D.zip(D.range(9).shuffle(4, seed=2), D.from_tensors(1).repeat(20)).batch(2),
    "identity": lambda: D.range(9).map(lambda x: x).prefetch(3).take(-1).repeat(1).map(lambda x: x + 1),
    "enumerated": lambda: D.range(9).enumerate(),
    "empty part": lambda: D.range(9).take(0).concatenate(D.range(5)).repeat(2),
    "as described": lambda: D.range(9).map(lambda x: x + 1).batch(2).repeat(2).with_options(plain_options()),
}
# Pipelines whose places are refused.
REFUSED: dict[str, Callable[[], Any]] = {
    "interleaved": interleaved,
    "unseeded": lambda: D.range(9).shuffle(4),
    "unseeded end": lambda: D.range(9).shuffle(4).batch(2),
    "unseeded cache": lambda: D.range(9).shuffle(4).cache().repeat().batch(4),
}
# The numbers of elements that were read before the place was saved.
PLACES = (0, 1, 3, 6)


def shown(element: Any) -> Any:
    """An element as JSON has it."""
    return [np.asarray(leaf).astype(str).tolist() for leaf in tf.nest.flatten(element)]


def elements(iterator: Any) -> list[Any]:
    """The next elements."""
    return [shown(element) for element in itertools.islice(iterator, FOLLOWING)]


def save(folder: pathlib.Path) -> dict[str, list[Any]]:
    """Saves the places of iterators; returns the elements that follow."""
    found: dict[str, list[Any]] = {}
    for name, make in PIPELINES.items():
        for place in PLACES:
            iterator = iter(make())
            for _ in range(place):
                next(iterator, None)
            tf.train.Checkpoint(place=iterator).write(str(folder / f"{name}-{place}"))
            found[f"{name}-{place}"] = elements(iterator)
    # The second iteration of a dataset, whose order is another one.
    again = training()
    next(iter(again))
    iterator = iter(again)
    next(iterator)
    tf.train.Checkpoint(place=iterator).write(str(folder / "training-again"))
    found["training-again"] = elements(iterator)
    for name, make in REFUSED.items():
        iterator = iter(make())
        for _ in range(4):
            next(iterator)
        tf.train.Checkpoint(place=iterator).write(str(folder / name))
    return found


def restored(folder: pathlib.Path) -> dict[str, list[Any]]:
    """The elements that follow TensorFlow's places, whose checkpoints are written to `folder`."""
    record = json.loads(gzip.decompress(RECORD.read_bytes()))
    for name, content in record["files"].items():
        (folder / name).write_bytes(base64.b64decode(content))
    return record["elements"]


def main() -> None:
    """Records or saves."""
    if sys.argv[1:]:
        print(json.dumps(save(pathlib.Path(sys.argv[1]))))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        found = save(folder)
        files = {path.name: base64.b64encode(path.read_bytes()).decode() for path in sorted(folder.iterdir())}
    RECORD.write_bytes(gzip.compress(json.dumps({"elements": found, "files": files}).encode(), 9, mtime=0))
    print(f"{len(files)} files recorded from {tf.__name__}", file=sys.stderr)


if __name__ == "__main__":
    main()
