"""`tf.IndexedSlices`: operations and conversions."""

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


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32", "complex64"])
def test_cast_keeps_the_rows(dtype):
    found = tf.cast(ROWS, dtype)
    assert isinstance(found, tf.IndexedSlices)
    assert (found.dtype, found.values.numpy().tolist()) == (dtype, ROWS.values.numpy().tolist())
    assert found.indices is ROWS.indices
    assert found.dense_shape is ROWS.dense_shape


def test_cast_of_rows_of_unknown_shape():
    found = tf.cast(tf.IndexedSlices(VALUES, tf.constant([0, 2, 0])), tf.float64)
    assert (found.dtype, found.dense_shape) == (tf.float64, None)


def test_cast_of_rows_is_differentiable_and_traced():
    given = tf.IndexedSlices(VALUES, tf.constant([0, 2, 0]), tf.constant([4, 2]))
    with tf.GradientTape() as tape:
        tape.watch(VALUES)
        found = tf.function(lambda rows: tf.cast(rows, tf.float64))(given)
    assert isinstance(found, tf.IndexedSlices)
    assert tape.gradient(found.values, VALUES).numpy().tolist() == [[1, 1]] * 3


def test_gradient_of_rows_is_cast_as_rows():
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.gather(table, [1, 1]))
    found = tf.cast(tape.gradient(total, table), tf.float16)
    assert isinstance(found, tf.IndexedSlices)
    assert (found.dtype, found.values.numpy().tolist()) == (tf.float16, [[1, 1], [1, 1]])


@pytest.mark.parametrize("operation", [lambda: ROWS + ROWS, lambda: ROWS * 2, lambda: ROWS[0], lambda: len(ROWS)])
def test_arithmetic_is_refused(operation):
    with pytest.raises(TypeError):
        operation()


def test_parts_are_components():
    assert len(tf.nest.flatten(ROWS)) == 1
    assert [part.shape for part in tf.nest.flatten(ROWS, expand_composites=True)] == [(3, 2), (3,), (2,)]
    doubled = tf.nest.map_structure(lambda part: part * 2, ROWS, expand_composites=True)
    assert doubled.indices.numpy().tolist() == [0, 4, 0]
