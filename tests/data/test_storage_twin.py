"""The functions of `tf.data.experimental` that write files and make tables."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import listed, refuses

D = tf.data.Dataset
experimental = tf.data.experimental


def test_functions_save_and_load(tmp_path):
    experimental.save(D.range(3), str(tmp_path / "x"), compression="GZIP")
    found = experimental.load(str(tmp_path / "x"), tf.TensorSpec([], tf.int64), compression="GZIP")
    assert listed(found) == [0, 1, 2]


@pytest.mark.parametrize("kind", [None, "GZIP"])
def test_strings_are_written_as_records(tmp_path, kind):
    path = str(tmp_path / "x")
    experimental.TFRecordWriter(path, kind).write(D.from_tensor_slices(["a", "bc"]))
    assert listed(tf.data.TFRecordDataset(path, kind)) == [b"a", b"bc"]
    writer = experimental.TFRecordWriter(path)
    refuses(lambda: writer.write(D.range(3)), TypeError, "scalar `tf.string` elements")
    refuses(lambda: writer.write(5), TypeError, "Expected a `tf.data.Dataset` object")


def pairs():
    return D.from_tensor_slices((["a", "b"], tf.constant([5, 6], tf.int64)))


def test_tables_of_pairs():
    table = experimental.table_from_dataset(pairs(), default_value=-1)
    assert table.lookup(tf.constant(["b", "z"])).numpy().tolist() == [6, -1]
    table = experimental.table_from_dataset(pairs(), num_oov_buckets=1)
    assert table.lookup(tf.constant(["a", "z"])).numpy().tolist() == [5, 2]


def test_tables_of_numbers():
    keys = D.from_tensor_slices(["x", "y", "z"])
    few = experimental.index_table_from_dataset(keys, vocab_size=2)
    assert few.lookup(tf.constant(["y", "z"])).numpy().tolist() == [1, -1]
    more = experimental.index_table_from_dataset(keys, num_oov_buckets=2)
    assert more.lookup(tf.constant(["y", "q"])).numpy().tolist() == [1, 4]
    numbers = D.from_tensor_slices(tf.constant([7, 8], tf.int64))
    table = experimental.index_table_from_dataset(numbers, key_dtype=tf.int64)
    assert table.lookup(tf.constant([8, 9], tf.int64)).numpy().tolist() == [1, -1]


def test_refused_tables():
    refuses(lambda: experimental.table_from_dataset(pairs(), num_oov_buckets=-1), ValueError, "num_oov_buckets")
    refuses(lambda: experimental.table_from_dataset(pairs(), vocab_size=0), ValueError, "vocab_size")
    refuses(lambda: experimental.table_from_dataset(pairs(), key_dtype=tf.float32), TypeError, "key_dtype")


def test_names_that_are_not_supported_say_so():
    if hasattr(tf, "counters"):
        refuses(lambda: experimental.service.distribute("x"), NotImplementedError, "Pipelines run in the process")
    assert experimental.SHARD_HINT == -1
