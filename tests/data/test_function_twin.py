"""The functions of `tf.data.experimental` that take functions of elements."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import generated, listed, refuses

D = tf.data.Dataset
E = tf.data.experimental
SIX = D.range(6)


@pytest.mark.parametrize(
    ("transformation", "expected"),
    [
        (lambda: E.map_and_batch(lambda x: x * 2, 4), [[0, 2, 4, 6], [8, 10]]),
        (lambda: E.map_and_batch(lambda x: x * 2, 4, drop_remainder=True), [[0, 2, 4, 6]]),
        (lambda: E.map_and_batch(lambda x: x * 2, 3, num_parallel_batches=2), [[0, 2, 4], [6, 8, 10]]),
        (lambda: E.scan(np.int64(0), lambda s, x: (s + x, s)), [0, 0, 1, 3, 6, 10]),
        (lambda: E.take_while(lambda x: x < 3), [0, 1, 2]),
        (lambda: E.group_by_window(lambda x: x % 2, lambda _, g: g.batch(3), 3), [[0, 2, 4], [1, 3, 5]]),
        (lambda: E.parallel_interleave(lambda x: D.from_tensors(x).repeat(2), 2), [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5]),
    ],
    ids=["map", "full", "batches", "scan", "while", "window", "interleave"],
)
def test_transformations(transformation, expected):
    assert listed(SIX.apply(transformation())) == expected


def test_buckets():
    rows = generated([[1], [2, 2, 2], [3, 3]], tf.TensorSpec([None], tf.int32))
    assert listed(rows.apply(E.bucket_by_sequence_length(tf.size, [3], [2, 2]))) == [[[1, 0], [3, 3]], [[2, 2, 2]]]


def test_parallel_calls_are_given_once():
    refuses(lambda: SIX.apply(E.map_and_batch(abs, 2, 1, False, 1)), ValueError, "only one of `num_parallel_batches`")
