"""`tf.io.decode_raw` where a row of the list of cases cannot show it."""

from __future__ import annotations

import pytest

import tfcompat as tf


@pytest.mark.parametrize(
    ("dtype", "size"),
    [(tf.uint8, 0), (tf.uint8, -2), (tf.int16, 3), (tf.bool, 2), (tf.complex64, 8), (tf.uint64, 8)],
    ids=["zero", "negative", "odd", "bool", "complex", "uint64"],
)
def test_fixed_length_is_a_number_of_whole_real_numbers(dtype, size):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_raw([b"abcdefgh"], dtype, fixed_length=size)


def test_fixed_length_of_no_strings():
    assert tf.io.decode_raw(tf.constant([], tf.string), tf.uint8, fixed_length=4).shape == [0, 4]
    assert tf.io.decode_raw([b"\x02\x01"], tf.uint16, little_endian=False, fixed_length=4).numpy().tolist() == [
        [513, 0]
    ]
