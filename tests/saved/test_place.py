"""Places of iterators that TensorFlow saved are restored."""

from __future__ import annotations

import json
import os
import random
import subprocess

import numpy as np
import pytest

import tfcompat as tf
from tests import repetition
from tests.fuzz.oracle import ROOT, interpreter
from tests.saved import places
from tests.saved.test_hostile_checkpoint import mutant
from tfcompat._data.format.bundle_writer import BundleWriter, stored_variants
from tfcompat._saved.stored_values import StoredValues

KEY = "place/.ATTRIBUTES/ITERATOR_STATE"
GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
NAMES = [*[f"{name}-{k}" for name in places.PIPELINES for k in places.PLACES], "training-again"]
ERRORS = (tf.errors.DataLossError, NotImplementedError)


def continued(folder, name):
    """The elements behind the place `name`, in a new iterator; one has been read from it before."""
    iterator = iter(places.PIPELINES[name.rpartition("-")[0]]())
    next(iterator)
    tf.train.Checkpoint(place=iterator).read(str(folder / name)).assert_consumed()
    return places.elements(iterator)


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    folder = tmp_path_factory.mktemp("places")
    return folder, places.restored(folder)


@pytest.mark.parametrize("name", NAMES)
def test_iterator_continues_where_that_of_tensorflow_was_saved(name, record):
    folder, expected = record
    assert continued(folder, name) == expected[name]


def test_restored_place_is_saved_again(record, tmp_path):
    folder, expected = record
    iterator = iter(places.training())
    checkpoint = tf.train.Checkpoint(place=iterator)
    checkpoint.read(str(folder / "training-3"))
    path = checkpoint.write(str(tmp_path / "ck"))
    assert places.elements(iterator) == expected["training-3"]
    other = iter(places.training())
    tf.train.Checkpoint(place=other).read(path).assert_consumed()
    assert places.elements(other) == expected["training-3"]


@pytest.mark.parametrize(
    ("place", "dataset"),
    [
        pytest.param("batches-3", lambda: tf.data.Dataset.range(20), id="kind"),
        pytest.param("batches-3", lambda: tf.data.Dataset.range(4).batch(3), id="length"),
    ],
)
def test_place_in_another_dataset_is_refused(place, dataset, record):
    iterator = iter(dataset())
    first = places.shown(next(iterator))
    with pytest.raises(tf.errors.DataLossError, match=r"is corrupted|is that of"):
        tf.train.Checkpoint(place=iterator).read(str(record[0] / place))
    assert [first, *places.elements(iterator)][:2] == places.elements(iter(dataset()))[:2]


@pytest.mark.parametrize("name", ["training-3", "parts-3", "repeated map-3"])
def test_broken_place_is_refused(name, record, tmp_path):
    """With right checksums. Some changes remain unnoticed, such as those of elements in buffers."""
    folder, _ = record
    with StoredValues(str(folder / name)) as values:
        values.verify([KEY, GRAPH])
        messages, graph = values.verified(KEY).tolist(), values.verified(GRAPH)
    draw, refused = random.Random(name), 0
    pipeline = places.PIPELINES[name.rpartition("-")[0]]
    expected = places.elements(iter(pipeline()))
    count = repetition.count(300)
    for number in range(count):
        broken = list(messages)
        at = draw.randrange(len(broken))
        broken[at] = mutant(broken[at], draw)
        writer = BundleWriter(str(tmp_path / str(number)))
        writer.add_array(GRAPH.encode(), np.array(graph.item(), object), tf.string)
        writer.add([KEY.encode()], [stored_variants(broken, (len(broken),))])
        writer.finish()
        iterator = iter(pipeline())
        try:
            tf.train.Checkpoint(place=iterator).read(str(tmp_path / str(number)))
        except ERRORS:
            refused += 1
            assert places.elements(iterator) == expected
    assert refused > count // 10


@pytest.mark.thorough
@pytest.mark.skipif(interpreter() is None, reason="no TensorFlow: `make .venv-tensorflow/oracle`")
def test_places_that_tensorflow_saves_now_are_restored(tmp_path):
    """TensorFlow has read ahead, by chance more or less far."""
    done = subprocess.run(
        [interpreter(), "-m", "tests.saved.places", tmp_path],
        cwd=ROOT,
        env={**os.environ, "TFCOMPAT_SUBJECT": "tensorflow"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    expected = json.loads(done.stdout)
    assert {name: continued(tmp_path, name) for name in NAMES} == expected
