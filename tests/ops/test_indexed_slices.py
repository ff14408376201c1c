"""Rows of a tensor: what they can do, and what they become."""

from __future__ import annotations

import pytest

import tfcompat as tf

VALUES = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
ROWS = tf.IndexedSlices(VALUES, tf.constant([0, 2, 0]), tf.constant([4, 2]))


def test_rows_that_meet_add_up():
    assert tf.convert_to_tensor(ROWS).numpy().tolist() == [[6, 8], [0, 0], [3, 4], [0, 0]]
    assert tf.reduce_sum(ROWS).numpy() == 21.0


def test_negative_rows_are_dropped_and_rows_beyond_refused():
    dropped = tf.IndexedSlices(VALUES, tf.constant([0, -1, 0]), tf.constant([1, 2]))
    assert tf.convert_to_tensor(dropped).numpy().tolist() == [[6, 8]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.convert_to_tensor(tf.IndexedSlices(VALUES, tf.constant([0, 7, 0]), tf.constant([4, 2])))


def test_shape_must_be_known_to_become_a_tensor():
    rows = tf.IndexedSlices(VALUES, tf.constant([0, 2, 0]))
    assert rows.shape.rank is None
    with pytest.raises(ValueError, match="without dense_shape"):
        tf.convert_to_tensor(rows)


def test_properties_are_those_of_tensorflow():
    assert (ROWS.shape, ROWS.dtype, ROWS.consumers()) == ((4, 2), tf.float32, [])
    assert str(ROWS).startswith("IndexedSlices(indices=tf.Tensor([0 2 0], shape=(3,), dtype=int32), values=tf.Tensor(")
    for name in ("name", "op", "graph", "numpy"):
        with pytest.raises(AttributeError):
            getattr(ROWS, name)


def test_negation_keeps_the_rows():
    assert isinstance(-ROWS, tf.IndexedSlices)
    assert tf.convert_to_tensor(-ROWS).numpy()[0].tolist() == [-6, -8]


@pytest.mark.parametrize("operation", [lambda: ROWS + ROWS, lambda: ROWS * 2, lambda: ROWS[0], lambda: len(ROWS)])
def test_arithmetic_is_refused(operation):
    with pytest.raises(TypeError):
        operation()


def test_parts_are_components():
    assert len(tf.nest.flatten(ROWS)) == 1
    assert [part.shape for part in tf.nest.flatten(ROWS, expand_composites=True)] == [(3, 2), (3,), (2,)]
    doubled = tf.nest.map_structure(lambda part: part * 2, ROWS, expand_composites=True)
    assert doubled.indices.numpy().tolist() == [0, 4, 0]
