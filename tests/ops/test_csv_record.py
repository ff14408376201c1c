"""`tf.io.decode_csv` where a row of the list of cases cannot show it."""

from __future__ import annotations

import pytest

import tfcompat as tf


def columns(found):
    return [column.numpy() for column in found]


def test_fields_after_the_last_chosen_one_are_not_read():
    assert columns(tf.io.decode_csv('1,2,3,"bad"x', [0, 0], select_cols=[0, 2])) == [1, 3]
    assert columns(tf.io.decode_csv("1,2,3,", [0, ""], select_cols=[0, 3])) == [1, b""]


@pytest.mark.parametrize(
    ("records", "defaults", "message"),
    [
        (["1,2", "3"], [0, 0], "Expect 2 fields but have 1 in record 1"),
        ("x,2", [0, 0], "Field 0 in record 0 is not a valid int32: x"),
        (b"\xff,1", [0, 0], "Field 0 in record 0 is not a valid int32"),
        (",2", [tf.constant([], tf.int32), 0], "Field 0 is required but missing in record 0!"),
        ("1,2", [[[0]], 0], "Each record default should be at most rank 1"),
        ("1", [], "at least"),
        ('1"2,3', [0, 0], "Unquoted fields cannot have quotes/CRLFs inside"),
        ('"a"b,3', ["", 0], "Quote inside a string has to be escaped by another quote"),
        ('"1,2', [0, 0], "Quoted field has to end with quote followed by delim or end"),
    ],
    ids=["count", "number", "bytes", "required", "rank", "none", "unquoted", "quote", "open"],
)
def test_faults_are_invalid_arguments(records, defaults, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.decode_csv(records, defaults)
