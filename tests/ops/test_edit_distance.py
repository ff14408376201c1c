"""Levenshtein's distance of sparse sequences."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat._ops.sequence.edit_distance import levenshtein

HYPOTHESIS = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1])
TRUTH = tf.SparseTensor([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], [2, 2, 2])


def test_distances_are_those_of_tensorflow():
    inf = float("inf")
    assert tf.edit_distance(HYPOTHESIS, TRUTH).numpy().tolist() == [[inf, 1.0], [0.5, 1.0]]
    distances = tf.edit_distance(HYPOTHESIS, TRUTH, normalize=False)
    assert distances.numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert distances.dtype is tf.float32


@pytest.mark.parametrize(
    ("first", "second", "steps"),
    [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "bc", 1), ("ab", "ba", 2)],
)
def test_steps(first, second, steps):
    assert levenshtein(list(first), list(second)) == steps


def test_refusals():
    with pytest.raises(TypeError, match=r"Hypothesis must be a SparseTensor\."):
        tf.edit_distance(tf.constant([1]), TRUTH)
    with pytest.raises(TypeError, match=r"Truth must be a SparseTensor\."):
        tf.edit_distance(TRUTH, tf.constant([1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have one dtype"):
        tf.edit_distance(tf.SparseTensor([[0, 0]], [1], [1, 1]), tf.SparseTensor([[0, 0]], ["a"], [1, 1]))
    line = tf.SparseTensor([[0]], ["a"], [1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have one rank, at least 2"):
        tf.edit_distance(line, line)
