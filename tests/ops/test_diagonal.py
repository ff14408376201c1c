"""Diagonals and bands, with literals from TensorFlow."""

from __future__ import annotations

import pytest

import tfcompat as tf

X = tf.reshape(tf.range(12.0), [3, 4])
Z = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

PACKED = {
    "RIGHT_LEFT": [[0, 2, 7], [1, 6, 11], [0, 5, 10], [4, 9, 0]],
    "LEFT_RIGHT": [[2, 7, 0], [1, 6, 11], [0, 5, 10], [0, 4, 9]],
    "LEFT_LEFT": [[2, 7, 0], [1, 6, 11], [0, 5, 10], [4, 9, 0]],
    "RIGHT_RIGHT": [[0, 2, 7], [1, 6, 11], [0, 5, 10], [0, 4, 9]],
}


@pytest.mark.parametrize("align", PACKED)
def test_band_is_packed_and_unpacked_by_alignment(align):
    packed = tf.linalg.diag_part(X, k=(-1, 2), align=align)
    assert packed.numpy().tolist() == PACKED[align]
    unpacked = tf.linalg.diag(packed, k=(-1, 2), num_rows=3, num_cols=4, align=align)
    assert unpacked.numpy().tolist() == tf.linalg.band_part(X, 1, 2).numpy().tolist()
    assert tf.linalg.set_diag(X * 0, packed, k=(-1, 2), align=align).numpy().tolist() == unpacked.numpy().tolist()


def test_short_diagonals_and_the_rest_take_the_padding():
    assert tf.linalg.diag_part(Z, k=(-1, 1), padding_value=9.0).numpy().tolist() == [[9, 2], [1, 4], [3, 6]]
    assert tf.linalg.diag([1, 2], padding_value=7).numpy().tolist() == [[1, 7], [7, 2]]


def test_size_is_found_out():
    assert tf.linalg.diag([1.0, 2.0], k=-1, num_rows=3).shape == (3, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not fit"):
        tf.linalg.diag([1.0, 2.0], k=1, num_rows=3, num_cols=5)


def test_diagonal_outside_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"k must be in \(-3, 2\)"):
        tf.linalg.diag_part(Z, k=-3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="diagonal must have shape"):
        tf.linalg.set_diag(Z, [7.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_lower"):
        tf.linalg.band_part(X, 5, 0)


def test_tensor_diag_doubles_the_rank():
    assert tf.linalg.tensor_diag(Z).shape == (3, 2, 3, 2)
    assert tf.linalg.tensor_diag_part(tf.linalg.tensor_diag(Z)).numpy().tolist() == Z.numpy().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.tensor_diag_part(Z)
