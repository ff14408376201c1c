"""Slices whose ends are tensors without values: their sizes follow from arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

X = tf.reshape(tf.range(40.0), [20, 2])
SLICES = {
    "a batch": (lambda i: X[i * 5 : (i + 1) * 5], 2, slice(10, 15)),
    "a window": (lambda i: X[i : i + 3, 0], 4, (slice(4, 7), 0)),
    "between two offsets": (lambda i: X[i + 2 : i + 4], 1, slice(3, 5)),
    "terms that cancel": (lambda i: X[4 * (i - 1) + 4 : 4 * i + 4], 3, slice(12, 16)),
    "a cast": (lambda i: X[tf.cast(i, tf.int64) : tf.cast(i, tf.int64) + 2], 5, slice(5, 7)),
    "another axis": (lambda i: X[:, i : i + 1], 1, (slice(None), slice(1, 2))),
}


@pytest.mark.parametrize("name", SLICES)
def test_value_and_gradient(name):
    part, index, key = SLICES[name]
    function = tf.function(part, autograph=False)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = function(tf.constant(index))
    np.testing.assert_array_equal(y, X.numpy()[key])
    expected = np.zeros((20, 2))
    expected[key] = 1
    np.testing.assert_array_equal(tape.gradient(y, X), expected)


def test_a_batch_for_each_turn_of_a_loop():
    @tf.function
    def weighted(x):
        total = tf.constant(0.0)
        for i in tf.range(4):
            total += tf.reduce_sum(x[i * 5 : (i + 1) * 5]) * tf.cast(i, tf.float32)
        return total

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = weighted(X)
    assert y.numpy() == 1670.0
    np.testing.assert_array_equal(tape.gradient(y, X), np.repeat([[0.0], [1.0], [2.0], [3.0]], 5, axis=0) * [1.0, 1.0])


def test_beyond_the_end_is_an_error():
    function = tf.function(lambda i: X[i : i + 3], autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index out of bounds"):
        function(tf.constant(18)).numpy()


@pytest.mark.parametrize("part", [lambda i: X[-i:], lambda i: X[:i], lambda i: X[i : i * i]])
def test_a_size_that_depends_on_values(part):
    function = tf.function(part, autograph=False)
    for index in (2, 3, 25):
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = function(tf.constant(index))
        np.testing.assert_array_equal(y, part(index))
        np.testing.assert_array_equal(tape.gradient(y, X), np.isin(X, part(index)))


TO_THE_END = {
    "first_axis": lambda x, n: tf.slice(x, [n, 0, 0], [-1, 2, 3]),
    "other_axis": lambda x, n: tf.slice(x, [0, n, 0], [2, -1, -1]),
    "two_axes": lambda x, n: tf.slice(x, [n, n, 0], [-1, -1, 3]),
    "tensor": lambda x, n: tf.slice(x, tf.stack([n, 0, 0]), [-1, 2, 3]),
}


@pytest.mark.parametrize("name", TO_THE_END)
def test_window_to_the_end_from_a_computed_place(name):
    call = TO_THE_END[name]
    function = tf.function(call)
    x = tf.reshape(tf.range(36.0), [6, 2, 3])
    for n in (0, 1, 2):
        np.testing.assert_array_equal(function(x, tf.constant(n)), call(x, n))
    for n in (7, -1):
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(x, tf.constant(n)).numpy()


def test_window_to_the_end_in_a_function_of_elements():
    rows = tf.data.Dataset.from_tensor_slices(tf.zeros([4, 6, 2])).enumerate()
    parts = rows.map(lambda n, x: tf.slice(x, [tf.cast(n, tf.int32), 0], [-1, 2]))
    assert parts.element_spec == tf.TensorSpec([None, 2])
    assert [len(part) for part in parts] == [6, 5, 4, 3]


OF_A_COMPUTED_SIZE = {
    "first_axis": lambda x, n: tf.slice(x, [0, 0, 0], [n, -1, 3]),
    "two_axes": lambda x, n: tf.slice(x, [n, 1, 0], [n, 1, n]),
    "tensor": lambda x, n: tf.slice(x, [1, 0, 0], tf.stack([n, -1, 2])),
}


@pytest.mark.parametrize("name", OF_A_COMPUTED_SIZE)
def test_window_of_a_computed_size(name):
    call = OF_A_COMPUTED_SIZE[name]
    function = tf.function(call, input_signature=[tf.TensorSpec([None, 2, 3]), tf.TensorSpec([], tf.int32)])
    for rows in (6, 7, 9):
        x = tf.reshape(tf.range(6.0 * rows), [rows, 2, 3])
        for n in (0, 1, 2):
            with tf.GradientTape() as tape:
                tape.watch(x)
                found = function(x, tf.constant(n))
            expected = call(x, n).numpy()
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(tape.gradient(found, x), np.isin(x, expected))
        for n in (10, -2):
            with pytest.raises(tf.errors.InvalidArgumentError):
                function(x, tf.constant(n)).numpy()
