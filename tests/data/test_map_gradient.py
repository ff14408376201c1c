"""Gradients in functions of elements, of ops whose sizes are computed for each element."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

ROWS = np.arange(12.0, dtype=np.float32).reshape(3, 4)
NUMBERS = [0, 1, 2]


def gradients(function):
    """The gradient of the sum of squares of `function(row, number)` for each row."""

    def of_element(row, number):
        with tf.GradientTape() as tape:
            tape.watch(row)
            loss = tf.reduce_sum(function(row, number) ** 2)
        return tape.gradient(loss, row)

    dataset = tf.data.Dataset.from_tensor_slices((ROWS, NUMBERS)).map(of_element)
    return [each.numpy().tolist() for each in dataset]


TWICE = (2 * ROWS).tolist()


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda row, n: tf.slice(row, [n], [2]), [[0, 2, 0, 0], [0, 10, 12, 0], [0, 0, 20, 22]]),
        (lambda row, n: tf.slice(row, [n], [-1]), [[0, 2, 4, 6], [0, 10, 12, 14], [0, 0, 20, 22]]),
        (lambda row, n: tf.slice(row, [n], [n]), [[0, 0, 0, 0], [0, 10, 0, 0], [0, 0, 20, 22]]),
        (lambda row, n: row[n:], [[0, 2, 4, 6], [0, 10, 12, 14], [0, 0, 20, 22]]),
        (lambda row, n: tf.pad(row, [[n, 3 - n]]), TWICE),
        (lambda row, n: tf.pad(row, [[n, 3 - n]], constant_values=2.0) * tf.ones([7]), TWICE),
        (lambda row, n: tf.pad(row, [[n, n]], "REFLECT"), [TWICE[0], [8, 20, 24, 14], [16, 54, 60, 22]]),
        (lambda row, n: tf.repeat(row, n), [[0, 0, 0, 0], TWICE[1], (4 * ROWS[2]).tolist()]),
        (lambda row, n: tf.boolean_mask(row, row > tf.cast(n, tf.float32)), TWICE),
        (lambda row, n: tf.split(row, [n, 4 - n])[0], [[0, 0, 0, 0], [8, 0, 0, 0], [16, 18, 0, 0]]),
        (lambda row, n: tf.math.top_k(row, n).values, [[0, 0, 0, 0], [0, 0, 0, 14], [0, 0, 20, 22]]),
    ],
    ids=["slice", "rest", "part", "end", "pad", "pad_value", "reflect", "repeat", "mask", "split", "top_k"],
)
def test_ops_of_computed_sizes_have_gradients(function, expected):
    assert gradients(function) == expected


def test_resize_to_a_computed_size_has_a_gradient():
    def of_element(number):
        image = tf.ones([2, 2, 1])
        with tf.GradientTape() as tape:
            tape.watch(image)
            loss = tf.reduce_sum(tf.image.resize(image, [number, 2]))
        return tape.gradient(loss, image)

    found = [float(tf.reduce_sum(each)) for each in tf.data.Dataset.from_tensor_slices([2, 4]).map(of_element)]
    assert found == [4.0, 8.0]


def test_second_derivative_of_a_part():
    def of_element(row, number):
        with tf.GradientTape() as outer:
            outer.watch(row)
            with tf.GradientTape() as inner:
                inner.watch(row)
                loss = tf.reduce_sum(tf.slice(row, [number], [-1]) ** 3)
            first = inner.gradient(loss, row)
        return outer.gradient(first, row)

    dataset = tf.data.Dataset.from_tensor_slices((ROWS, NUMBERS)).map(of_element)
    assert [each.numpy().tolist() for each in dataset][2] == [0.0, 0.0, 60.0, 66.0]


def slopes(function, rows, calls=lambda function: function):
    """The gradient of the sum of `function` of each of `rows`, whose sizes differ."""

    def of_element(row):
        with tf.GradientTape() as tape:
            tape.watch(row)
            loss = tf.reduce_sum(function(row))
        return tape.gradient(loss, row)

    dataset = tf.data.Dataset.from_tensor_slices(tf.ragged.constant(rows))
    return [each.numpy().tolist() for each in dataset.map(calls(of_element))]


ROWS_OF_NUMBERS = {
    "mask": lambda x: tf.map_fn(lambda k: tf.reduce_sum(tf.boolean_mask(x * k, x > 1.5)), x),
    "text": lambda x: tf.map_fn(lambda k: tf.strings.to_number(tf.strings.as_string(k)) * k, x),
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mask", [[5.0, 11.0, 11.0], [8.0], [4.0, 5.0]]),
        ("text", [[1.0, 2.0, 3.0], [4.0], [5.0, -6.0]]),
    ],
)
def test_functions_of_rows_of_the_host_have_gradients(name, expected):
    assert slopes(ROWS_OF_NUMBERS[name], [[1.0, 2.0, 3.0], [4.0], [5.0, -6.0]]) == expected


def test_branches_of_the_host_have_gradients():
    def branch(x):
        return tf.cond(x[0] > 3.0, lambda: tf.boolean_mask(x**3, x > 4.5), lambda: x**2)

    rows = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [5.0], [4.0, 3.0]]
    assert slopes(branch, rows) == [[2.0, 4.0, 6.0], [0.0, 75.0, 108.0], [75.0], [0.0, 0.0]]


def test_functions_to_ragged_rows_have_gradients():
    def ranges(x):
        spec = tf.RaggedTensorSpec([None], tf.float32)
        return tf.map_fn(lambda k: tf.boolean_mask(x * k, x > 1.5), x, fn_output_signature=spec).flat_values

    assert slopes(ranges, [[1.0, 2.0, 3.0], [5.0, 2.0]]) == [[5.0, 11.0, 11.0], [14.0, 14.0]]


@pytest.mark.parametrize("calls", [lambda function: function, tf.function], ids=["plain", "decorated"])
def test_functions_of_text_of_any_number_have_gradients(calls):
    def scaled(x):
        return tf.cast(tf.strings.length(tf.strings.as_string(x)), tf.float32) * x

    assert slopes(scaled, [[1.0, 2.0, -3.0], [4.0, 5.0]], calls) == [[8.0, 8.0, 9.0], [8.0, 8.0]]
