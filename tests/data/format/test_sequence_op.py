"""`tf.io.parse_sequence_example` and `tf.io.parse_single_sequence_example`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.format.wire import sequence

io = tf.io
ONE = sequence(
    {"a": ("int64", [1, 2]), "s": ("bytes", [b"x"])},
    {
        "l": [("int64", [1, 2]), ("int64", [3, 4])],
        "f": [("float", [1.0]), ("float", [2.0]), ("float", [3.0])],
        "v": [("int64", [1, 2, 3]), ("int64", []), ("int64", [4])],
        "b": [("bytes", [b"p", b"q"]), ("bytes", [b"r"])],
        "n": [],
    },
)
OTHER = sequence(
    {"a": ("int64", [5, 6])},
    {"l": [("int64", [7, 8])], "f": [("float", [9.0])], "v": [("int64", []), ("int64", [4])], "b": [("bytes", [b"p"])]},
)


def single(context=None, lists=None, row=ONE):
    return tf.io.parse_single_sequence_example(row, context, lists)


def batch(context=None, lists=None, rows=(ONE, OTHER), **names):
    return tf.io.parse_sequence_example(list(rows), context, lists, **names)


def test_context_is_parsed_as_an_example():
    context = {
        "a": io.FixedLenFeature([2], tf.int64),
        "q": io.FixedLenFeature([], tf.float32, 1.5),
        "s": io.VarLenFeature(tf.string),
        "r": io.RaggedFeature(tf.int64, "z"),
    }
    found, lists = single(context)
    assert lists == {}
    assert found["a"].numpy().tolist() == [1, 2]
    assert found["s"].values.numpy().tolist() == [b"x"]
    found, lists, lengths = batch(context)
    assert (lists, lengths) == ({}, {})
    assert found["a"].numpy().tolist() == [[1, 2], [5, 6]]
    assert found["q"].numpy().tolist() == [1.5, 1.5]
    assert found["s"].indices.numpy().tolist() == [[0, 0]]
    assert found["r"].to_list() == [[], []]


def test_dense_lists_are_padded_with_zeros():
    features = {
        "l": io.FixedLenSequenceFeature([2], tf.int64),
        "f": io.FixedLenSequenceFeature([], tf.float32),
        "z": io.FixedLenSequenceFeature([2], tf.string, True),
    }
    found = single(None, features)[1]
    assert found["l"].numpy().tolist() == [[1, 2], [3, 4]]
    assert found["z"].shape == [0, 2]
    _, found, lengths = batch(None, features)
    assert found["l"].numpy().tolist() == [[[1, 2], [3, 4]], [[7, 8], [0, 0]]]
    assert found["f"].numpy().tolist() == [[1.0, 2.0, 3.0], [9.0, 0.0, 0.0]]
    assert found["z"].shape == [2, 0, 2]
    assert {key: value.numpy().tolist() for key, value in lengths.items()} == {"f": [3, 1], "l": [2, 1], "z": [0, 0]}


def test_sparse_lists_have_one_more_axis():
    features = {"v": io.VarLenFeature(tf.int64), "b": io.VarLenFeature(tf.string)}
    found = single(None, features)[1]
    assert found["v"].indices.numpy().tolist() == [[0, 0], [0, 1], [0, 2], [2, 0]]
    assert found["v"].dense_shape.numpy().tolist() == [3, 3]
    found = batch(None, features)[1]
    assert found["b"].indices.numpy().tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert found["b"].values.numpy().tolist() == [b"p", b"q", b"r", b"p"]
    assert found["v"].dense_shape.numpy().tolist() == [2, 3, 3]


def test_ragged_lists_have_two_ragged_axes():
    features = {"v": io.RaggedFeature(tf.int64), "z": io.RaggedFeature(tf.string, row_splits_dtype=tf.int64)}
    assert single(None, features)[1]["v"].to_list() == [[1, 2, 3], [], [4]]
    found = batch(None, features)[1]
    assert found["v"].to_list() == [[[1, 2, 3], [], [4]], [[], [4]]]
    assert [splits.dtype for splits in found["v"].nested_row_splits] == [tf.int32, tf.int32]
    assert found["z"].to_list() == [[], []]


def test_empty_lists_are_there():
    assert single(None, {"n": io.FixedLenSequenceFeature([2], tf.int64)})[1]["n"].shape == [0, 2]


@pytest.mark.parametrize(
    ("context", "lists", "message"),
    [
        (
            {"a": io.FixedLenFeature([1], tf.int64)},
            None,
            "Inconsistent max number of elements for feature a: expected 1, but found 2",
        ),
        (
            {"a": io.VarLenFeature(tf.float32)},
            None,
            "Name: <unknown>, Context feature: a.  Data types don't match. Expected type: float",
        ),
        (
            {"q": io.FixedLenFeature([2], tf.float32)},
            None,
            "Inconsistent max number of elements for feature q: expected 2, but found 0",
        ),
        (
            None,
            {"l": io.FixedLenSequenceFeature([1], tf.int64)},
            "Name: <unknown>, Key: l, Index: 0.  Number of values != expected.  values size: 2 but output shape: [1]",
        ),
        (
            None,
            {"l": io.FixedLenSequenceFeature([3], tf.int64)},
            "Feature list 'l' has an unexpected number of values.  Total values size: 4 is not consistent with output "
            "shape: [?,3]",
        ),
        (
            None,
            {"f": io.VarLenFeature(tf.int64)},
            "Name: <unknown>, Feature list: f, Index: 0.  Data types don't match. Expected type: int64",
        ),
        (
            None,
            {"zz": io.FixedLenSequenceFeature([], tf.int64)},
            "Name: <unknown>, Feature list 'zz' is required but could not be found.  Did you mean to include it in "
            "feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
        ),
    ],
    ids=["count", "dtype", "missing", "block", "blocks", "list_dtype", "missing_list"],
)
def test_faults_are_worded_as_by_tensorflow(context, lists, message):
    for parse in (single, batch):
        with pytest.raises(tf.errors.InvalidArgumentError) as found:
            parse(context, lists)
        assert message in str(found.value)


def test_a_later_example_without_a_feature():
    with pytest.raises(tf.errors.InvalidArgumentError) as found:
        batch({"a": io.FixedLenFeature([2], tf.int64)}, rows=[ONE, b""])
    assert "Feature: a (data type: int64) is required but could not be found." in str(found.value)


def test_names_are_those_of_the_examples():
    context = {"a": io.FixedLenFeature([2], tf.float32)}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: p, Context feature"):
        batch(context, example_names=["p", "q"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="correct number of elements"):
        batch(context, example_names=["p"])


@pytest.mark.parametrize(
    ("context", "lists"),
    [
        (None, None),
        ({"v": io.FixedLenSequenceFeature([], tf.int64)}, None),
        (None, {"v": io.FixedLenFeature([], tf.int64)}),
        ({"v": io.SparseFeature("a", "a", tf.int64, 3)}, None),
        (None, {"z": io.FixedLenSequenceFeature([2], tf.int64, True, 3)}),
    ],
    ids=["none", "list_in_context", "feature_in_lists", "sparse", "default"],
)
def test_features_that_do_not_fit_are_refused(context, lists):
    for parse in (single, batch):
        with pytest.raises(ValueError, match=r"(?i)feature"):
            parse(context, lists)


def test_serialized_sequences_have_rank_up_to_1():
    context = {"a": io.VarLenFeature(tf.int64)}
    with pytest.raises(ValueError, match="must be a scalar"):
        single(context, row=[ONE])
    with pytest.raises(tf.errors.InvalidArgumentError, match="to be a scalar or vector"):
        batch(context, rows=[[ONE]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid protocol message input, example id: <unknown>"):
        batch(context, rows=[ONE, b"garbage"])
    lists = {"f": io.FixedLenSequenceFeature([], tf.float32)}
    assert tf.io.parse_sequence_example(ONE, None, lists)[2]["f"].numpy() == 3
