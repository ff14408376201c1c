"""`tf.io.parse_example` and `tf.io.parse_single_example`."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tfcompat as tf
from tests.data.format.wire import entry, example, feature, field

io = tf.io
ONE = example({"a": ("int64", [1, 2, 3]), "f": ("float", [1.0, 2.0]), "s": ("bytes", [b"x", b"yy"])})
OTHER = example({"a": ("int64", [-4, 5, 2**40]), "f": ("float", []), "s": ("bytes", [b""])})
SECOND = example({"f": ("float", [7.0] * 40), "a": ("int64", [300] * 3)})


def batch(features, rows=(ONE, OTHER)):
    return tf.io.parse_example(list(rows), features)


def single(features, row=ONE):
    return tf.io.parse_single_example(row, features)


def test_dense_features_have_the_shape():
    found = batch({"a": io.FixedLenFeature([3, 1], tf.int64)})["a"]
    assert found.dtype == tf.int64
    assert found.numpy().tolist() == [[[1], [2], [3]], [[-4], [5], [2**40]]]
    assert single({"s": io.FixedLenFeature([2], tf.string)})["s"].numpy().tolist() == [b"x", b"yy"]
    assert single({"i": io.FixedLenFeature([], "int64")}, example({"i": ("int64", [7])}))["i"].shape == []


def test_defaults_replace_missing_features():
    features = {"q": io.FixedLenFeature([2], tf.float32, [1, 2]), "a": io.FixedLenFeature([3], tf.int64, [0, 0, 0])}
    found = batch(features, [ONE, b"", OTHER])
    assert found["q"].numpy().tolist() == [[1.0, 2.0]] * 3
    assert found["a"].numpy().tolist() == [[1, 2, 3], [0, 0, 0], [-4, 5, 2**40]]


def test_variable_features_are_sparse():
    found = batch({"s": io.VarLenFeature(tf.string), "q": io.VarLenFeature(tf.int64)})
    assert found["s"].indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0]]
    assert found["s"].values.numpy().tolist() == [b"x", b"yy", b""]
    assert found["s"].dense_shape.numpy().tolist() == [2, 2]
    assert found["q"].dense_shape.numpy().tolist() == [2, 0]
    assert single({"f": io.VarLenFeature(tf.float32)})["f"].indices.numpy().tolist() == [[0], [1]]


def test_ragged_features_have_int32_splits():
    found = batch({"f": io.RaggedFeature(tf.float32), "t": io.RaggedFeature(tf.string, "s", row_splits_dtype=tf.int64)})
    assert found["f"].to_list() == [[1.0, 2.0], []]
    assert found["f"].row_splits.dtype == tf.int32
    assert found["t"].to_list() == [[b"x", b"yy"], [b""]]
    assert found["t"].row_splits.dtype == tf.int64
    assert single({"f": io.RaggedFeature(tf.float32)})["f"].numpy().tolist() == [1.0, 2.0]


def test_sequences_are_padded():
    features = {
        "f": io.FixedLenSequenceFeature([2], tf.float32, True, 9.0),
        "q": io.FixedLenSequenceFeature([], tf.string, True),
    }
    found = batch(features)
    assert found["f"].numpy().tolist() == [[[1.0, 2.0]], [[9.0, 9.0]]]
    assert found["q"].shape == [2, 0]
    assert single(features)["f"].numpy().tolist() == [[1.0, 2.0]]


def test_sparse_features_take_their_positions_from_other_features():
    row = example({"i": ("int64", [3, 1]), "j": ("int64", [0, 2]), "v": ("float", [0.5, -1.0])})
    found = single({"z": io.SparseFeature(["i", "j"], "v", tf.float32, [5, 3])}, row)
    assert list(found) == ["z"]
    assert found["z"].indices.numpy().tolist() == [[1, 2], [3, 0]]
    assert found["z"].values.numpy().tolist() == [-1.0, 0.5]
    assert found["z"].dense_shape.numpy().tolist() == [5, 3]
    unsorted = batch({"z": io.SparseFeature("i", "v", tf.float32, 5, already_sorted=True)}, [row, row])["z"]
    assert unsorted.indices.numpy().tolist() == [[0, 3], [0, 1], [1, 3], [1, 1]]


def test_results_are_sparse_then_dense_then_composite():
    found = single(
        {
            "z": io.RaggedFeature(tf.int64, "a"),
            "s": io.VarLenFeature(tf.string),
            "f": io.FixedLenFeature([2], tf.float32),
            "q": io.VarLenFeature(tf.int64),
            "b": io.FixedLenFeature([], tf.float32, 1.0),
            "y": io.SparseFeature("q", "q", tf.int64, 3),
        }
    )
    assert list(found) == ["q", "s", "b", "f", "y", "z"]


@pytest.mark.parametrize(
    ("features", "in_batch", "alone"),
    [
        (
            {"a": io.FixedLenFeature([2], tf.int64)},
            "Name: <unknown>, Key: a, Index: 0.  Number of int64 values != expected.  Values size: 3 but output shape: "
            "[2]",
            "Key: a.  Can't parse serialized Example: Some int64_list slice was not parsed.",
        ),
        (
            {"s": io.FixedLenFeature([], tf.string)},
            "Name: <unknown>, Key: s, Index: 0.  Can't parse serialized Example.",
            "Key: s.  Can't parse serialized Example: Parsing bytes_list failed.",
        ),
        (
            {"a": io.FixedLenFeature([3], tf.float32)},
            "Name: <unknown>, Key: a, Index: 0.  Data types don't match. Data type: int64 but expected type: float",
            "Key: a.  Data types don't match. Data type: int64 but expected type: float",
        ),
        (
            {"a": io.VarLenFeature(tf.string)},
            "Name: <unknown>, Key: a, Index: 0.  Data types don't match. Expected type: string, Actual type: int64",
            "Key: a.  Data types don't match. Expected type: string, Actual type: int64",
        ),
        (
            {"q": io.FixedLenFeature([], tf.float32)},
            "Name: <unknown>, Feature: q (data type: float) is required but could not be found.",
            "Feature: q (data type: float) is required but could not be found.",
        ),
        (
            {"a": io.FixedLenSequenceFeature([2], tf.int64, True)},
            "Name: <unknown>, Key: a, Index: 0.  Number of int64 values is not a multiple of stride length. Saw 3 "
            "values but output shape is: [?,2]",
            "Error while parsing feature with key a: number of elements should be divisible by 2, found 3 instead",
        ),
    ],
    ids=["count", "strings", "dtype", "sparse_dtype", "missing", "blocks"],
)
@pytest.mark.parametrize("rows", [2, 40])
def test_faults_are_worded_as_by_tensorflow(features, in_batch, alone, rows):
    with pytest.raises(tf.errors.InvalidArgumentError) as batched:
        batch(features, [ONE] * rows)
    assert in_batch in str(batched.value)
    with pytest.raises(tf.errors.InvalidArgumentError) as found:
        single(features)
    assert alone in str(found.value)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(lambda: single(features))()


def test_the_first_example_with_a_fault_is_named():
    rows = [SECOND] * 30 + [ONE] + [b"garbage"] * 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: n30, Key: f, Index: 30"):
        tf.io.parse_example(
            rows, {"f": io.FixedLenFeature([40], tf.float32)}, example_names=[f"n{k}" for k in range(34)]
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example input, value: 'garbage'"):
        batch({"a": io.VarLenFeature(tf.int64)}, rows)


@pytest.mark.parametrize(
    ("features", "error"),
    [
        ({}, ValueError),
        (None, ValueError),
        ({"a": 5}, ValueError),
        ({"a": io.FixedLenFeature(None, tf.int64)}, ValueError),
        ({"a": io.FixedLenFeature([None], tf.int64)}, ValueError),
        ({"a": io.FixedLenFeature([2, None], tf.int64)}, ValueError),
        ({"a": io.FixedLenFeature([2], None)}, ValueError),
        ({"a": io.FixedLenFeature([3], tf.int32)}, tf.errors.InvalidArgumentError),
        ({"a": io.VarLenFeature(tf.float64)}, tf.errors.InvalidArgumentError),
        ({"q": io.FixedLenFeature([3], tf.float32, 1)}, tf.errors.InvalidArgumentError),
        ({"q": io.FixedLenFeature([3], tf.float32, tf.constant(1.0))}, tf.errors.InvalidArgumentError),
        ({"q": io.FixedLenFeature([], tf.int64, 1.5)}, TypeError),
        ({"a": io.FixedLenSequenceFeature([1], tf.int64)}, ValueError),
        ({"a": io.FixedLenSequenceFeature([1], tf.int64, True, [1, 2])}, tf.errors.InvalidArgumentError),
        ({"z": io.SparseFeature("a", "f", tf.float32, 10)}, ValueError),
        ({"z": io.SparseFeature("a", "a", tf.int64, 2), "a": io.FixedLenFeature([3], tf.int64)}, ValueError),
        ({"z": io.RaggedFeature(tf.int64, "a"), "a": io.VarLenFeature(tf.int64)}, ValueError),
        ({"z": io.RaggedFeature(tf.int64, "a"), "a": io.RaggedFeature(tf.float32)}, ValueError),
        (
            {"z": io.RaggedFeature(tf.int64, "a"), "a": io.RaggedFeature(tf.int64, row_splits_dtype=tf.int64)},
            ValueError,
        ),
    ],
    ids=range(19),
)
def test_features_that_do_not_fit_are_refused(features, error):
    for parse in (batch, single):
        with pytest.raises(error):
            parse(features)


def test_serialized_examples_are_strings_of_rank_up_to_1():
    features = {"a": io.FixedLenFeature([3], tf.int64)}
    with pytest.raises(ValueError, match="must be a scalar"):
        tf.io.parse_single_example([ONE], features)
    with pytest.raises(tf.errors.InvalidArgumentError, match="to be a scalar or vector"):
        tf.io.parse_example([[ONE]], features)
    with pytest.raises(ValueError, match="dtype string"):
        tf.io.parse_example([1, 2], features)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same shape as serialized"):
        tf.io.parse_example([ONE, ONE], features, example_names=["u"])
    assert tf.io.parse_example(tf.constant([], tf.string), features)["a"].shape == [0, 3]
    assert tf.io.parse_example(ONE, features)["a"].shape == [3]


def test_the_last_entry_of_a_key_counts():
    first, second = example({"a": ("int64", [5])}), example({"a": ("int64", [6])})
    assert single({"a": io.FixedLenFeature([], tf.int64)}, first + second)["a"].numpy() == 6
    assert batch({"a": io.VarLenFeature(tf.int64)}, [first + second])["a"].values.numpy().tolist() == [6]


def drawn(draw):
    """An example with features in any order, of any length, some of which are missing."""
    given = {
        "i": ("int64", [draw.choice([0, 1, 127, 128, 2**31, -1, 2**63 - 1]) for _ in range(draw.randrange(5))]),
        "f": ("float", [float(draw.randrange(100)) for _ in range(draw.choice([0, 1, 40]))]),
        "s": ("bytes", [draw.randbytes(draw.choice([0, 3, 200, 20_000])) for _ in range(draw.choice([0, 1, 1, 3]))]),
        "other": ("int64", [1]),
    }
    keys = draw.sample(sorted(given), draw.randrange(5))
    return example({key: given[key] for key in keys}), given, keys


@pytest.mark.parametrize("seed", range(5))
def test_many_examples_have_the_values_of_each(seed):
    """A block is parsed in another way than a few examples."""
    draw = random.Random(seed)
    rows = [drawn(draw) for _ in range(60)]
    features = {"i": io.RaggedFeature(tf.int64), "f": io.RaggedFeature(tf.float32), "s": io.RaggedFeature(tf.string)}
    found = batch(features, [row for row, _, _ in rows])
    for key in features:
        assert found[key].to_list() == [given[key][1] if key in keys else [] for _, given, keys in rows]


def test_lists_without_packing_are_read():
    content = entry(b"f", feature("float", [1.0, 3.0], is_packed=False)) + entry(
        b"i", feature("int64", [4, -1], is_packed=False)
    )
    features = {"f": io.FixedLenFeature([2], tf.float32), "i": io.VarLenFeature(tf.int64)}
    for count in (1, 30):
        found = batch(features, [field(1, content)] * count)
        assert found["f"].numpy().tolist() == [[1.0, 3.0]] * count
        assert found["i"].values.numpy().tolist() == [4, -1] * count


def test_nans_keep_their_bits():
    bits = np.array([0x7FA00001, 0xFFC12345], np.uint32)
    row = field(1, entry(b"f", field(2, field(1, bits.tobytes()))))
    for count in (1, 30):
        found = batch({"f": io.FixedLenFeature([2], tf.float32)}, [row] * count)["f"].numpy()
        assert (found.view(np.uint32) == bits).all()
    empty = field(1, entry(b"f", b""))
    found = batch({"f": io.VarLenFeature(tf.float32)}, [row, empty])["f"].values.numpy()
    assert (found.view(np.uint32) == bits).all()
