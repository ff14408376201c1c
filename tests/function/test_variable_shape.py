"""Functions that capture variables whose shapes change: each call uses the present shape."""

from __future__ import annotations

import gc

import pytest

import tfcompat as tf
from tfcompat._function.functions.concrete import ConcreteFunction


@pytest.fixture
def rows():
    return tf.Variable(tf.zeros([2]), shape=[None])


def sizes_of(call, variable, count=4):
    """The results of `call` for one to `count` rows, in this order and again."""
    found = []
    for k in [*range(1, count), *range(1, count)]:
        variable.assign(tf.ones([k]))
        found.append(call().numpy().tolist())
    return found


def size(variable):
    return tf.size(variable) * tf.shape(variable)[0] + tf.cast(tf.reduce_mean(variable), tf.int32)


def test_values_are_those_of_the_present_shape(rows):
    function = tf.function(lambda: size(rows))
    assert sizes_of(function, rows) == [2, 5, 10, 2, 5, 10]
    assert sizes_of(tf.function(lambda: function() * 2), rows) == [4, 10, 20, 4, 10, 20]


def test_results_have_the_present_shape(rows):
    function = tf.function(lambda: rows * 2.0)
    shapes = []
    for k in (1, 4, 2):
        rows.assign(tf.ones([k]))
        shapes.append(function().shape.as_list())
    assert shapes == [[1], [4], [2]]


def test_variable_that_a_function_lengthens():
    rows = tf.Variable(tf.zeros([0]), shape=[None])

    @tf.function
    def append(x):
        rows.assign(tf.concat([rows, x], 0))
        return tf.size(rows), tf.reduce_sum(rows)

    assert [[int(each) for each in append(tf.ones([2]))] for _ in range(12)] == [[2 * k, 2 * k] for k in range(1, 13)]


def test_concrete_functions_and_signatures(rows):
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def scaled(x):
        return tf.reduce_sum(x) * tf.cast(size(rows), tf.float32)

    one = tf.ones([1])
    assert sizes_of(lambda: scaled(one), rows) == [2.0, 5.0, 10.0] * 2
    concrete = scaled.get_concrete_function()
    assert sizes_of(lambda: concrete(one), rows) == [2.0, 5.0, 10.0] * 2
    concrete = tf.function(lambda: size(rows)).get_concrete_function()
    assert sizes_of(concrete, rows) == [2, 5, 10] * 2


def test_functions_that_take_elements(rows):
    iterator = iter(tf.data.Dataset.range(100))
    function = tf.function(lambda: next(iterator) * 0 + tf.cast(size(rows), tf.int64))
    assert sizes_of(function, rows) == [2, 5, 10] * 2


def test_functions_of_elements(rows):
    dataset = tf.data.Dataset.range(2).map(lambda n: tf.cast(n, tf.int32) + size(rows))
    assert sizes_of(lambda: tf.stack(list(dataset)), rows) == [[2, 3], [5, 6], [10, 11]] * 2


def test_gradients_under_a_tape(rows):
    function = tf.function(lambda: tf.reduce_sum(rows * rows) * tf.cast(tf.size(rows), tf.float32))

    def gradient():
        with tf.GradientTape() as tape:
            y = function()
        return tape.gradient(y, rows)

    assert sizes_of(gradient, rows) == [[2.0], [4.0] * 2, [6.0] * 3] * 2


def test_random_numbers_go_on(rows):
    """TensorFlow has one trace with one stream."""
    tf.random.set_seed(1)
    function = tf.function(lambda: tf.random.uniform([]) + 0.0 * tf.reduce_sum(rows))
    changing = sizes_of(function, rows)
    tf.random.set_seed(1)
    fixed = tf.function(lambda: tf.random.uniform([]) + 0.0)
    assert changing == [fixed().numpy().tolist() for _ in changing]


def test_traces_for_shapes_are_bounded(rows):
    def sized():
        return size(rows)

    function = tf.function(sized)
    assert sizes_of(function, rows, 20)[:19] == [k * k + 1 for k in range(1, 20)]
    # `isinstance` would ask proxies whose objects no longer exist.
    kept = sum(type(each) is ConcreteFunction and each.name == "sized" for each in gc.get_objects())
    assert 8 <= kept < 12
