"""Rows, elements and slices of ragged tensors."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

ROWS = tf.ragged.constant([[1, 2], [3], []])
DEEP = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
PAIRS = tf.ragged.constant([[[1, 2], [3, 4]], [], [[4, 5]]], inner_shape=(2,))
EVEN = tf.RaggedTensor.from_tensor([[1, 2], [3, 4], [5, 6]])


def listed(found):
    return found.to_list() if isinstance(found, tf.RaggedTensor) else found.numpy().tolist()


@pytest.mark.parametrize(
    ("subscript", "expected"),
    [
        (0, [1, 2]),
        (-1, []),
        (np.int64(1), [3]),
        (tf.constant(1), [3]),
        (slice(1, None), [[3], []]),
        (slice(None, None, 2), [[1, 2], []]),
        (slice(None, None, -1), [[], [3], [1, 2]]),
        (slice(2, 1), []),
        (slice(None, tf.constant(2)), [[1, 2], [3]]),
        ((0, 1), 2),
        ((0, -1), 2),
        ([0, 1], 2),
        ((0, slice(1, None)), [2]),
        ((slice(None), slice(1, None)), [[2], [], []]),
        ((slice(None), slice(None, None, -1)), [[2, 1], [3], []]),
        ((slice(None), slice(-1, None)), [[2], [3], []]),
        ((Ellipsis, slice(1, None)), [[2], [], []]),
        (tf.newaxis, [[[1, 2], [3], []]]),
        ((slice(None), tf.newaxis), [[[1, 2]], [[3]], [[]]]),
        ((Ellipsis, tf.newaxis), [[[1], [2]], [[3]], []]),
    ],
)
def test_of_rows(subscript, expected):
    assert listed(ROWS[subscript]) == expected


@pytest.mark.parametrize(
    ("rows", "subscript", "expected"),
    [
        (DEEP, 0, [[1, 2], [3]]),
        (DEEP, (0, 1), [3]),
        (DEEP, (0, 1, 0), 3),
        (DEEP, (slice(None), slice(None, 1)), [[[1, 2]], [], [[4]]]),
        (DEEP, (slice(None), slice(1, None), slice(None, None, -1)), [[[3]], [], []]),
        (PAIRS, (0, 1), [3, 4]),
        (PAIRS, (slice(None), slice(None), 0), [[1, 3], [], [4]]),
        (PAIRS, (Ellipsis, 0), [[1, 3], [], [4]]),
        (PAIRS, (slice(None), slice(None, 1), 0), [[1], [], [4]]),
        (EVEN, (slice(None), 0), [1, 3, 5]),
        (EVEN, (slice(None), slice(1, None)), [[2], [4], [6]]),
    ],
)
def test_of_deeper_rows(rows, subscript, expected):
    assert listed(rows[subscript]) == expected


@pytest.mark.parametrize(
    ("subscript", "error", "message"),
    [
        (3, IndexError, "Row key 3 out of bounds"),
        (tf.constant(3), IndexError, "Row key 3 out of bounds"),
        (-4, tf.errors.InvalidArgumentError, "out of bounds"),
        (np.array([1]), TypeError, "Only integers, slices"),
        ((1, 1), tf.errors.InvalidArgumentError, "out of bounds|out of range"),
        ((slice(None), 0), ValueError, "Cannot index into an inner ragged dimension"),
        ((0, 0, 0), tf.errors.InvalidArgumentError, None),
        ("a", TypeError, "Only integers, slices"),
        (1.5, TypeError, "Only integers, slices"),
        (True, ValueError, "mask cannot be scalar"),
        (slice(None, None, 0), tf.errors.InvalidArgumentError, None),
    ],
)
def test_refused(subscript, error, message):
    with pytest.raises(error, match=message):
        ROWS[subscript]


def test_arrays_without_axes_are_numbers():
    assert ROWS[np.array(1)].numpy().tolist() == [3]
    assert ROWS[np.array(0) : np.array(2)].to_list() == [[1, 2], [3]]


def test_rows_are_walked():
    assert [row.numpy().tolist() for row in ROWS] == [[1, 2], [3], []]
    assert [row.to_list() for row in DEEP] == [[[1, 2], [3]], [], [[4]]]


def test_gradient_reaches_the_values_of_a_row():
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        rows = tf.RaggedTensor.from_row_lengths(values, [2, 1])
        y = tf.reduce_sum(rows[0] ** 2) + 5.0 * rows[1, 0]
    assert tape.gradient(y, values).numpy().tolist() == [2.0, 4.0, 5.0]
