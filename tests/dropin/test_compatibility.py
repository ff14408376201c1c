"""`tf.compat`: conversions agree with TensorFlow 2.21."""

from __future__ import annotations

import numbers
import pathlib

import numpy as np
import pytest

import tfcompat as tf


def test_as_bytes_encodes_text() -> None:
    assert tf.compat.as_bytes("é") == b"\xc3\xa9"
    assert tf.compat.as_bytes(bytearray(b"a")) == b"a"
    assert tf.compat.as_bytes("é", "latin-1") == b"\xe9"


@pytest.mark.parametrize("value", [1, None, memoryview(b"a")])
def test_as_bytes_refuses_what_is_no_string(value: object) -> None:
    with pytest.raises(TypeError, match="Expected binary or unicode string"):
        tf.compat.as_bytes(value)


def test_as_text_decodes_bytes() -> None:
    assert tf.compat.as_text(b"\xc3\xa9") == tf.compat.as_str(b"\xc3\xa9") == "é"
    assert tf.compat.as_text("a") == "a"
    with pytest.raises(TypeError, match="Expected binary or unicode string"):
        tf.compat.as_text(bytearray(b"a"))
    with pytest.raises(UnicodeDecodeError):
        tf.compat.as_text(b"\xff")
    with pytest.raises(LookupError):
        tf.compat.as_text("a", "nope")


def test_as_str_any_takes_anything() -> None:
    assert [tf.compat.as_str_any(value) for value in (b"a", 1.5, None)] == ["a", "1.5", "None"]


def test_path_to_str_leaves_what_is_no_path() -> None:
    assert tf.compat.path_to_str(pathlib.PurePosixPath("/a/b")) == "/a/b"
    assert tf.compat.path_to_str(b"x") == b"x"
    assert tf.compat.path_to_str(5) == 5


def test_dimensions_of_shapes() -> None:
    assert tf.compat.dimension_value(3) == 3
    assert tf.compat.dimension_value(tf.TensorShape([1, None]).dims[0]) == 1
    assert tf.compat.dimension_value(None) is None
    assert tf.compat.dimension_at_index(tf.TensorShape([1, 2]), 1).value == 2
    assert tf.compat.dimension_at_index(tf.TensorShape(None), 7).value is None
    with pytest.raises(IndexError):
        tf.compat.dimension_at_index(tf.TensorShape([1, 2]), 5)
    with pytest.raises(AssertionError):
        tf.compat.dimension_at_index([1, 2], 1)


def test_kinds_of_numbers_and_strings() -> None:
    assert tf.compat.bytes_or_text_types == (bytes, str)
    assert tf.compat.integral_types == (numbers.Integral, np.integer)
    assert tf.compat.real_types == (numbers.Real, np.integer, np.floating)
    assert tf.compat.complex_types == (numbers.Complex, np.number)
