"""`parse_example_dataset` and `make_batched_features_dataset`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import listed, outcomes, refuses

D = tf.data.Dataset
parse = tf.data.experimental.parse_example_dataset
make = tf.data.experimental.make_batched_features_dataset
ONCE = {"shuffle": False, "num_epochs": 1}
FEATURES = {
    "a": tf.io.FixedLenFeature([], tf.int64),
    "v": tf.io.VarLenFeature(tf.float32),
    "s": tf.io.RaggedFeature(tf.string),
}


def example(number):
    train = tf.train
    feature = {
        "a": train.Feature(int64_list=train.Int64List(value=[number])),
        "v": train.Feature(float_list=train.FloatList(value=[0.5] * (number % 3))),
        "s": train.Feature(bytes_list=train.BytesList(value=[b"x%d" % number])),
    }
    return train.Example(features=train.Features(feature=feature)).SerializeToString()


@pytest.fixture
def files(tmp_path):
    for k in range(2):
        with tf.io.TFRecordWriter(str(tmp_path / f"r{k}.tfrecord")) as writer:
            for number in range(4):
                writer.write(example(number + 10 * k))
    return str(tmp_path / "r*.tfrecord")


def numbers(dataset):
    return [batch["a"].numpy().tolist() for batch in dataset]


def test_batches_are_parsed():
    found = list(D.from_tensor_slices([example(2), example(0)]).batch(2).apply(parse(FEATURES)))
    assert len(found) == 1
    assert found[0]["a"].numpy().tolist() == [2, 0]
    assert tf.sparse.to_dense(found[0]["v"]).numpy().tolist() == [[0.5, 0.5], [0.0, 0.0]]
    assert (found[0]["s"].to_list(), found[0]["s"].row_splits.dtype) == ([[b"x2"], [b"x0"]], tf.int32)


def test_types_of_features():
    features = {
        "a": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
        "f": tf.io.FixedLenFeature([2], tf.float32, [1.0, 2.0]),
    }
    dataset = D.from_tensor_slices([example(1), example(2), b"bad"]).batch(1).apply(parse(features))
    assert dataset.element_spec == {
        "a": tf.TensorSpec([None, None], tf.int64),
        "f": tf.TensorSpec([None, 2], tf.float32),
    }
    wanted = [{"a": [[number]], "f": [[1.0, 2.0]]} for number in (1, 2)]
    assert outcomes(dataset, 3)[:2] == wanted
    missing = D.from_tensor_slices([example(1), b"", example(2)]).batch(1)
    assert outcomes(missing.apply(parse({"a": FEATURES["a"]})), 4) == [
        {"a": [1]},
        "InvalidArgumentError",
        {"a": [2]},
        "end",
    ]


def test_refused_inputs(files):
    refuses(lambda: D.from_tensor_slices([b""]).apply(parse(FEATURES)), TypeError, "dataset of vectors of strings")
    refuses(lambda: parse(None), ValueError, "`features`")
    refuses(lambda: make(files, 3, FEATURES, label_key="q", **ONCE), ValueError, "The `label_key` provided")
    refuses(lambda: make("absent*", 3, FEATURES), tf.errors.InvalidArgumentError, "No files matched pattern")


def test_files_are_read_in_order(files):
    dataset = make(files, 3, FEATURES, **ONCE)
    assert numbers(dataset) == [[0, 1, 2], [3, 10, 11], [12, 13]]
    assert numbers(make(files, 3, FEATURES, drop_final_batch=True, **ONCE)) == [[0, 1, 2], [3, 10, 11]]
    assert dataset.element_spec["v"] == tf.SparseTensorSpec([None, None], tf.float32)
    assert make(files, 3, FEATURES).element_spec["a"] == tf.TensorSpec([3], tf.int64)
    found = list(make(files, 3, FEATURES, label_key="a", reader_num_threads=2, **ONCE))
    assert [label.numpy().tolist() for _, label in found] == [[0, 10, 1], [11, 2, 12], [3, 13]]
    assert sorted(found[0][0]) == ["s", "v"]


def test_order_is_that_of_tensorflow(files):
    tf.random.set_seed(3)
    try:
        found = make(files, 3, FEATURES, shuffle_seed=5).take(4)
        assert numbers(found) == [[10, 2, 11], [12, 1, 13], [0, 3, 1], [2, 3, 0]]
    finally:
        tf.random.set_seed(None)


def test_reader_may_give_pairs(files):
    def pairs(name, kind):
        return tf.data.TFRecordDataset(name, kind).map(lambda x: (x, x))

    assert numbers(make(files, 3, FEATURES, reader=pairs, reader_args=[""], **ONCE))[0] == [0, 1, 2]


def test_missing_features_have_their_default():
    strings = D.from_tensor_slices([b""]).batch(1)
    assert listed(strings.apply(parse({"d": tf.io.FixedLenFeature([], tf.int64, 3)}))) == [{"d": [3]}]
