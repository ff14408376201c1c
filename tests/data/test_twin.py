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


def test_padding_to_a_cardinality():
    rows = D.from_tensor_slices({"x": [1, 2], "a": ["b", "c"]}).apply(experimental.pad_to_cardinality(3))
    assert repr(rows).startswith("<_ConcatenateDataset element_spec={'x': TensorSpec(shape=(), dtype=tf.int32")
    assert len(rows) == 3
    assert listed(rows) == [
        {"x": 1, "a": b"b", "valid": True},
        {"x": 2, "a": b"c", "valid": True},
        {"x": 0, "a": b"", "valid": False},
    ]
    assert list(rows.element_spec) == ["x", "a", "valid"]
    with pytest.raises(ValueError, match="requires its input dataset to be a dictionary"):
        FIVE.apply(experimental.pad_to_cardinality(7))
    with pytest.raises(ValueError, match=r"."):
        D.from_tensor_slices({"x": [1, 2]}).apply(experimental.pad_to_cardinality(1))


def test_elements_of_shuffled_datasets_by_number():
    def found(dataset):
        return [int(experimental.at(dataset, place)) for place in range(len(dataset))]

    tf.random.set_seed(3)
    shuffled = D.range(9).shuffle(9, seed=4)
    order = [6, 5, 0, 1, 8, 3, 7, 4, 2]
    assert found(shuffled) == found(shuffled) == order
    assert listed(shuffled) == [2, 6, 8, 4, 0, 7, 5, 1, 3]
    assert found(shuffled.map(lambda x: x * 2).take(4)) == [12, 10, 0, 2]
    fixed = D.range(9).shuffle(9, seed=4, reshuffle_each_iteration=False)
    assert found(fixed.concatenate(D.range(2))) == [1, 0, 5, 6, 8, 7, 2, 3, 4, 0, 1]
    assert found(D.range(6).shuffle(9, seed=4).batch(2).map(lambda batch: batch[0])) == [3, 0, 2]
