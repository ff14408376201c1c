"""Iterators of datasets, their specs, and optionals."""

from __future__ import annotations

import threading

import pytest

import tfcompat as tf
from tests.data.reading import listed, plain

D = tf.data.Dataset
FIVE = D.range(5)
NUMBER = tf.TensorSpec([], tf.int64)


def test_iterators_end():
    iterator = iter(D.range(1))
    assert isinstance(iterator, tf.data.Iterator)
    assert iter(iterator) is iterator
    assert int(next(iterator)) == 0
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(iterator)
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            iterator.get_next()
    assert not iterator.get_next_as_optional().has_value()


def test_method_of_the_next_element():
    iterator = iter(D.range(1))
    assert int(iterator.next()) == 0
    with pytest.raises(StopIteration):
        iterator.next()


def test_iterators_are_independent():
    one, other = iter(FIVE), iter(FIVE)
    assert [int(next(one)), int(one.get_next()), int(next(other))] == [0, 1, 0]


def test_optionals():
    optional = tf.data.experimental.get_next_as_optional(iter(FIVE))
    assert isinstance(optional, tf.data.experimental.Optional)
    assert (optional.has_value().dtype, bool(optional.has_value())) == (tf.bool, True)
    assert (int(optional.get_value()), optional.element_spec) == (0, NUMBER)
    empty = tf.data.experimental.Optional.empty(NUMBER)
    assert not empty.has_value()
    assert empty.element_spec == NUMBER
    with pytest.raises(tf.errors.InvalidArgumentError, match="The given optional does not have a value"):
        empty.get_value()
    assert plain(tf.data.experimental.Optional.from_value((1, {"a": "b"})).get_value()) == (1, {"a": b"b"})


def test_specs():
    iterator = iter(FIVE)
    assert iterator.element_spec == NUMBER
    found = tf.data.IteratorSpec(NUMBER)
    assert found == tf.data.IteratorSpec.from_value(iterator)
    assert repr(found) == "IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)"
    assert found.is_compatible_with(iterator)
    assert not found.is_compatible_with(iter(FIVE.batch(2)))
    assert tf.data.experimental.get_structure(iterator) == tf.data.experimental.get_structure(FIVE) == NUMBER
    with pytest.raises(TypeError, match=r"must be a `tf.data.Dataset` or tf.data.Iterator object"):
        tf.data.experimental.get_structure(5)


def test_numpy_iterators():
    iterator = FIVE.as_numpy_iterator()
    assert isinstance(iterator, tf.data.NumpyIterator)
    assert iterator.next() == 0
    assert next(iterator) == 1
    assert [*iterator] == [2, 3, 4]
    with pytest.raises(StopIteration):
        iterator.next()
    assert repr(iterator).startswith("NumpyIterator(iterator=<")
    assert tf.data.NumpyIterator(FIVE).next() == 0


def test_threads_share_an_iterator():
    iterator = iter(D.range(2000).batch(2).unbatch())
    found = []

    def read():
        found.extend(int(x) for x in iterator)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert sorted(found) == [*range(2000)]


def test_elements_are_tensors_of_the_spec():
    dataset = D.from_tensor_slices(([1.0, 2.0], ["a", "b"], [[1], [2]]))
    for element in dataset:
        assert [spec.is_compatible_with(part) for spec, part in zip(dataset.element_spec, element, strict=True)] == [
            True
        ] * 3
        assert float(element[0] + 1.0) > 1
    assert [float(tf.reduce_sum(batch * 2)) for batch in D.range(5).batch(2)] == [2.0, 10.0, 8.0]
    assert listed(dataset) == [(1.0, b"a", [1]), (2.0, b"b", [2])]


def test_elements_train():
    variable = tf.Variable(0.0)

    @tf.function
    def step(x):
        variable.assign_add(tf.reduce_sum(x))

    for x in D.from_tensor_slices([1.0, 2.0, 3.0]).batch(2).prefetch(1):
        step(x)
    assert float(variable) == 6.0


def test_places_of_numpy_iterators():
    dataset = D.range(10).shuffle(5, seed=42)
    iterator = dataset.as_numpy_iterator()
    next(iterator)
    place = iterator.save()
    assert (place.dtype, place.shape) == (tf.string, [])
    expected = list(iterator)
    for each in (iterator, dataset.as_numpy_iterator()):
        each.restore(place)
        assert list(each) == expected
    with pytest.raises(tf.errors.DataLossError):
        iterator.restore("bad")
