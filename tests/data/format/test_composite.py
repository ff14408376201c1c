"""`tf.io.RaggedFeature` with partitions."""

from __future__ import annotations

import pickle

import pytest

import tfcompat as tf
from tests.data.format.wire import example, sequence

Ragged = tf.io.RaggedFeature
ONE = example(
    {
        "v": ("int64", [3, 1, 4, 1, 5, 9]),
        "splits": ("int64", [0, 2, 3, 3, 6]),
        "outer": ("int64", [0, 2, 3, 4]),
        "lengths": ("int64", [2, 1, 0, 3]),
        "starts": ("int64", [0, 2, 3, 3]),
        "limits": ("int64", [2, 3, 3, 6]),
        "ids": ("int64", [0, 0, 1, 3, 3, 3]),
    }
)
OTHER = example(
    {
        "v": ("int64", [2, 7, 1, 8]),
        "splits": ("int64", [0, 1, 4]),
        "outer": ("int64", [0, 2]),
        "lengths": ("int64", [1, 3]),
        "starts": ("int64", [0, 1]),
        "limits": ("int64", [1, 4]),
        "ids": ("int64", [0, 1, 1, 1]),
    }
)
ROWS = [[3, 1], [4], [], [1, 5, 9]]
OTHER_ROWS = [[2], [7, 1, 8]]
PARTITIONS = {
    "splits": Ragged.RowSplits("splits"),
    "lengths": Ragged.RowLengths("lengths"),
    "starts": Ragged.RowStarts("starts"),
    "limits": Ragged.RowLimits("limits"),
    "ids": Ragged.ValueRowIds("ids"),
}


@pytest.mark.parametrize("validate", [False, True])
@pytest.mark.parametrize("kind", PARTITIONS)
def test_values_are_divided_into_rows(kind, validate):
    features = {"r": Ragged(tf.int64, "v", [PARTITIONS[kind]], validate=validate)}
    assert tf.io.parse_single_example(ONE, features)["r"].to_list() == ROWS
    found = tf.io.parse_example([ONE, OTHER], features)["r"]
    assert found.to_list() == [ROWS, OTHER_ROWS]
    assert found.row_splits.dtype == tf.int32


@pytest.mark.parametrize(
    ("partitions", "one", "both"),
    [
        (
            [Ragged.RowSplits("outer"), Ragged.RowSplits("splits")],
            [[[3, 1], [4]], [[]], [[1, 5, 9]]],
            [[[[3, 1], [4]], [[]], [[1, 5, 9]]], [[[2], [7, 1, 8]]]],
        ),
        ([Ragged.UniformRowLength(2)], [[3, 1], [4, 1], [5, 9]], [[[3, 1], [4, 1], [5, 9]], [[2, 7], [1, 8]]]),
        (
            [Ragged.UniformRowLength(2), Ragged.RowLengths("lengths")],
            [[[3, 1], [4]], [[], [1, 5, 9]]],
            [[[[3, 1], [4]], [[], [1, 5, 9]]], [[[2], [7, 1, 8]]]],
        ),
        (
            [Ragged.UniformRowLength(1), Ragged.UniformRowLength(2)],
            [[[3, 1]], [[4, 1]], [[5, 9]]],
            [[[[3, 1]], [[4, 1]], [[5, 9]]], [[[2, 7]], [[1, 8]]]],
        ),
    ],
    ids=["two", "uniform", "uniform_outside", "uniform_twice"],
)
def test_partitions_are_listed_from_outside(partitions, one, both):
    features = {"r": Ragged(tf.int64, "v", partitions)}
    found = tf.io.parse_single_example(ONE, features)["r"]
    assert (found.to_list() if isinstance(found, tf.RaggedTensor) else found.numpy().tolist()) == one
    assert tf.io.parse_example([ONE, OTHER], features)["r"].to_list() == both


def test_partitions_that_do_not_fit():
    unchecked, checked = (
        {"r": Ragged(tf.int64, "v", [Ragged.RowSplits("absent")], validate=validate)} for validate in (False, True)
    )
    assert tf.io.parse_single_example(ONE, unchecked)["r"].to_list() == []
    assert tf.io.parse_example([ONE, OTHER], unchecked)["r"].to_list() == [[], []]
    for parse in (lambda: tf.io.parse_single_example(ONE, checked), lambda: tf.io.parse_example([ONE, OTHER], checked)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            parse()


def test_lists_of_sequences_are_divided():
    rows = [("int64", [1, 2, 3, 4]), ("int64", [5, 6])]
    data = sequence({}, {"v": rows, "k": [("int64", [1, 3]), ("int64", [2])]})
    features = {
        "u": Ragged(tf.int64, "v", [Ragged.UniformRowLength(2)]),
        "r": Ragged(tf.int64, "v", [Ragged.RowLengths("k")]),
    }
    _, single = tf.io.parse_single_sequence_example(data, None, features)
    assert single["u"].to_list() == [[[1, 2], [3, 4]], [[5, 6]]]
    assert single["r"].to_list() == [[[1], [2, 3, 4]], [[5, 6]]]
    _, batch, _ = tf.io.parse_sequence_example([data, data], None, features)
    assert batch["r"].to_list() == [[[[1], [2, 3, 4]], [[5, 6]]]] * 2


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"dtype": tf.int32}, ValueError),
        ({"dtype": tf.int64, "value_key": 3}, ValueError),
        ({"dtype": tf.int64, "value_key": ""}, ValueError),
        ({"dtype": tf.int64, "row_splits_dtype": tf.float32}, ValueError),
        ({"dtype": tf.int64, "partitions": 5}, TypeError),
        ({"dtype": tf.int64, "partitions": [5]}, TypeError),
        ({"dtype": tf.int64, "validate": 1}, TypeError),
    ],
    ids=["dtype", "key", "empty_key", "splits", "partitions", "partition", "validate"],
)
def test_ragged_features_are_checked(given, error):
    with pytest.raises(error):
        Ragged(**given)


def test_descriptions_print_their_fields():
    assert repr(Ragged.RowSplits("k")) == "RowSplits(key='k')"
    assert (
        repr(tf.io.FixedLenFeature([3], tf.int64)) == "FixedLenFeature(shape=[3], dtype=tf.int64, default_value=None)"
    )
    assert repr(Ragged(tf.int64)) == (
        "RaggedFeature(dtype=tf.int64, value_key=None, partitions=(), row_splits_dtype=tf.int32, validate=False)"
    )


def test_descriptions_can_be_pickled():
    described = Ragged(tf.int64, "v", [Ragged.RowSplits("k"), Ragged.UniformRowLength(2)])
    assert pickle.loads(pickle.dumps(described)) == described
