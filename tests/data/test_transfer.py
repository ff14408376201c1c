"""`tf.data.experimental.prefetch_to_device` and `copy_to_device`."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.data.reading import listed, outcomes

D = tf.data.Dataset
X = tf.data.experimental
TRANSFORMATIONS = pytest.mark.parametrize("to_device", [X.prefetch_to_device, X.copy_to_device])


@TRANSFORMATIONS
def test_elements_are_on_the_device(to_device):
    dataset = D.from_tensor_slices({"a": [[1.0], [2.0]], "b": ["x", "y"]}).apply(to_device("/cpu:0"))
    assert dataset.element_spec == {"a": tf.TensorSpec([1], tf.float32), "b": tf.TensorSpec([], tf.string)}
    assert dataset.cardinality() == tf.data.UNKNOWN_CARDINALITY
    assert listed(dataset) == [{"a": [1.0], "b": b"x"}, {"a": [2.0], "b": b"y"}]
    assert all(element["a"].device.endswith("CPU:0") for element in dataset)


@TRANSFORMATIONS
def test_errors_belong_to_their_elements(to_device):
    dataset = D.range(5).map(lambda n: 6 // (n - 2)).apply(to_device("/cpu:0"))
    assert outcomes(dataset, 6) == [-3, -6, "InvalidArgumentError", 6, 3, "end"]


@TRANSFORMATIONS
def test_later_transformations_read_the_elements(to_device):
    assert listed(D.range(5).apply(to_device("/cpu:0")).map(lambda n: n + 1).batch(2)) == [[1, 2], [3, 4], [5]]
    assert list(D.range(2).apply(to_device("/cpu:0")).as_numpy_iterator()) == [0, 1]


@TRANSFORMATIONS
def test_iterators_in_functions(to_device):
    added = tf.function(lambda iterator: next(iterator) + next(iterator))
    assert added(iter(D.range(5).apply(to_device("/cpu:0")))) == 1


@TRANSFORMATIONS
def test_composites(to_device):
    ragged = D.from_tensors(tf.ragged.constant([[1], [2, 3]])).apply(to_device("/cpu:0"))
    assert [rows.to_list() for rows in ragged] == [[[1], [2, 3]]]
    sparse = D.from_tensors(tf.sparse.from_dense([1, 0, 2])).apply(to_device("/cpu:0"))
    assert [tf.sparse.to_dense(vector).numpy().tolist() for vector in sparse] == [[1, 0, 2]]


@TRANSFORMATIONS
def test_refusals(to_device, tmp_path):
    with pytest.raises(ValueError, match="nonsense"):
        D.range(2).apply(to_device("nonsense"))
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        D.range(2).window(2).apply(to_device("/cpu:0"))
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        D.from_tensors((1, None)).apply(to_device("/cpu:0"))
    with pytest.raises(tf.errors.UnimplementedError, match="does not support checkpointing"):
        tf.train.Checkpoint(iterator=iter(D.range(2).apply(to_device("/cpu:0")))).save(str(tmp_path / "saved"))


def test_numbers_of_elements_ahead():
    with pytest.raises(tf.errors.InvalidArgumentError, match="buffer_size"):
        D.range(2).apply(X.prefetch_to_device("/cpu:0", -3))
    for size in (0, 1, 3, None):
        assert listed(D.range(5).apply(X.prefetch_to_device("/cpu:0", size))) == [0, 1, 2, 3, 4]


def test_elements_are_not_copied_long_before_they_are_read():
    read = []
    numbers = D.from_generator(lambda: (read.append(k) or k for k in range(100)), output_signature=tf.TensorSpec([]))
    iterator = iter(numbers.apply(X.copy_to_device("/cpu:0")))
    assert next(iterator) == 0.0
    assert len(read) <= 2
