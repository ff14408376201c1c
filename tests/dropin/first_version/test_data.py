"""`tf.compat.v1.data`: the class of datasets, their iterators and properties."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import listed, refuses

D = tf.data.Dataset
first = tf.compat.v1.data
FIVE = first.Dataset.range(5)


def test_methods_keep_the_class():
    made = [
        FIVE,
        FIVE.map(lambda x: x + 1).batch(2).repeat(2).prefetch(1),
        FIVE.shuffle(5).take(2).cache().concatenate(D.range(2)),
        first.Dataset.zip((FIVE, D.range(5))),
        first.Dataset.from_tensor_slices([1, 2]).apply(lambda dataset: dataset.skip(1)),
        first.TextLineDataset("x"),
        first.experimental.Counter(),
        first.experimental.sample_from_datasets([D.range(2), D.range(2)], seed=1),
    ]
    assert all(isinstance(dataset, first.Dataset) and isinstance(dataset, D) for dataset in made)
    assert not isinstance(D.range(2), first.Dataset)
    assert repr(FIVE.batch(2)).startswith("<_BatchDataset element_spec=TensorSpec(shape=(None,)")
    assert listed(FIVE.map_with_legacy_function(lambda x: -x).filter_with_legacy_function(lambda x: x < -2)) == [-3, -4]


def test_iterators():
    iterator = FIVE.make_one_shot_iterator()
    assert [int(next(iterator)), int(iterator.get_next())] == [0, 1]
    assert int(first.make_one_shot_iterator(D.range(3, 5)).get_next()) == 3
    refuses(FIVE.make_initializable_iterator, RuntimeError, "not supported in eager mode")
    refuses(lambda: first.make_initializable_iterator(FIVE), RuntimeError, "not supported in eager mode")


def test_types_of_components():
    assert (FIVE.output_types, FIVE.output_shapes, FIVE.output_classes) == (tf.int64, tf.TensorShape([]), tf.Tensor)
    dataset = D.from_tensor_slices({"a": [1, 2], "b": tf.sparse.from_dense([[1, 0], [0, 1]])})
    assert first.get_output_types(dataset) == {"a": tf.int32, "b": tf.int32}
    assert first.get_output_shapes(dataset) == {"a": tf.TensorShape([]), "b": tf.TensorShape([2])}
    assert first.get_output_classes(iter(dataset)) == {"a": tf.Tensor, "b": tf.SparseTensor}
    refuses(lambda: first.get_output_types(5), TypeError, "Invalid `dataset_or_iterator`")


def test_rows_of_a_sparse_tensor():
    found = listed(first.Dataset.from_sparse_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2], [0, 0]])))
    assert found == [([[0]], [1], [2]), ([[1]], [2], [2]), ([], [], [2])]
    refuses(lambda: first.Dataset.from_sparse_tensor_slices([1]), TypeError, "Invalid `sparse_tensor`")


def test_files(tmp_path):
    (tmp_path / "x").write_bytes(b"1,2\n3,4\n")
    name = str(tmp_path / "x")
    assert listed(first.TextLineDataset(name)) == [b"1,2", b"3,4"]
    assert listed(first.FixedLengthRecordDataset(name, 4)) == [b"1,2\n", b"3,4\n"]
    records = first.experimental.CsvDataset(name, [tf.int32, tf.int32])
    assert isinstance(records, first.Dataset)
    assert listed(records.make_one_shot_iterator().get_next() and records) == [(1, 2), (3, 4)]
    with tf.io.TFRecordWriter(name) as writer:
        writer.write(b"a")
    assert listed(first.TFRecordDataset(name)) == [b"a"]


def test_structures_are_specs():
    experimental = first.experimental
    assert experimental.TensorStructure(tf.int32, [2]) == tf.TensorSpec([2], tf.int32)
    assert experimental.SparseTensorStructure(tf.int32, [2]) == tf.SparseTensorSpec([2], tf.int32)
    ragged = experimental.RaggedTensorStructure(tf.int32, [None, None], 1)
    assert ragged == tf.RaggedTensorSpec([None, None], tf.int32, 1)
    batches = FIVE.apply(experimental.map_and_batch_with_legacy_function(lambda x: x + 1, 2))
    assert np.concatenate(listed(batches)).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["Options", "DatasetSpec", "AUTOTUNE", "INFINITE_CARDINALITY", "NumpyIterator"])
def test_names_that_are_those_of_the_second_version(name):
    assert getattr(first, name) is getattr(tf.data, name)
