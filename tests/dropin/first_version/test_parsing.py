"""Parsing with the arguments of TensorFlow 1."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.format.wire import example

v1 = tf.compat.v1
ROW = example({"a": ("int64", [1])})
FEATURES = {"a": v1.FixedLenFeature([2], tf.int64)}


def test_names_come_last():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: n, Key: a"):
        v1.parse_example([ROW], FEATURES, "op", ["n"])
    found = v1.io.parse_single_example(ROW, {"a": v1.io.FixedLenFeature([1], tf.int64)}, None, "n")
    assert found["a"].numpy().tolist() == [1]


def test_columns_are_chosen_by_the_last_argument():
    [found] = v1.decode_csv(["1,NA,3"], [[5]], ",", True, "op", "NA", [1])
    assert found.numpy().tolist() == [5]


def test_bytes_is_another_name():
    assert v1.decode_raw(bytes=b"\x01\x02", out_type=tf.uint8).numpy().tolist() == [1, 2]
    assert v1.io.decode_raw(b"\x01\x02", tf.int16).numpy().tolist() == [513]
    with pytest.raises(ValueError, match="Cannot specify both"):
        v1.decode_raw(b"a", tf.uint8, bytes=b"a")
    with pytest.raises(ValueError, match="out_type"):
        v1.decode_raw(b"a")
