"""`tf.data.Dataset.snapshot` and `fingerprint`."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import listed, refuses

D = tf.data.Dataset
INVALID = tf.errors.InvalidArgumentError


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "place")


class Counted:
    """A function of elements that counts the elements that it computes."""

    def __init__(self):
        self.count = 0

    def __call__(self, x):
        def called(value):
            self.count += 1
            return value * 2

        found = tf.numpy_function(called, [x], tf.int64)
        found.set_shape([])
        return found


def test_elements_are_computed_once(place):
    counted = Counted()
    dataset = D.range(4).map(counted).snapshot(place)
    assert dataset.element_spec == tf.TensorSpec([], tf.int64)
    assert int(dataset.cardinality()) == 4
    assert [listed(dataset) for _ in range(3)] == [[0, 2, 4, 6]] * 3
    assert counted.count == 4


def files(place):
    return sorted(path.name for path in pathlib.Path(place).rglob("*") if path.is_file())


@pytest.mark.parametrize("compression", ["AUTO", "GZIP", "ZLIB", "SNAPPY", None])
def test_structures_and_compression(place, compression):
    elements = {"a": np.arange(6, dtype=np.float32).reshape(3, 2), "b": (["x", "", "zz"], [True, False, True])}
    dataset = D.from_tensor_slices(elements).snapshot(place, compression=compression)
    first, second = (list(dataset.as_numpy_iterator()) for _ in range(2))
    assert "snapshot.metadata" in files(place)
    for one, other, row in zip(first, second, elements["a"], strict=True):
        np.testing.assert_array_equal(one["a"], row)
        np.testing.assert_array_equal(one["a"], other["a"])
        assert one["b"] == other["b"]


def test_another_dataset_has_files_of_its_own(place):
    assert listed(D.range(3).snapshot(place)) == [0, 1, 2]
    assert listed(D.range(4).snapshot(place)) == [0, 1, 2, 3]
    for factor in (2, 3):
        dataset = D.range(3).map(lambda x, factor=factor: x * factor).snapshot(place)
        assert [listed(dataset) for _ in range(2)] == [[0, factor, 2 * factor]] * 2
    assert len(os.listdir(place)) == 4


def test_a_part_is_not_kept(place):
    counted = Counted()
    dataset = D.range(4).map(counted).snapshot(place)
    iterator = iter(dataset)
    assert int(next(iterator)) == 0
    del iterator
    assert listed(dataset.take(2)) == [0, 2]
    assert listed(dataset) == [0, 2, 4, 6]
    computed = counted.count
    assert listed(dataset) == [0, 2, 4, 6]
    assert counted.count == computed


def test_shards(place):
    dataset = D.range(5).snapshot(place, shard_func=lambda x: x % 2)
    listed(dataset)
    (run,) = [path.parent.parent for path in pathlib.Path(place).rglob("00000001.shard/*")]
    assert sorted(path.name for path in run.iterdir()) == ["00000000.shard", "00000001.shard"]
    assert sorted(listed(dataset)) == [0, 1, 2, 3, 4]


def test_order_of_shards(place):
    def read(shards):
        return shards.interleave(lambda shard: shard, cycle_length=1)

    dataset = D.range(5).snapshot(place, shard_func=lambda x: x % 2, reader_func=read)
    listed(dataset)
    assert listed(dataset) == [0, 2, 4, 1, 3]


def test_repetitions(place):
    dataset = D.range(5).shuffle(5, seed=1).snapshot(place).repeat(3)
    found = listed(dataset)
    assert found[:5] == found[5:10] == found[10:]


def test_twin(place):
    assert listed(D.range(3).apply(tf.data.experimental.snapshot(place))) == [0, 1, 2]
    assert "snapshot.metadata" in files(place)


def test_bad_arguments(place):
    refuses(lambda: D.range(3).snapshot(3), TypeError, "3")
    refuses(lambda: listed(D.range(3).snapshot([place])), INVALID, "path must be a scalar")
    refuses(lambda: D.range(3).snapshot(place, shard_func=3), ValueError, "must be a callable")


def number(dataset):
    return int(dataset.fingerprint())


def test_fingerprints_of_datasets_that_are_made_alike():
    assert D.range(4).fingerprint().dtype is tf.uint64
    assert D.range(4).fingerprint().shape == []
    doubled = [D.from_tensor_slices([1.0, 2.0]).shuffle(3).map(lambda x: x * 2).batch(2) for _ in range(2)]
    assert number(doubled[0]) == number(doubled[1])
    listed(doubled[0])
    assert number(doubled[0]) == number(doubled[1])


def scaled(x):
    return x * FACTOR


FACTOR = 2.0


def test_fingerprints_of_other_datasets(monkeypatch):
    source = D.from_tensor_slices([1.0, 2.0])
    half = 0.5
    made = [
        source,
        D.from_tensor_slices([1.0, 3.0]),
        D.from_tensor_slices([1, 2]),
        source.batch(2),
        source.batch(2, drop_remainder=True),
        source.shuffle(2, seed=1),
        source.map(lambda x: x + 1),
        source.map(lambda x: x + 2),
        source.map(lambda x: x - 1),
        source.map(lambda x: x + half),
        source.map(scaled),
        source.filter(lambda x: x > 1),
        source.repeat(2).take(3),
        source.take(3).repeat(2),
        D.zip(source, source.batch(1)),
        source.interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=1),
        source.interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=1),
        source.interleave(lambda x: D.from_tensors(x).repeat(3), cycle_length=2),
    ]
    assert len(set(map(number, made))) == len(made)
    before = number(source.map(scaled))
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert number(source.map(scaled)) != before


def test_places_of_iterators(place):
    dataset = D.range(4).snapshot(place)
    for _ in range(2):
        # The first iterator writes the elements, the second one reads them.
        iterator = iter(dataset)
        saved = tf.train.Checkpoint(iterator=iterator)
        begun = saved.write(f"{place}-begun")
        assert [int(x) for x in iterator] == [0, 1, 2, 3]
        ended = saved.write(f"{place}-ended")
        saved.read(begun)
        assert [int(x) for x in iterator] == [0, 1, 2, 3]
        saved.read(ended)
        assert [int(x) for x in iterator] == []


def test_place_in_a_snapshot_that_is_removed(place):
    dataset = D.range(4).snapshot(place)
    listed(dataset)
    iterator = iter(dataset)
    next(iterator)
    saved = tf.train.Checkpoint(iterator=iterator)
    half = saved.write(f"{place}-half")
    shutil.rmtree(place)
    refuses(lambda: saved.read(half), tf.errors.DataLossError, ".")
    assert [int(x) for x in iterator] == [1, 2, 3]


class Settings:
    factor = 2


def test_functions_count_with_what_they_were_traced_with(place, monkeypatch):
    made = [D.range(3).map(lambda x, factor=factor: x * factor).snapshot(place) for factor in (2, 3)]
    late = []
    for k in (4, 5):
        late.append(D.range(3).map(lambda x: x * k).snapshot(place))  # noqa: B023 - it is traced at once
    assert [listed(dataset) for dataset in made + late] == [[0, n, 2 * n] for n in (2, 3, 4, 5)]
    source = D.range(3)
    before = number(source.map(lambda x: x * Settings.factor))
    assert number(source.map(lambda x: x * Settings.factor)) == before
    monkeypatch.setattr(Settings, "factor", 3)
    assert number(source.map(lambda x: x * Settings.factor)) != before
    branches = [
        source.map(lambda x, text=text: tf.cond(x > 1, lambda: tf.strings.as_string(x), lambda: tf.constant(text)))
        for text in ("a", "b", "a")
    ]
    assert number(branches[0]) == number(branches[2]) != number(branches[1])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_processes_leave_a_snapshot_alone(place):
    dataset = D.range(5000).snapshot(place, compression=None)
    iterator = iter(dataset)
    for _ in range(3000):
        next(iterator)
    child = os.fork()
    if not child:
        signal.alarm(60)  # another thread may have held a lock when this process was forked
        del iterator
        os._exit(0)
    os.waitpid(child, 0)
    assert [int(x) for x in iterator] == list(range(3000, 5000))
    assert listed(dataset) == list(range(5000))


SCRIPT = """
import sys
import numpy as np
import MODULE as tf
def scale(x):
    return inner(x) * 2.0
def inner(x):
    return x + len({"a", "b", "c"})
offset = np.arange(3.0)
def read():
    yield 1.0
data = tf.data.Dataset.from_tensor_slices(np.ones([4, 3])).map(scale).map(lambda x: x + offset).shuffle(4)
from_python = tf.data.Dataset.from_generator(read, output_signature=tf.TensorSpec([], tf.float32))
print(int(data.fingerprint()), 0 if "tensorflow" in sys.modules else int(from_python.fingerprint()))
"""


def test_fingerprints_are_those_of_another_process(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.replace("MODULE", tf.__name__.partition(".")[0]))
    command = [sys.executable, str(path)]
    found = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert found[0] == found[1]
    assert found[0]


def test_elements_after_an_error_of_the_disk_are_not_kept(place):
    full = D.range(3).snapshot("/dev/full/place")
    refuses(lambda: listed(full), tf.errors.OpError, "place")
    pathlib.Path(place).write_text("a file")
    refuses(lambda: listed(D.range(3).snapshot(place)), tf.errors.OpError, "place")
