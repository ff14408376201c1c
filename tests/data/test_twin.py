"""The functions of `tf.data.experimental`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import generated, listed

D = tf.data.Dataset
FIVE = D.range(5)
experimental = tf.data.experimental


@pytest.mark.parametrize(
    ("transformation", "expected"),
    [
        (lambda: experimental.enumerate_dataset(3), [(3, 0), (4, 1), (5, 2), (6, 3), (7, 4)]),
        (lambda: experimental.unique(), [0, 1, 2, 3, 4]),
        (lambda: experimental.dense_to_ragged_batch(2), [[0, 1], [2, 3], [4]]),
        (lambda: experimental.dense_to_ragged_batch(2, drop_remainder=True), [[0, 1], [2, 3]]),
        (lambda: experimental.shuffle_and_repeat(1, 2), [0, 1, 2, 3, 4] * 2),
        (lambda: experimental.dense_to_sparse_batch(5, []), [[0, 1, 2, 3, 4]]),
    ],
    ids=range(6),
)
def test_transformations(transformation, expected):
    assert listed(FIVE.apply(transformation())) == expected


def test_functions_of_datasets():
    assert int(experimental.cardinality(FIVE)) == 5
    assert int(experimental.get_single_element(FIVE.take(1))) == 0
    assert listed(FIVE.batch(2).apply(experimental.unbatch())) == [0, 1, 2, 3, 4]
    assert listed(experimental.Counter(3, 2).take(2)) == [3, 5]
    assert listed(experimental.sample_from_datasets([FIVE, FIVE], [1.0, 0.0])) == [0, 1, 2, 3, 4]
    tf.random.set_seed(1)
    assert listed(experimental.RandomDataset(4).take(2)) == [3140572256, 1890473413]


def test_elements_by_their_place():
    assert int(experimental.at(FIVE, 2)) == 2
    with pytest.raises(tf.errors.OutOfRangeError, match=r"Index out of range \[0, 5\):7"):
        experimental.at(FIVE, 7)


def test_lists():
    assert listed(experimental.from_list([(1, "a"), (2, "b")])) == [(1, b"a"), (2, b"b")]
    rows = experimental.from_list([[1], [1, 2]])
    assert rows.element_spec == tf.TensorSpec([None], tf.int32)
    assert listed(rows) == [[1], [1, 2]]
    assert repr(experimental.from_list([1])).startswith("<_ListDataset ")
    with pytest.raises(ValueError, match="`elements` should not be empty"):
        experimental.from_list([])


def test_values_of_generators():
    rows = generated([[1], [2, 3]], tf.TensorSpec([None], tf.int32))
    [batch] = rows.apply(experimental.dense_to_ragged_batch(2))
    assert batch.to_list() == [[1], [2, 3]]
