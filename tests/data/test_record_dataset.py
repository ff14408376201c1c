"""Datasets of the records of TFRecord files."""

from __future__ import annotations

import pytest

import tfcompat as tf


@pytest.fixture
def files(tmp_path):
    found = []
    for number in range(3):
        found.append(str(tmp_path / f"part{number}.tfrecord"))
        with tf.io.TFRecordWriter(found[-1]) as writer:
            for k in range(4):
                writer.write(f"{number}.{k}".encode())
    return found


def records(dataset):
    return [record.decode() for record in dataset.as_numpy_iterator()]


def test_files_are_read_one_after_another(files):
    dataset = tf.data.TFRecordDataset(files)
    assert dataset.element_spec == tf.TensorSpec([], tf.string)
    assert dataset.cardinality().numpy() == tf.data.UNKNOWN_CARDINALITY
    assert repr(dataset) == "<TFRecordDatasetV2 element_spec=TensorSpec(shape=(), dtype=tf.string, name=None)>"
    wanted = [f"{number}.{k}" for number in range(3) for k in range(4)]
    assert records(dataset) == records(dataset) == wanted
    assert records(tf.data.TFRecordDataset(tf.data.Dataset.from_tensor_slices(files))) == wanted
    assert records(tf.data.TFRecordDataset(files[1])) == wanted[4:8]


def test_parallel_reads_alternate(files):
    dataset = tf.data.TFRecordDataset(files, num_parallel_reads=2)
    wanted = ["0.0", "1.0", "0.1", "1.1", "0.2", "1.2", "0.3", "1.3", "2.0", "2.1", "2.2", "2.3"]
    assert records(dataset) == wanted


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_compressed_files(tmp_path, compression):
    path = str(tmp_path / "compressed")
    with tf.io.TFRecordWriter(path, compression) as writer:
        for k in range(1000):
            writer.write(b"%d" % k)
    assert records(tf.data.TFRecordDataset(path, compression)) == [str(k) for k in range(1000)]
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 0"):
        records(tf.data.TFRecordDataset(path))


def test_bad_files_are_reported_when_they_are_read(files, tmp_path):
    dataset = tf.data.TFRecordDataset(str(tmp_path / "missing"))
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        records(dataset)
    with open(files[0], "r+b") as file:
        file.truncate(55)
    iterator = iter(tf.data.TFRecordDataset(files[0]))
    assert next(iterator).numpy() == b"0.0"
    assert next(iterator).numpy() == b"0.1"
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 38"):
        next(iterator)
    with open(files[1], "r+b") as file:
        file.seek(12)
        file.write(b"x")
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 12"):
        next(iter(tf.data.TFRecordDataset(files[1])))


def test_batches_of_examples_are_parsed(tmp_path):
    path = str(tmp_path / "examples")
    with tf.io.TFRecordWriter(path) as writer:
        for k in range(10):
            feature = {"x": tf.train.Feature(float_list=tf.train.FloatList(value=[k, k + 0.5]))}
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    rows = []
    for batch in tf.data.TFRecordDataset(path).batch(4):
        rows += tf.io.parse_example(batch, {"x": tf.io.FixedLenFeature([2], tf.float32)})["x"].numpy().tolist()
    assert rows == [[k, k + 0.5] for k in range(10)]


def test_names_are_strings():
    with pytest.raises(TypeError):
        tf.data.TFRecordDataset(3)
