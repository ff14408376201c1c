"""Objects that are saved, and the checkpoints that TensorFlow wrote of them.

TFCOMPAT_SUBJECT=tensorflow python -m tests.saved.objects              records the checkpoints of TensorFlow again
python -m tests.saved.objects save|load FOLDER [NAME...]               saves, or prints the restored states, as JSON
"""

from __future__ import annotations

import base64
import gzip
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

RECORD = pathlib.Path(__file__).resolve().parents[1] / "golden" / "checkpoints.json.gz"
DTYPES = (
    *("bfloat16", "float16", "float32", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128"),
)
WORDS = ["", "a", "ä", "x" * 300]
# Two keys of the same place in TensorFlow's dense table, and one of another.
KEYS = [1, 17, 33, 2]
INPUTS = np.arange(32, dtype=np.float32).reshape(8, 4) / 32


class Thing(tf.Module):
    """A module with any attributes."""


class Note(tf.train.experimental.PythonState):
    """A Python object with a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def serialize(self) -> str:
        return self.text

    def deserialize(self, string_value: bytes) -> None:
        self.text = string_value.decode()


class Sums(tf.__internal__.tracking.Trackable):
    """An optimizer by the protocol of Keras 2: with variables that it holds for others."""

    def __init__(self) -> None:
        self.slots: dict[str, Any] = {}
        self.count = self._track_trackable(tf.Variable(0), "count")

    def get_slot_names(self) -> list[str]:
        """The kinds of slots."""
        return ["su/m"]

    def get_slot(self, variable: Any, name: str) -> Any:
        """A slot. Raises AttributeError for other objects than variables, KeyError for other variables."""
        return self.slots[variable._unique_id + name]

    def _create_or_restore_slot_variable(self, slot_variable_position: Any, slot_name: str, variable: Any) -> Any:
        key = variable._unique_id + slot_name
        if key not in self.slots:
            assert slot_variable_position.is_simple_variable()
            first = tf.__internal__.tracking.CheckpointInitialValueCallable(checkpoint_position=slot_variable_position)
            shape = slot_variable_position.value_shape()
            self.slots[key] = tf.Variable(lambda: first(shape=shape, dtype=variable.dtype), name="slot")
        return self.slots[key]

    def add(self, variable: Any) -> None:
        """Adds `variable` to its sum."""
        key = f"{variable._unique_id}su/m"
        if key not in self.slots:
            self.slots[key] = tf.Variable(tf.zeros_like(variable), name="slot")
        self.slots[key].assign_add(variable)
        self.count.assign_add(1)


def module(k: int) -> tf.train.Checkpoint:
    """Variables in attributes of modules, shared and in a circle."""
    thing = Thing()
    thing.weight, thing.inner = tf.Variable([1.0 * k, 2.0], name="weight"), Thing()
    thing.inner.shared, thing.inner.outer = thing.weight, thing
    thing.inner.scalar = tf.Variable(k)
    thing.function = tf.function(lambda x: x)
    return tf.train.Checkpoint(thing)


def containers(k: int) -> tf.train.Checkpoint:
    """Lists, dictionaries and tuples of variables in each other."""
    thing = Thing()
    thing.parts = [tf.Variable(k), {"a": tf.Variable(2 * k), "x/y.z": (tf.Variable(3 * k), [tf.Variable(4 * k)])}]
    return tf.train.Checkpoint(thing=thing, listed=[tf.Variable(5 * k)], named={"b": tf.Variable(6 * k)})


def dtypes(k: int) -> tf.train.Checkpoint:
    """A variable of each dtype, and empty ones."""
    numbers = {name: tf.Variable(tf.cast([[k, 0, 1]], name)) for name in DTYPES}
    return tf.train.Checkpoint(numbers=numbers, nothing=tf.Variable(tf.zeros([2, 0])))


def strings(k: int) -> tf.train.Checkpoint:
    """Strings, and a Python object."""
    return tf.train.Checkpoint(
        word=tf.Variable("w" * k), words=tf.Variable([*WORDS, str(k)]), note=Note("n" * k), none=tf.Variable(WORDS[:0])
    )


def generator(k: int) -> tf.train.Checkpoint:
    """A generator of random numbers, after some draws."""
    drawn = tf.random.Generator.from_seed(k)
    drawn.normal([k])
    return tf.train.Checkpoint(generator=drawn)


def tables(k: int) -> tf.train.Checkpoint:
    """Mutable tables."""
    lookup = tf.lookup.experimental
    plain = lookup.MutableHashTable(tf.string, tf.int64, -1)
    plain.insert(["a", "b"], [k, 2])
    wide = lookup.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    wide.insert(tf.constant([3], tf.int64), [[1.0 * k, 0.5]])
    dense = lookup.DenseHashTable(tf.int64, tf.float32, -1.0, empty_key=-1, deleted_key=-2, initial_num_buckets=16)
    dense.insert(tf.constant(KEYS, tf.int64), tf.cast(KEYS, tf.float32) * k)
    words = lookup.DenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="$", initial_num_buckets=4)
    words.insert(["a", "b", "long" * 9], tf.constant([k, 2 * k, 3], tf.int64))
    pairs = lookup.DenseHashTable(tf.int64, tf.int64, [0, 0], empty_key=[0, 0], deleted_key=[-1, -1])
    pairs.insert(tf.constant([[1, 2], [3, 4]], tf.int64), tf.constant([[k, 1], [2, k]], tf.int64))
    fixed = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    return tf.train.Checkpoint(plain=plain, wide=wide, dense=dense, words=words, pairs=pairs, fixed=fixed)


def keras(k: int) -> tf.train.Checkpoint:
    """Two models of Keras, trained for some steps."""
    layers, optimizers = tf.keras.layers, tf.keras.optimizers
    tf.keras.utils.set_random_seed(k)
    first = tf.keras.Sequential([layers.Dense(3, activation="relu"), layers.BatchNormalization(), layers.Dense(2)])
    given = tf.keras.Input([4])
    second = tf.keras.Model(given, layers.Dense(2)(layers.Dropout(0.5)(given)))
    adam, sgd = optimizers.Adam(0.01), optimizers.SGD(0.1, momentum=0.9)
    checkpoint = tf.train.Checkpoint(first=first, second=second, adam=adam, sgd=sgd)
    trained(checkpoint, 3 if k > 1 else 1)
    return checkpoint


def trained(checkpoint: Any, steps: int) -> list[float]:
    """Trains the models of `keras` for some steps; returns the losses."""
    losses: list[float] = []
    for model, optimizer in ((checkpoint.first, checkpoint.adam), (checkpoint.second, checkpoint.sgd)):
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(INPUTS, training=True) - 1.0))
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            losses.append(float(loss))
    return losses


def slots(k: int) -> tf.train.Checkpoint:
    """Variables of which an optimizer has slots, some of these only in the checkpoint, and variables without."""
    thing, sums = Thing(), Sums()
    thing.parts = [tf.Variable([1.0 * k, 2.0]), tf.Variable([0.5, 4.0 * k, 1.0]), tf.Variable(k)]
    for part in thing.parts[: 2 if k > 1 else 1]:
        sums.add(part)
    return tf.train.Checkpoint(deep=Thing(name="deep"), sums=sums, thing=thing)


def _module_state(checkpoint: Any) -> list[Any]:
    thing = checkpoint.root
    return [thing.weight, thing.inner.scalar]


def _container_state(checkpoint: Any) -> list[Any]:
    first, rest = checkpoint.thing.parts
    one, (more,) = rest["x/y.z"]
    return [first, rest["a"], one, more, checkpoint.listed[0], checkpoint.named["b"]]


def _keras_state(checkpoint: Any) -> list[Any]:
    """Without the seeds of dropout: Keras does not track them for checkpoints of TensorFlow."""
    parts = (checkpoint.first, checkpoint.second, checkpoint.adam, checkpoint.sgd)
    return [each.value for part in parts for each in part.variables if "seed" not in each.path]


def _table_state(checkpoint: Any) -> list[Any]:
    c, long = checkpoint, "long" * 9
    return [
        c.plain.lookup(tf.constant(["a", "b", "c"])),
        c.wide.lookup(tf.constant([3, 4], tf.int64)),
        c.dense.lookup(tf.constant([*KEYS, 5], tf.int64)),
        c.words.lookup(tf.constant(["a", "b", long, "c"])),
        c.pairs.lookup(tf.constant([[1, 2], [3, 4], [2, 1]], tf.int64)),
        *[table.size() for table in (c.plain, c.wide, c.dense, c.words, c.pairs)],
    ]


# The makers of objects, and the values in them that a checkpoint restores.
OBJECTS: dict[str, tuple[Callable[[int], Any], Callable[[Any], list[Any]]]] = {
    "module": (module, _module_state),
    "containers": (containers, _container_state),
    "dtypes": (dtypes, lambda c: [*[c.numbers[name] for name in DTYPES], c.nothing]),
    "strings": (strings, lambda c: [c.word, c.words, c.none, np.array(c.note.text)]),
    "generator": (generator, lambda c: [c.generator.state, c.generator.uniform([2], maxval=99, dtype=tf.int32)]),
    "tables": (tables, _table_state),
    "keras": (keras, _keras_state),
    "slots": (
        slots,
        lambda c: [*c.thing.parts, c.sums.count, *[c.sums.get_slot(v, "su/m") for v in c.thing.parts[:2]]],
    ),
}


def state(name: str, checkpoint: Any) -> list[Any]:
    """The values of the objects `name`, as lists."""
    return [_plain(np.asarray(value)) for value in OBJECTS[name][1](checkpoint)]


def _plain(array: np.ndarray) -> Any:
    if array.dtype.kind in "OSU":
        return [str(array.shape), [w.decode() if isinstance(w, bytes) else str(w) for w in array.ravel().tolist()]]
    if array.dtype.kind == "c":
        return [array.real.tolist(), array.imag.tolist()]
    return array.astype(np.float64).tolist() if array.dtype.kind not in "bui" else array.tolist()


def restored(folder: pathlib.Path) -> dict[str, list[Any]]:
    """The states of TensorFlow's objects; their checkpoints are written to `folder`."""
    record = json.loads(gzip.decompress(RECORD.read_bytes()))
    for name, content in record["files"].items():
        (folder / name).write_bytes(base64.b64decode(content))
    return record["states"]


def save(folder: pathlib.Path, names: list[str]) -> dict[str, list[Any]]:
    """Saves objects; returns their states."""
    found: dict[str, list[Any]] = {}
    for name in names:
        checkpoint = OBJECTS[name][0](3)
        checkpoint.save(str(folder / name))
        found[name] = state(name, checkpoint)
    return found


def load(folder: pathlib.Path, names: list[str]) -> dict[str, list[Any]]:
    """Restores other objects of the same kind, completely; returns their states."""
    found: dict[str, list[Any]] = {}
    for name in names:
        checkpoint = OBJECTS[name][0](1)
        checkpoint.restore(str(folder / f"{name}-1")).assert_consumed()
        assert int(checkpoint.save_counter) == 1
        found[name] = state(name, checkpoint)
    return found


def main() -> None:
    """Records, saves or loads."""
    if sys.argv[1:]:
        way, folder, *names = sys.argv[1:]
        found = {"save": save, "load": load}[way](pathlib.Path(folder), names or list(OBJECTS))
        print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        states = save(folder, list(OBJECTS))
        files = {path.name: base64.b64encode(path.read_bytes()).decode() for path in sorted(folder.iterdir())}
    RECORD.write_bytes(gzip.compress(json.dumps({"states": states, "files": files}).encode(), 9, mtime=0))
    print(f"{len(files)} files recorded from {tf.__name__}", file=sys.stderr)


if __name__ == "__main__":
    main()
