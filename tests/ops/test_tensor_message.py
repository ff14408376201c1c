"""`tf.io.parse_tensor` of strings that other programs made, or that are damaged."""

from __future__ import annotations

import pytest

import tfcompat as tf

INT32, THREE = b"\x08\x03", b"\x12\x04\x12\x02\x08\x03"


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        (INT32 + THREE, tf.int32, [0, 0, 0]),
        (INT32, tf.int32, 0),
        (INT32 + b"\x12\x02\x18\x01", tf.int32, 0),
        (b"\x08\x07\x12\x04\x12\x02\x08\x02\x42\x01a", tf.string, [b"a", b"a"]),
        (b"\x08\x07" + THREE, tf.string, [b"", b"", b""]),
    ],
    ids=["zeros", "scalar", "unknown_field", "repeated", "empty_strings"],
)
def test_values_that_are_missing_are_filled(data, dtype, expected):
    assert tf.io.parse_tensor(data, dtype).numpy().tolist() == expected


@pytest.mark.parametrize(
    "data",
    [
        b"junk",
        b"",
        INT32 + THREE + b"\x22\x04aaaa",
        INT32 + b"\x12\x0d\x12\x0b\x08" + b"\xff" * 9 + b"\x01",
        INT32 + b"\x12\x0b\x12\x09\x08" + b"\x80" * 8 + b"\x01",
        b"\x08" + b"\xff" * 20,
        b"\x08\x63",
    ],
    ids=["junk", "empty", "content", "negative", "cut", "long_number", "dtype"],
)
def test_broken_strings_are_invalid_arguments(data):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.parse_tensor(data, tf.int32)
