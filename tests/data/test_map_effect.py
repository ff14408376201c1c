"""Making a map has no effects: ops that no program holds are tried on sample arrays, which no state may see."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

import tfcompat as tf
from tests.data.reading import listed, outcomes


def map_made(function):
    """Maps `function` over rows of an open size; the test does not depend on success."""
    rows = tf.data.Dataset.from_generator(
        lambda: iter([np.zeros(5, np.float32)]), output_signature=tf.TensorSpec([None], tf.float32)
    )
    with suppress(NotImplementedError, ValueError, TypeError, AttributeError):
        rows.map(function)


def test_making_a_map_does_not_assign_variables():
    held = tf.Variable(tf.zeros([5]))
    map_made(lambda x: held.assign_add(x) * 1.0)
    assert held.numpy().tolist() == [0.0] * 5


def test_making_a_map_does_not_insert_into_tables():
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -100, -200)

    def insert(x):
        table.insert(tf.cast(x, tf.int64), tf.cast(x, tf.int64))
        return x

    map_made(insert)
    assert table.size().numpy() == 0


def test_making_a_map_does_not_advance_generators():
    generator = tf.random.Generator.from_seed(5)
    before = generator.state.numpy().tolist()
    map_made(lambda x: generator.uniform(tf.shape(x)))
    assert generator.state.numpy().tolist() == before


def test_making_a_map_writes_no_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(x):
        tf.io.gfile.makedirs(tf.strings.reduce_join(tf.strings.as_string(tf.shape(x))))
        return x

    def write_vector(x):
        tf.io.write_file(tf.ensure_shape(tf.numpy_function(lambda _: b"name", [x], tf.string), None), "text")
        return x

    map_made(write)
    map_made(write_vector)
    assert list(tmp_path.iterdir()) == []


def test_python_is_called_in_loops_and_branches():
    def doubled(x):
        found = tf.numpy_function(lambda number: number * 2, [x], tf.int64)
        found.set_shape([])
        return found

    def total(x):
        found = tf.constant(0, tf.int64)
        for i in tf.range(x):
            found += doubled(i)
        return tf.cond(x > 2, lambda: doubled(found), lambda: found)

    assert [int(x) for x in tf.data.Dataset.range(4).map(total)] == [0, 0, 2, 12]


def test_functions_take_elements_of_iterators():
    def following(dataset, function):
        iterator = iter(dataset)
        return lambda x: function(x, iterator)

    numbers, five = tf.data.Dataset.range, tf.data.Dataset.range(5)
    scaled = five.map(following(numbers(3), lambda x, iterator: x * iterator.get_next() + 1))
    assert outcomes(scaled, 6) == [1, 2, 5, "InvalidArgumentError", "InvalidArgumentError", "end"]
    batches = numbers(9).batch(2)
    assert listed(five.take(3).map(following(batches, lambda _, iterator: tf.reduce_sum(next(iterator))))) == [1, 5, 9]
    zero = tf.constant(-1, tf.int64)
    chosen = following(numbers(9), lambda x, iterator: tf.cond(x > 2, lambda: next(iterator), lambda: zero))
    assert listed(five.map(chosen)) == [-1, -1, -1, 0, 1]
    texts = tf.data.Dataset.from_tensor_slices({"a": ["x", "y"], "b": tf.ragged.constant([[1], [2, 3]])}).batch(1)
    found = five.take(2).map(following(texts, lambda _, iterator: next(iterator)))
    shown = [(each["a"].numpy().tolist(), each["b"].to_list()) for each in found]
    assert shown == [([b"x"], [[1]]), ([b"y"], [[2, 3]])]
