"""Checkpoints of several data files."""

from __future__ import annotations

import logging
import pathlib

import numpy as np
import pytest

import tfcompat as tf

RECORD = pathlib.Path(__file__).with_name("sharded")
train = tf.train.experimental


def options(callback):
    return tf.train.CheckpointOptions(experimental_sharding_callback=callback)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class One(train.ShardingCallback):
    """Gives `shards`, made of the tensors."""

    def __init__(self, shards):
        self._shards = shards

    @property
    def description(self):
        return "one"

    def __call__(self, shardable_tensors):
        return self._shards(shardable_tensors)


def numbered():
    module = tf.Module()
    module.rows, module.count = tf.Variable(tf.reshape(tf.range(48.0), [12, 4])), tf.Variable(np.array([5, 6, 7]))
    module.words = tf.Variable(["a", "bc", "d" * 30])
    return module


def test_files_of_limited_size_are_those_of_tensorflow(tmp_path):
    tf.train.Checkpoint(numbered()).write(tmp_path / "model", options(train.MaxShardSizePolicy(64)))
    assert contents(tmp_path) == contents(RECORD)


def test_one_file_for_each_process(tmp_path):
    for name, callback in (("by task", train.ShardByTaskPolicy()), ("default", None)):
        (tmp_path / name).mkdir()
        tf.train.Checkpoint(numbered()).write(tmp_path / name / "model", options(callback))
    assert contents(tmp_path / "by task") == contents(tmp_path / "default")


@pytest.mark.parametrize("size", [16, 100, 10_000])
def test_checkpoint_of_several_files_replaces_another(size, tmp_path):
    """Each has the values of its time, and no data file of the one before is left."""
    module = tf.Module()
    module.cube, module.empty = tf.Variable(tf.ones([3, 5, 2])), tf.Variable(tf.zeros([0, 3]))
    module.table = tf.Variable([["a", "bcd"], ["", "e" * 20]])
    checkpoint, numbers = tf.train.Checkpoint(module), []
    for value in (1.0, 2.0, 3.0):
        module.cube.assign(tf.reshape(tf.range(30.0), [3, 5, 2]) * value)
        checkpoint.write(tmp_path / "model", options(train.MaxShardSizePolicy(size)))
        numbers.append(len(contents(tmp_path)))
        module.cube.assign(tf.zeros([3, 5, 2]))
        module.table.assign([[""] * 2] * 2)
        checkpoint.read(tmp_path / "model").assert_consumed()
        np.testing.assert_array_equal(module.cube, np.arange(30.0).reshape(3, 5, 2) * value)
        assert module.table.numpy().tolist() == [[b"a", b"bcd"], [b"", b"e" * 20]]
    assert len(set(numbers)) == 1
    assert (numbers[0] == 2) == (size == 10_000)


def test_row_that_is_larger_than_a_file_is_logged(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        tf.train.Checkpoint(numbered()).write(tmp_path / "model", options(train.MaxShardSizePolicy(20)))
    assert "words/.ATTRIBUTES/VARIABLE_VALUE's minimum slice 3 2,1 has size 30 bytes" in caplog.text


def test_callback_of_the_user(tmp_path):
    given = []

    def halves(tensors):
        given.extend(tensors)
        [rows] = [each for each in tensors if each.checkpoint_key.startswith("rows")]
        first = {each.checkpoint_key: {each.slice_spec: each.tensor} for each in tensors if each is not rows}
        key = rows.checkpoint_key
        return [{**first, key: {"12 4 0,5:0,4": rows.tensor[:5]}}, {key: {"12 4 5,7:-": rows.tensor[5:]}}]

    module = numbered()
    tf.train.Checkpoint(module).write(tmp_path / "model", options(One(halves)))
    assert len(contents(tmp_path)) == 3
    assert [each.name for each in given] == [each.checkpoint_key for each in given]
    assert all(each.trackable is getattr(module, each.name.partition("/")[0], None) for each in given)
    assert (given[0].dtype, given[0].device.device_type) == (given[0].tensor.dtype, "CPU")
    found = numbered()
    found.rows.assign(tf.zeros([12, 4]))
    tf.train.Checkpoint(found).read(tmp_path / "model").assert_consumed()
    np.testing.assert_array_equal(found.rows, module.rows)


@pytest.mark.parametrize("spec", ["12 4 0,5:0,4", "12 4 0,12", "12 4 0,13:0,4", "x", "12 4 0,5:a,4"])
def test_part_that_is_not_the_described_one(spec, tmp_path):
    def one(tensors):
        return [{each.checkpoint_key: {spec: each.tensor} for each in tensors if each.shape == [12, 4]}]

    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.train.Checkpoint(numbered()).write(tmp_path / "model", options(One(one)))
    assert not contents(tmp_path)


@pytest.mark.parametrize("shards", [[], [{}]])
def test_file_without_tensors(shards, tmp_path):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.train.Checkpoint(numbered()).write(tmp_path / "model", options(One(lambda _: shards)))


def test_files_of_a_model(tmp_path):
    chosen = tf.saved_model.SaveOptions(experimental_sharding_callback=train.MaxShardSizePolicy(64))
    tf.saved_model.save(numbered(), tmp_path, options=chosen)
    assert len(list((tmp_path / "variables").glob("variables.data-*-of-00004"))) == 4
    np.testing.assert_array_equal(tf.saved_model.load(tmp_path).rows, numbered().rows)
    with pytest.raises(ValueError, match="of type ShardingCallback"):
        tf.saved_model.SaveOptions(experimental_sharding_callback=3)


def test_equal_policies_have_equal_hashes():
    one, other, larger = map(train.MaxShardSizePolicy, (64, 64, 65))
    assert hash(one) == hash(other) != hash(larger)
