"""Structures of elements, conversion of values, and specs."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

import tfcompat as tf
from tests.data.reading import listed, plain

D = tf.data.Dataset
Pair = collections.namedtuple("Pair", ["left", "right"])
RAGGED = tf.ragged.constant([[1, 2], [3], []])
DEEP = tf.ragged.constant([[[1, 2], [3]], [[]], [[4]]])
SPARSE = tf.sparse.from_dense([[1, 0], [0, 2], [3, 0]])


def spec(shape, dtype):
    return tf.TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([[1, 2], [3, 4]], spec([2, 2], tf.int32)),
        ([2**40], spec([1], tf.int64)),
        ([1, 2.5], spec([2], tf.float32)),
        (np.zeros(2), spec([2], tf.float64)),
        (range(3), spec([3], tf.int32)),
        (["a"], spec([1], tf.string)),
        ([], spec([0], tf.float32)),
        (([1, 2], [3.0, 4.0]), (spec([2], tf.int32), spec([2], tf.float32))),
        ((1, (2, [3])), (spec([], tf.int32), (spec([], tf.int32), spec([1], tf.int32)))),
        ({"b": 1, "a": "x"}, {"b": spec([], tf.int32), "a": spec([], tf.string)}),
        (Pair(1, 2.0), Pair(spec([], tf.int32), spec([], tf.float32))),
        ((1, None), (spec([], tf.int32), tf.NoneTensorSpec())),
        (RAGGED, tf.RaggedTensorSpec([3, None], tf.int32, 1, tf.int64)),
        (SPARSE, tf.SparseTensorSpec([3, 2], tf.int32)),
    ],
    ids=str,
)
def test_list_is_a_tensor_and_tuple_a_structure(value, expected):
    assert D.from_tensors(value).element_spec == expected


def test_dictionaries_keep_their_order():
    [element] = D.from_tensors({"b": 1, "a": {"d": 2, "c": 3}})
    assert (list(element), list(element["a"])) == (["b", "a"], ["d", "c"])
    assert plain(element) == {"b": 1, "a": {"d": 2, "c": 3}}
    assert list(D.from_tensors({"b": 1, "a": 2}).element_spec) == ["b", "a"]
    ordered = collections.OrderedDict([("b", 1), ("a", 2)])
    assert type(next(iter(D.from_tensors(ordered)))) is collections.OrderedDict


def test_named_tuples_and_none_are_given_back():
    [element] = D.from_tensors(Pair([1, 2], None))
    assert type(element) is Pair
    assert (plain(element.left), element.right) == ([1, 2], None)


def test_dataclass_is_refused():
    @dataclasses.dataclass
    class Held:
        x: int

    with pytest.raises(ValueError, match="unsupported type"):
        D.from_tensors(Held(1))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (5, "Unbatching a tensor is only supported for rank >= 1"),
        (([1, 2], [3.0, 4.0, 5.0]), "Dimensions 2 and 3 are not compatible"),
        ([[1, 2], [3]], "non-rectangular Python sequence"),
        ({}, "`element` should not be empty"),
        ((), "`element` should not be empty"),
        (None, "`element` should not be empty"),
    ],
    ids=str,
)
def test_slices_refuse(value, message):
    with pytest.raises(ValueError, match=message):
        D.from_tensor_slices(value)


def test_slices_of_structures():
    assert listed(D.from_tensor_slices(([1, 2], {"a": [[3.0], [4.0]]}))) == [(1, {"a": [3.0]}), (2, {"a": [4.0]})]
    assert listed(D.from_tensor_slices(["a", "b"])) == [b"a", b"b"]
    assert listed(D.from_tensor_slices(np.zeros([0, 2]))) == []


def test_ragged_rows_are_tensors_and_batches_ragged_again():
    rows = D.from_tensor_slices(RAGGED)
    assert rows.element_spec == tf.RaggedTensorSpec([None], tf.int32, 0, tf.int64)
    assert [row.numpy().tolist() for row in rows] == [[1, 2], [3], []]
    batches = rows.batch(2)
    assert batches.element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1, tf.int64)
    assert [batch.to_list() for batch in batches] == [[[1, 2], [3]], [[]]]
    assert listed(rows) == [[1, 2], [3], []]


def test_deep_ragged_rows_are_ragged():
    rows = D.from_tensor_slices(DEEP)
    assert rows.element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1, tf.int64)
    assert [row.to_list() for row in rows] == [[[1, 2], [3]], [[]], [[4]]]
    assert [batch.to_list() for batch in rows.batch(2)] == [[[[1, 2], [3]], [[]]], [[[4]]]]
    assert [each.to_list() for each in D.from_tensors(RAGGED).repeat(2).batch(2)] == [[[[1, 2], [3], []]] * 2]
    assert [row.numpy().tolist() for row in D.from_tensors(RAGGED).unbatch()] == [[1, 2], [3], []]


def test_sparse_rows_and_batches_are_sparse():
    rows = D.from_tensor_slices(SPARSE)
    assert rows.element_spec == tf.SparseTensorSpec([2], tf.int32)
    assert [tf.sparse.to_dense(row).numpy().tolist() for row in rows] == [[1, 0], [0, 2], [3, 0]]
    batches = rows.batch(2)
    assert batches.element_spec == tf.SparseTensorSpec([None, 2], tf.int32)
    assert [tf.sparse.to_dense(each).numpy().tolist() for each in batches] == [[[1, 0], [0, 2]], [[3, 0]]]
    assert listed(rows) == [[1, 0], [0, 2], [3, 0]]
    assert [tf.sparse.to_dense(row).numpy().tolist() for row in batches.unbatch()] == [[1, 0], [0, 2], [3, 0]]


def test_dataset_is_a_component():
    nested = D.from_tensors((D.range(3), 1))
    assert nested.element_spec[0] == tf.data.DatasetSpec(spec([], tf.int64))
    assert repr(nested.element_spec[0]).startswith("DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), ")
    [(inner, number)] = nested
    assert isinstance(inner, tf.data.Dataset)
    assert (listed(inner), int(number)) == ([0, 1, 2], 1)
    with pytest.raises(TypeError, match="not supported for datasets that produce values of type"):
        nested.as_numpy_iterator()


def test_variable_is_read_once():
    variable = tf.Variable([1, 2])
    rows = D.from_tensor_slices(variable)
    variable.assign([3, 4])
    assert listed(rows) == [1, 2]


def test_array_is_copied():
    array = np.array([1, 2])
    rows = D.from_tensor_slices(array)
    array[0] = 5
    assert listed(rows) == [1, 2]


def test_numpy_elements():
    number, text = next(D.from_tensors((1, "a")).as_numpy_iterator())
    assert (type(number), type(text)) == (np.int32, bytes)
    array = next(D.from_tensors([1, 2]).as_numpy_iterator())
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 5
    assert next(D.from_tensors(["a"]).as_numpy_iterator()).dtype == object


def test_component_that_is_a_dataset_has_a_spec():
    found = tf.data.DatasetSpec(spec([None], tf.int64))
    assert found.is_compatible_with(D.range(4).batch(2))
    assert not found.is_compatible_with(D.range(4))
    assert tf.data.DatasetSpec(spec([2], tf.int64)).is_subtype_of(found)
    assert tf.data.DatasetSpec.from_value(D.range(3).batch(2)) == found
    assert hash(found) == hash(tf.data.DatasetSpec(spec([None], tf.int64)))


def test_rows_of_one_length_keep_it():
    pairs = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3], [], [4]]), 2)
    rows = D.from_tensor_slices(pairs)
    assert [row.shape.as_list() for row in rows] == [[2, None], [2, None]]
    assert [batch.shape.as_list() for batch in rows.batch(2)] == [[2, 2, None]]
    assert [found.uniform_row_length.numpy() for found in D.from_tensors(pairs)] == [2]
    declared = tf.RaggedTensorSpec([None, 2], tf.int32, 1)
    other = D.from_generator(lambda: iter([tf.ragged.constant([[1], [2, 3, 4]])]), output_signature=declared)
    assert [found.to_list() for found in other] == [[[1], [2, 3, 4]]]
