"""Elements that are extension types, or other composite tensors."""

from __future__ import annotations

import os

import pytest

import tfcompat as tf
from tests.data.reading import count_of, listed, outcomes, refuses

D = tf.data.Dataset


class Masked(tf.experimental.BatchableExtensionType):
    """Values, of which some are valid."""

    values: tf.Tensor
    mask: tf.Tensor
    name: str = "m"


class Pair(tf.experimental.ExtensionType):
    """A tensor, and one with rows of different lengths."""

    left: tf.Tensor
    right: tf.RaggedTensor


def shown(element):
    return element.values.numpy().tolist(), element.mask.numpy().tolist()


def masked(x):
    return Masked([x, x + 1], [True, False])


def spec(shape, dtype=tf.int64):
    return Masked.Spec(tf.TensorSpec(shape, dtype), tf.TensorSpec(shape, tf.bool), "m")


THREE = D.range(3).map(masked)
ROWS = [([0, 1], [True, False]), ([1, 2], [True, False]), ([2, 3], [True, False])]


def test_functions_take_and_return_extension_types():
    assert THREE.element_spec == spec([2])
    assert list(map(shown, THREE)) == ROWS
    assert all(isinstance(each, Masked) for each in THREE)
    assert listed(THREE.map(lambda each: tf.boolean_mask(each.values, each.mask))) == [[0], [1], [2]]
    assert list(map(shown, THREE.filter(lambda each: each.values[0] > 0))) == ROWS[1:]
    paired = D.zip(THREE, D.range(3)).map(lambda each, x: (each.values * x, each))
    assert [(x.numpy().tolist(), shown(each)) for x, each in paired][1:] == [([1, 2], ROWS[1]), ([4, 6], ROWS[2])]
    assert int(THREE.reduce(tf.constant(0, tf.int64), lambda sum, each: sum + each.values[1])) == 6
    again = THREE.shuffle(3, seed=1).cache().repeat(2).prefetch(1)
    assert sorted(map(shown, again)) == sorted(ROWS * 2)


def test_extension_types_are_batched_and_divided():
    batches = THREE.batch(2)
    assert batches.element_spec == spec([None, 2])
    assert list(map(shown, batches)) == [([[0, 1], [1, 2]], [[True, False]] * 2), ([[2, 3]], [[True, False]])]
    assert list(map(shown, batches.unbatch())) == ROWS
    assert listed(batches.map(lambda each: tf.reduce_sum(each.values))) == [4, 5]
    sliced = D.from_tensor_slices((Masked([1, 2], [True, False]), [5, 6]))
    assert sliced.element_spec == (spec([], tf.int32), tf.TensorSpec([], tf.int32))
    assert [(shown(each), int(x)) for each, x in sliced] == [((1, True), 5), ((2, False), 6)]
    assert outcomes(D.range(1, 3).map(lambda x: Masked(tf.range(x), [True])).batch(2), 2) == [
        "InvalidArgumentError",
        "end",
    ]


def test_extension_types_may_contain_ragged_tensors():
    pairs = D.range(3).map(lambda x: Pair([x], tf.RaggedTensor.from_row_lengths(tf.range(x), [0, x])))
    assert [each.right.to_list() for each in pairs] == [[[], []], [[], [0]], [[], [0, 1]]]
    assert listed(pairs.map(lambda each: each.right.row_lengths())) == [[0, 0], [0, 1], [0, 2]]
    refuses(lambda: pairs.batch(2), AttributeError, "_batch")


def test_functions_loop_over_extension_types():
    @tf.function
    def total(dataset):
        sum = tf.constant(0, tf.int64)
        for each in dataset:
            sum += each.values[1]
        return sum

    assert int(total(THREE)) == 6


def test_generators_yield_extension_types():
    values = [Masked([1, 2], [True, False]), Masked([1], [True]), 3]
    made = D.from_generator(lambda: iter(values), output_signature=spec([2], tf.int32))
    iterator = iter(made)
    assert shown(next(iterator)) == ([1, 2], [True, False])
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="where an element of"):
            next(iterator)


def test_places_between_extension_types(tmp_path):
    iterator = iter(D.range(6).map(masked).shuffle(3, seed=2))
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    next(iterator)
    path = checkpoint.save(os.fspath(tmp_path / "place"))
    expected = list(map(shown, iterator))
    checkpoint.restore(path)
    assert list(map(shown, iterator)) == expected


def test_some_uses_of_extension_types_are_refused(tmp_path):
    class Own(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        __batch_encoder__ = type("Encoder", (tf.experimental.ExtensionTypeBatchEncoder,), {})()

    refuses(lambda: list(THREE.as_numpy_iterator()), TypeError, "as_numpy_iterator")
    refuses(lambda: THREE.padded_batch(2), NotImplementedError, "padded_batch")
    refuses(lambda: D.from_tensors(Own([1])).batch(2), NotImplementedError, "batches of Own")
    refuses(lambda: THREE.save(os.fspath(tmp_path / "saved")), NotImplementedError, "save their tensors as a tuple")


def test_rows_of_tensors_are_elements():
    rows = D.range(2).map(lambda x: tf.IndexedSlices(tf.reshape(x, [1, 1]), tf.constant([0]), tf.constant([3, 1])))
    assert [each.values.numpy().tolist() for each in rows] == [[[0]], [[1]]]
    assert listed(rows.map(lambda each: each.values * 2)) == [[[0]], [[2]]]


def test_lists_of_datasets():
    pair = D.from_tensor_slices([D.range(3), D.range(5, 7)])
    assert (pair.element_spec, count_of(pair)) == (tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)), 2)
    assert [listed(each) for each in pair] == [[0, 1, 2], [5, 6]]
    assert listed(pair.interleave(lambda each: each, cycle_length=2)) == [0, 5, 1, 6, 2]
    assert [listed(each) for each in pair.batch(2).unbatch()] == [[0, 1, 2], [5, 6]]
    refuses(lambda: D.from_tensor_slices([D.range(3), D.from_tensors("a")]), ValueError, "elements of one type")
    refuses(lambda: D.from_tensor_slices(D.range(3)), ValueError, "rank")
    refuses(lambda: pair.batch(2).map(lambda each: each), NotImplementedError, "batches of datasets")


def test_functions_know_the_shapes_of_sparse_elements():
    rows = D.range(3).map(lambda x: tf.SparseTensor([[0, 1]], [x], [1, 2]))
    assert rows.map(lambda row: row * 2).element_spec == tf.SparseTensorSpec([1, 2], tf.int64)
    assert rows.map(lambda row: tf.sparse.concat(1, [row, row])).element_spec.shape == (1, 4)
    assert listed(rows.map(lambda row: tf.sparse.to_dense(tf.sparse.reshape(row, [2, 1])))) == [
        [[0], [0]],
        [[0], [1]],
        [[0], [2]],
    ]
    kept = rows.map(lambda row: tf.sparse.retain(row, row.values > 0))
    assert kept.element_spec.shape == (1, 2)
    assert [row.values.numpy().tolist() for row in kept] == [[], [1], [2]]


def test_type_of_a_dataset():
    assert tf.type_spec_from_value(D.range(3).batch(2)) == tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64))
