"""`save` and `load`: shards, types, errors, and the files after an interrupted call."""

from __future__ import annotations

import collections
import os
import pathlib
import signal
import subprocess
import sys

import pytest

import tfcompat as tf
from tests.data.reading import count_of, listed, refuses

D = tf.data.Dataset
INVALID = tf.errors.InvalidArgumentError


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "saved")


def shard_file(place):
    (found,) = pathlib.Path(place).glob("*/*/*.snapshot")
    return found


def test_load_has_the_elements_and_their_type(place):
    D.range(5).save(place)
    found = D.load(place)
    assert repr(found) == "<_LoadDataset element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    assert listed(found) == list(range(5))
    assert count_of(found) == 5
    assert listed(found.skip(1).repeat(2).batch(3)) == [[1, 2, 3], [4, 1, 2], [3, 4]]


def test_second_save_takes_the_place_of_the_first(place):
    D.range(5).save(place)
    D.range(2).save(place)
    assert listed(D.load(place)) == [0, 1]


def test_named_tuples_are_loaded_as_such(place):
    kind = collections.namedtuple("Pair", "x y")
    D.from_tensors(kind(1, "a")).save(place)
    found = next(iter(D.load(place)))
    assert (type(found).__name__, int(found.x), found.y.numpy()) == ("Pair", 1, b"a")


def test_shards_are_read_in_turn(place):
    D.range(8).save(place, shard_func=lambda x: x % 3)
    in_order = D.load(place, reader_func=lambda shards: shards.flat_map(lambda x: x))
    in_turn = D.load(place, reader_func=lambda shards: shards.interleave(lambda x: x, cycle_length=3))
    assert listed(in_order) == [0, 3, 6, 1, 4, 7, 2, 5]
    assert listed(in_turn) == list(range(8))
    assert sorted(listed(D.load(place))) == list(range(8))
    assert count_of(in_order) == 8


def test_shard_of_a_pair(place):
    D.range(4).map(lambda x: (x, -x)).save(place, shard_func=lambda _, y: tf.cast(y < -1, tf.int64))
    shards = sorted(path.parent.name for path in pathlib.Path(place).glob("*/*/*"))
    assert shards == ["00000000.shard", "00000001.shard"]


def to_int32(x):
    return tf.cast(x, tf.int32)


@pytest.mark.parametrize("function", [to_int32, lambda x: x / 2, lambda _: 2], ids=["int32", "float", "python"])
def test_shard_must_be_an_int64(place, function):
    refuses(lambda: D.range(3).save(place, shard_func=function), INVALID, "`shard_func` must return a scalar int64")


def test_type_of_the_caller_is_checked_when_elements_are_read(place):
    D.range(3).save(place)
    wrong = D.load(place, tf.TensorSpec([], tf.int32))
    refuses(lambda: listed(wrong), INVALID, "Data type mismatch at component 0: expected int32 but got int64")
    wrong = D.load(place, tf.TensorSpec([2], tf.int64))
    refuses(lambda: listed(wrong), INVALID, r"Incompatible shapes at component 0: expected \[2\] but got \[\]")
    assert listed(D.load(place, tf.TensorSpec(None, tf.int64))) == [0, 1, 2]


def test_missing_parts(place):
    refuses(lambda: D.load(place), tf.errors.NotFoundError, "element_spec file not found")
    D.range(3).save(place)
    os.remove(f"{place}/snapshot.metadata")
    refuses(lambda: D.load(place), tf.errors.NotFoundError, "Could not find metadata file")
    pathlib.Path(place, "dataset_spec.pb").write_bytes(b"")
    refuses(lambda: D.load(place), tf.errors.NotFoundError, "not found or invalid")


def test_bad_arguments(place):
    pathlib.Path(place).write_text("a file")
    refuses(lambda: D.range(3).save(place), tf.errors.FailedPreconditionError, "is not a directory")
    refuses(lambda: D.range(3).save(5), TypeError, "Expected binary or unicode string, got 5")
    refuses(lambda: D.range(3).save(f"{place}2", checkpoint_args={"checkpoint": 1}), ValueError, "checkpoint_args")


@pytest.mark.parametrize("change", [lambda data: data[:-3], lambda data: data[:-9] + b"\xff" + data[-8:]])
def test_corrupted_records(place, change):
    D.range(3).save(place)
    path = shard_file(place)
    path.write_bytes(change(path.read_bytes()))
    iterator = iter(D.load(place))
    assert [int(next(iterator)), int(next(iterator))] == [0, 1]
    refuses(lambda: next(iterator), tf.errors.DataLossError, "truncated record at 60|corrupted record at 72")


def test_other_compression(place):
    D.range(5).save(place, compression="GZIP")
    refuses(lambda: listed(D.load(place)), tf.errors.DataLossError, "corrupted record at 0")
    assert listed(D.load(place, compression="GZIP")) == list(range(5))


KILLED = """
import sys, time
import tfcompat as tf
def slow():
    for x in range(10**9):
        yield x
        if x == 20:
            print("going", flush=True)
signature = tf.TensorSpec([], tf.int64)
dataset = tf.data.Dataset.from_generator(slow, output_signature=signature)
dataset.save(sys.argv[1]) if sys.argv[2] == "save" else list(dataset.cache(sys.argv[1]))
"""


@pytest.mark.parametrize("kind", ["save", "cache"])
def test_killed_process_leaves_nothing_that_looks_complete(place, kind):
    with subprocess.Popen([sys.executable, "-c", KILLED, place, kind], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"going\n"
        process.send_signal(signal.SIGKILL)
    if kind == "save":
        refuses(lambda: D.load(place), tf.errors.NotFoundError, "element_spec file not found")
        D.range(2).save(place)
        assert listed(D.load(place)) == [0, 1]
    else:
        cached = D.range(2).cache(place)
        refuses(lambda: listed(cached), tf.errors.AlreadyExistsError, "delete the lockfile")
        os.remove(f"{place}_0.lockfile")
        assert listed(cached) == [0, 1]
