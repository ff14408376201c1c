"""Branches and bodies of loops that don't fit the sizes of a call fail in the calls that run them, and in no other."""

from __future__ import annotations

import pytest

import tfcompat as tf


def spec(*shape, dtype=tf.float32):
    return tf.TensorSpec(shape, dtype)


def numbers(size):
    return tf.range(1.0, size + 1.0)


def test_branch_for_longer_rows_is_not_taken():
    @tf.function(input_signature=[spec(None)])
    def last(x):
        if tf.shape(x)[0] > 1:
            return x[1]
        return x[0]

    assert [last(numbers(size)).numpy() for size in (3, 1, 2, 1)] == [2, 1, 2, 1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        last(numbers(0)).numpy()


def test_branch_that_a_value_chooses_fails_if_it_is_taken():
    @tf.function(input_signature=[spec(None), spec(dtype=tf.bool)])
    def chosen(x, is_second):
        return tf.cond(is_second, lambda: x[1], lambda: x[0] * 2)

    for size, is_second, wanted in ((3, True, 2), (3, False, 2), (1, False, 2)):
        assert chosen(numbers(size), tf.constant(is_second)).numpy() == wanted
    with pytest.raises(tf.errors.InvalidArgumentError):
        chosen(numbers(1), tf.constant(True)).numpy()
    assert chosen(numbers(1), tf.constant(False)).numpy() == 2


def test_branch_that_fails_assigns_nothing():
    total = tf.Variable(1.0)

    @tf.function(input_signature=[spec(None), spec(dtype=tf.bool)])
    def added(x, is_longer):
        if is_longer:
            total.assign_add(x[1])
            y = x[1:2]
        else:
            y = x[:1]
        return y

    assert added(numbers(1), tf.constant(False)).numpy().tolist() == [1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        added(numbers(1), tf.constant(True)).numpy()
    assert total.numpy() == 1
    assert added(numbers(2), tf.constant(True)).numpy().tolist() == [2]
    assert total.numpy() == 3


def test_body_of_a_loop_fails_if_it_runs():
    @tf.function(input_signature=[spec(None), spec(dtype=tf.int32)])
    def repeated(x, times):
        total = 0.0
        for _ in tf.range(times):
            total += x[1]
        return total

    @tf.function(input_signature=[spec(None), spec(dtype=tf.int32)])
    def limited(x, times):
        return tf.while_loop(lambda _: True, lambda y: [y + x[1]], [0.0], maximum_iterations=times)[0]

    for function in (repeated, limited):
        for size, times, wanted in ((3, 2, 4), (1, 0, 0), (0, 0, 0)):
            assert function(numbers(size), tf.constant(times)).numpy() == wanted
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(numbers(1), tf.constant(2)).numpy()


def test_gradient_of_the_branch_that_is_taken():
    @tf.function(input_signature=[spec(None)])
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(tf.size(x) > 1, lambda: x[1] * x[0], lambda: x[0] * 3)
        return tape.gradient(y, x)

    assert derivative(numbers(3)).numpy().tolist() == [2, 1, 0]
    assert derivative(numbers(1)).numpy().tolist() == [3]


def test_branch_for_other_sizes_of_a_matrix_is_not_taken():
    @tf.function(input_signature=[spec(None, None)])
    def product(x):
        if tf.shape(x)[1] == 3:
            return x @ tf.ones([3, 2])
        return tf.zeros([tf.shape(x)[0], 2])

    for size in (3, 1, 0, 4, 3):
        assert product(tf.ones([2, size])).numpy().tolist() == [[3.0 * (size == 3)] * 2] * 2


def test_branch_of_a_function_of_elements_is_not_taken():
    rows = tf.data.Dataset.range(4).map(lambda n: tf.range(tf.cast(n, tf.float32)))
    first = rows.map(lambda row: tf.cond(tf.size(row) > 0, lambda: row[0] + 1, lambda: -1.0))
    second = rows.map(lambda row: tf.cond(tf.size(row) > 1, lambda: row[1], lambda: -1.0))
    assert [value.numpy() for value in first] == [-1, 1, 1, 1]
    assert [value.numpy() for value in second] == [-1, -1, 1, 1]


def test_fixed_sizes_are_checked_while_python_runs():
    function = tf.function(lambda x: tf.cond(tf.size(x) > 1, lambda: x[1], lambda: x[0]))
    with pytest.raises(ValueError, match=r"slice index 1"):
        function(numbers(1))
