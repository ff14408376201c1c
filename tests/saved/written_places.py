"""Places of iterators that TensorFlow restores, with the elements that follow.

python -m tests.saved.written_places save FOLDER [NAME...]                           saves them here
TFCOMPAT_SUBJECT=tensorflow python -m tests.saved.written_places load FOLDER         restores them in TensorFlow

Both print the elements that follow, as JSON.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.on_tensorflow import stand_in

if __name__ == "__main__" and os.environ.get("TFCOMPAT_SUBJECT") == "tensorflow":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    stand_in.install()
import tfcompat as tf
from tests.saved import places

D = tf.data.Dataset
# The places of each pipeline: the numbers of elements that were read before.
PLACES = (0, 1, 2, 3, 4, 5, 7, 10, 13, 40)


# Pipelines whose places TensorFlow saves, but does not restore from here.
UNWRITTEN = ("lines", "repeated lines", "filtered", "interleaved")


def untuned() -> Any:
    """Options with which TensorFlow optimizes, and computes nothing ahead."""
    options = tf.data.Options()
    options.autotune.enabled = False
    return options


def described(x: Any, y: Any) -> Any:
    """Features of several dtypes."""
    return {"x": tf.cast(x, tf.float16), "length": tf.strings.length(y), "word": y, "odd": x % 2 == 1}


def classified() -> Any:
    """A usual pipeline for training, with a validation part."""
    numbers = np.arange(24, dtype=np.float32).reshape(12, 2)
    pairs = D.from_tensor_slices((numbers, np.arange(12) % 3)).skip(2)
    return pairs.cache().shuffle(6, seed=11).map(lambda x, y: (x / 24.0, tf.one_hot(y, 3)), -1).batch(4).prefetch(-1)


def shuffled() -> Any:
    """Six elements, in another order in each iteration."""
    return D.range(6).shuffle(3, seed=1)


def words() -> Any:
    """Features with strings in a buffer."""
    pairs = D.from_tensor_slices((np.arange(7), places.WORDS))
    return pairs.map(described).shuffle(4, seed=6).repeat(2).batch(2)


PIPELINES: dict[str, Callable[[], Any]] = {
    **{name: make for name, make in places.PIPELINES.items() if name not in UNWRITTEN},
    "classified": classified,
    "words": words,
    "negative range": lambda: D.range(9, -9, -4),
    "number": lambda: D.from_tensors(3).repeat(4),
    "numbers for ever": lambda: D.from_tensors(([1, 2], "x")).repeat(),
    "list": lambda: tf.data.experimental.from_list([(1, "a"), (2, "b"), (3, "")]).shuffle(2, seed=1).repeat(2),
    "slices": lambda: D.from_tensor_slices(np.arange(12.0).reshape(6, 2)).map(lambda x: x + 1).batch(4).repeat(2),
    "filled batches": lambda: D.range(6).batch(3).repeat(2),
    "filled mapped batches": lambda: D.range(6).map(lambda x: x + 1).batch(3).repeat(2),
    "parallel": lambda: D.range(7).map(lambda x: x + 1, num_parallel_calls=2).batch(2, num_parallel_calls=2).repeat(),
    "two maps": lambda: D.range(7).map(lambda x: x + 1).map(lambda x: x * 3).batch(2, drop_remainder=True).repeat(),
    "map of batches at the end": lambda: D.range(7).batch(2).map(lambda x: x * 2).repeat(2),
    "untuned": lambda: D.range(7).shuffle(3, seed=1).map(lambda x: x + 1).batch(2).repeat(3).with_options(untuned()),
    "untuned repetition": lambda: D.range(7).shuffle(3, seed=1).repeat(2).with_options(untuned()),
    "untuned map": lambda: D.range(7).repeat(2).map(lambda x: x + 1).with_options(untuned()),
    "plain shuffle": lambda: D.range(7).shuffle(3, seed=1).repeat(2).with_options(places.plain_options()),
    "plain cache": lambda: D.range(4).cache().repeat(3).with_options(places.plain_options()),
    "small epochs": lambda: D.range(2).shuffle(9, seed=2).repeat(),
    "buffer of one": lambda: D.range(4).shuffle(1, seed=2).repeat(2),
    "exact buffer": lambda: D.range(4).shuffle(4, seed=2).repeat(3),
    "equal shuffles": lambda: D.range(5).shuffle(3, seed=4, reshuffle_each_iteration=False).repeat(3),
    "endless shuffle": lambda: D.range(5).repeat().shuffle(7, seed=4),
    "shuffled twice": lambda: (
        D.range(9).shuffle(4, seed=1).batch(2).concatenate(D.range(20, 26).shuffle(3, seed=5).batch(3))
    ),
    "shuffled batches": lambda: D.range(11).map(lambda x: x + 1).batch(2).shuffle(3, seed=5).repeat(2),
    "shuffled lengths": lambda: D.range(9).map(tf.range).padded_batch(2).shuffle(3, seed=5),
    "shuffled parts": lambda: D.range(4).concatenate(D.range(10, 15)).shuffle(6, seed=5).repeat(2),
    "shuffled part": lambda: D.range(20).shard(2, 1).take(8).skip(1).shuffle(5, seed=3).repeat(2),
    "shuffled pairs": lambda: D.zip(D.range(9), D.range(10, 30)).shuffle(4, seed=3).enumerate(2),
    "cache": lambda: D.range(5).map(lambda x: x * x).cache().repeat(3).batch(2),
    "unseeded": lambda: D.range(26).shuffle(6).batch(2).prefetch(1),
    "full batches of epochs": lambda: shuffled().batch(2).repeat(3),
    "batches of epochs": lambda: shuffled().batch(4).repeat(3),
    "padded epochs": lambda: shuffled().padded_batch(4).repeat(3),
    "part of epochs": lambda: shuffled().take(4).repeat(3),
    "rest of epochs": lambda: shuffled().skip(2).repeat(3),
    "shards of epochs": lambda: shuffled().shard(2, 0).repeat(3),
    "pairs of epochs": lambda: D.zip(shuffled(), D.range(9)).repeat(3),
    "epochs of parts": lambda: D.range(3).concatenate(shuffled()).repeat(3),
    "epochs of shuffled parts": lambda: shuffled().concatenate(shuffled()).repeat(3),
    "epochs with options": lambda: shuffled().repeat(3).with_options(places.plain_options()),
    "skipped": lambda: D.range(9).skip(3),
    "nothing": lambda: D.range(12).take(0).with_options(places.plain_options()),
    "no repetition": lambda: D.range(4).repeat(0),
    "skipped all": lambda: D.range(3).skip(5),
    "take of all": lambda: D.range(3).take(9).repeat(2),
    "three parts": lambda: D.range(2).concatenate(D.range(5, 7)).concatenate(D.range(8, 10)).repeat(2),
    "first epochs": lambda: D.range(4).shuffle(3, seed=8).repeat().take(10),
    "sharded epochs": lambda: D.range(5).repeat(3).shard(2, 1),
}


def begun(name: str, place: int) -> Any:
    """An iterator of a pipeline that has read `place` elements."""
    iterator = iter(PIPELINES[name]())
    for _ in range(place):
        next(iterator, None)
    return iterator


def save(folder: pathlib.Path, names: list[str]) -> dict[str, list[Any]]:
    """Saves the places of iterators; returns the elements that follow."""
    found: dict[str, list[Any]] = {}
    for name in names:
        for place in PLACES:
            iterator = begun(name, place)
            tf.train.Checkpoint(place=iterator).write(str(folder / f"{name}-{place}"))
            found[f"{name}-{place}"] = places.elements(iterator)
    return found


def load(folder: pathlib.Path) -> dict[str, list[Any]]:
    """Restores the places in other iterators; returns the elements that follow."""
    found: dict[str, list[Any]] = {}
    for path in sorted(folder.glob("*.index")):
        iterator = begun(path.stem.rpartition("-")[0], 1)
        try:
            tf.train.Checkpoint(place=iterator).read(str(path.with_suffix(""))).assert_consumed()
            found[path.stem] = places.elements(iterator)
        except tf.errors.OpError as error:
            found[path.stem] = [f"{type(error).__name__}: {error}"[:300]]
    return found


def main() -> None:
    """Saves or loads."""
    way, folder, *names = sys.argv[1:]
    path = pathlib.Path(folder)
    print(json.dumps(load(path) if way == "load" else save(path, names or list(PIPELINES))))


if __name__ == "__main__":
    main()
