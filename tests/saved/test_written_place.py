"""Places of iterators are saved in TensorFlow's form where it is known."""

from __future__ import annotations

import json
import os
import subprocess
import threading

import numpy as np
import pytest

import tfcompat as tf
from tests.fuzz.oracle import ROOT, interpreter
from tests.saved import places, written_places
from tests.saved.written_places import PIPELINES, PLACES, begun
from tfcompat._data.blocks.order import Order
from tfcompat._data.format.bundle_writer import BundleWriter, stored_variants
from tfcompat._data.format.kernel_message import KernelMessage
from tfcompat._saved.stored_values import StoredValues

D = tf.data.Dataset
KEY = "place/.ATTRIBUTES/ITERATOR_STATE"
GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
OWN = b"tfcompat"


def messages(path):
    """The messages of a place; a string if it has the other form."""
    with StoredValues(path) as values:
        values.verify([KEY])
        return values.verified(KEY).tolist()


def states(texts):
    """The states of kernels, by name."""
    found = [KernelMessage(text, "test") for text in texts]
    return {message.name: message.parts() for message in found if message.name != OWN}


def written(iterator, path):
    """Writes the place of an iterator without the form of this library, if it has TensorFlow's; else False."""
    saved = tf.train.Checkpoint(place=iterator).write(str(path) + "-whole")
    texts = messages(saved)
    if isinstance(texts, bytes):
        return False
    with StoredValues(saved) as values:
        values.verify([GRAPH])
        graph = values.verified(GRAPH)
    kernels = [text for text in texts if KernelMessage(text, "").name != OWN]
    writer = BundleWriter(str(path))
    writer.add_array(GRAPH.encode(), graph, tf.string)
    writer.add([KEY.encode()], [stored_variants(kernels, (len(kernels),))])
    writer.finish()
    return True


def restored(iterator, path):
    """The elements of `iterator` behind the place in a checkpoint."""
    tf.train.Checkpoint(place=iterator).read(str(path)).assert_consumed()
    return places.elements(iterator)


@pytest.mark.parametrize("name", [name for name in PIPELINES if name != "unseeded"])
def test_place_in_the_form_of_tensorflow_is_that_of_the_iterator(name, tmp_path):
    for place in (1, 4, 40):
        iterator = begun(name, place)
        assert written(iterator, tmp_path / str(place))
        assert restored(begun(name, 1), tmp_path / str(place)) == places.elements(iterator)


RECORDED = [*[f"{name}-0" for name in places.PIPELINES if name in PIPELINES], "as described-1", "as described-3"]


@pytest.mark.parametrize("name", RECORDED)
def test_states_of_kernels_are_those_of_tensorflow(name, tmp_path):
    """At places where TensorFlow has read nothing ahead."""
    places.restored(tmp_path)
    path = tf.train.Checkpoint(place=begun(name[:-2], int(name[-1]))).write(str(tmp_path / "own"))
    assert states(messages(path)) == states(messages(str(tmp_path / name)))


def test_order_of_a_second_iteration_is_written(tmp_path):
    def second():
        dataset = places.training()
        next(iter(dataset))
        return iter(dataset)

    iterator = second()
    next(iterator)
    assert written(iterator, tmp_path / "ck")
    assert restored(iter(places.training()), tmp_path / "ck") == places.elements(iterator)


@pytest.mark.parametrize("is_whole", [True, False], ids=["own", "tensorflow"])
def test_restored_place_is_written_again(is_whole, tmp_path):
    iterator = begun("training", 2)
    assert written(iterator, tmp_path / "ck")
    other = iter(places.training())
    tf.train.Checkpoint(place=other).read(str(tmp_path / ("ck-whole" if is_whole else "ck")))
    next(other)
    assert written(other, tmp_path / "again")
    expected = places.elements(iterator)[1:]
    assert restored(iter(places.training()), tmp_path / "again")[: len(expected)] == expected


def _mixed():
    """An iterator whose repetitions alternate with those of another."""
    dataset = D.range(3).shuffle(2, seed=1).map(lambda x: x + 1).repeat()
    iterator, other = iter(dataset), iter(dataset)
    for _ in range(20):
        next(iterator)
        next(other)
    return iterator


def _failing():
    iterator = iter(D.range(5).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 1, tf.float32), "no")))
    next(iterator)
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    return iterator


def _tuned():
    options = tf.data.Options()
    options.experimental_optimization.map_fusion = True
    return iter(D.range(5).map(lambda x: x + 1).with_options(options))


def _random():
    return iter(D.range(5).map(lambda x: x + tf.random.uniform([], maxval=9, dtype=tf.int64, seed=3)))


OTHERS = {
    "mixed": _mixed,
    "failing": _failing,
    "tuned": _tuned,
    "random": _random,
    "interleaved": lambda: iter(places.interleaved()),
    "filtered": lambda: iter(D.range(9).filter(lambda x: x > 2)),
    "unknown buffer": lambda: iter(D.range(9).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=1)),
    "two repetitions": lambda: iter(D.range(9).shuffle(3, seed=1).repeat(2).batch(2).repeat(2)),
    "ragged buffer": lambda: begun_of(D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []])).shuffle(2, seed=1)),
    "counter": lambda: iter(D.counter()),
    "no prefetch": lambda: iter(D.range(3).prefetch(0).batch(2)),
    "plain identity": lambda: iter(D.range(3).take(-1).with_options(places.plain_options())),
}


def begun_of(dataset):
    """An iterator that has read an element."""
    iterator = iter(dataset)
    next(iterator)
    return iterator


@pytest.mark.parametrize("name", OTHERS)
def test_other_places_are_strings(name, tmp_path):
    iterator = OTHERS[name]()
    path = tf.train.Checkpoint(place=iterator).write(str(tmp_path / "ck"))
    assert isinstance(messages(path), bytes)
    expected = places.elements(iterator)
    assert restored(iterator, path) == expected


def test_place_is_written_to_several_files(tmp_path):
    options = tf.train.CheckpointOptions(experimental_sharding_callback=tf.train.experimental.MaxShardSizePolicy(16))
    iterator = begun("training", 3)
    checkpoint = tf.train.Checkpoint(place=iterator, other=tf.Variable([1.0] * 8))
    path = checkpoint.write(str(tmp_path / "ck"), options)
    expected = places.elements(iterator)
    checkpoint.read(path).assert_consumed()
    assert places.elements(iterator) == expected


def test_failed_restore_leaves_the_place(tmp_path):
    path = tf.train.Checkpoint(place=begun("training", 3), v=tf.Variable([1.0])).write(str(tmp_path / "ck"))
    iterator = begun("training", 1)
    with pytest.raises(ValueError, match="incompatible tensor"):
        tf.train.Checkpoint(place=iterator, v=tf.Variable([1.0, 2.0])).read(path)
    assert places.elements(iterator) == places.elements(begun("training", 1))


def test_draws_of_an_endless_shuffle_are_not_repeated_for_each_place(monkeypatch):
    iterator = iter(D.range(5).repeat().shuffle(7, seed=4).batch(100))
    drawn, draw = [], Order._draw
    monkeypatch.setattr(Order, "_draw", lambda self, distances: drawn.append(len(distances)) or draw(self, distances))

    def place():
        """The messages of a place, and the number of draws that they have taken."""
        drawn.clear()
        messages = iterator._serialize_to_tensors()["_STATE"].numpy().tolist()[:-1]
        return states(messages), sum(drawn)

    for _ in range(100):
        next(iterator)
    assert place()[1] == 10_000
    next(iterator)
    found, number = place()
    assert number == 100
    iterator = iter(D.range(5).repeat().shuffle(7, seed=4).batch(10_100))
    next(iterator)
    again, number = place()
    assert number == 10_100
    assert {name: found[name] for name in found if b"Shuffle" in name} == {
        name: again[name] for name in again if b"Shuffle" in name
    }


def test_place_that_threads_save_while_another_one_reads_is_the_same_in_both_forms():
    dataset = D.range(1 << 40).map(lambda x: x + 1)
    iterator, saved, has_ended = iter(dataset), [], threading.Event()

    def read():
        for _ in range(5_000):
            next(iterator)
        has_ended.set()

    def save():
        while not has_ended.is_set():
            saved.append(iterator._serialize_to_tensors()["_STATE"].numpy().tolist())

    threads = [threading.Thread(target=each) for each in (save, save, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert saved
    for *kernels, own in saved:
        behind = []
        for texts in ([own], kernels):
            other = iter(dataset)
            other._restore_from_tensors({"_STATE": tf.constant(np.array(texts, object))})
            behind.append(int(next(other)))
        assert behind[0] == behind[1]


@pytest.mark.thorough
@pytest.mark.skipif(interpreter() is None, reason="no TensorFlow: `make .venv-tensorflow/oracle`")
def test_tensorflow_restores_every_place(tmp_path):
    expected = written_places.save(tmp_path, list(PIPELINES))
    done = subprocess.run(
        [interpreter(), "-m", "tests.saved.written_places", "load", tmp_path],
        cwd=ROOT,
        env={**os.environ, "TFCOMPAT_SUBJECT": "tensorflow"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    assert len(expected) == len(PIPELINES) * len(PLACES)
    assert json.loads(done.stdout) == expected
