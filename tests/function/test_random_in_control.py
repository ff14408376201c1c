"""Draws in branches and loops: the streams of TensorFlow 2.21, where an op draws as often as it runs."""

# `if` statements and loops are the subject of these tests.
# ruff: noqa: B007, SIM108

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfcompat as tf


@pytest.fixture(autouse=True)
def without_a_seed_afterwards() -> Any:
    yield
    tf.random.set_seed(None)


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.array(found), wanted, atol=6e-6)


def test_branch_that_is_not_taken_draws_nothing() -> None:
    tf.random.set_seed(42)

    @tf.function
    def draw(flag: Any) -> Any:
        if flag:
            y = tf.random.uniform([2], seed=3)
        else:
            y = tf.random.uniform([2], seed=4)
        return y

    found = [draw(tf.constant(flag)).numpy() for flag in (True, False, True)]
    close(found, [[0.6379, 0.16048], [0.00858, 0.97071], [0.83793, 0.16225]])


def test_branches_number_their_own_draws() -> None:
    tf.random.set_seed(42)

    @tf.function
    def draw(flag: Any) -> Any:
        if flag:
            y = tf.random.uniform([2])
        else:
            y = tf.random.uniform([2])
        return y, tf.random.uniform([2])

    first, second = [0.83546, 0.9163], [0.9527, 0.23138]
    close(draw(tf.constant(True)), [first, first])
    close(draw(tf.constant(False)), [first, second])
    close(draw(tf.constant(True))[0], second)


def test_iterations_go_on_in_the_stream() -> None:
    tf.random.set_seed(5)

    @tf.function
    def draws() -> Any:
        rows = tf.TensorArray(tf.float32, 6)
        for i in tf.range(6):
            if i % 2 == 0:
                rows = rows.write(i, tf.random.uniform([2], seed=1))
            else:
                rows = rows.write(i, tf.random.uniform([2], seed=2))
        return rows.stack()

    even = [[0.38752, 0.74855], [0.9647, 0.26856], [0.08161, 0.52443]]
    odd = [[0.01476, 0.39656], [0.66878, 0.13278], [0.67493, 0.3198]]
    found = draws()
    close(found[::2], even)
    close(found[1::2], odd)
    close(draws()[0], [0.44925, 0.27372])


def test_setting_the_seed_starts_the_streams_of_loops_anew() -> None:
    tf.random.set_seed(5)

    @tf.function
    def last() -> Any:
        y = tf.zeros([2])
        for i in tf.range(2):
            y = tf.random.uniform([2], seed=1)
        return y

    wanted = [[0.9647, 0.26856], [0.44925, 0.27372]]
    close([last(), last()], wanted)
    tf.random.set_seed(5)
    close([last(), last()], wanted)


def test_functions_draw_from_streams_of_their_own_wherever_they_are_called() -> None:
    tf.random.set_seed(5)

    @tf.function
    def inner() -> Any:
        return tf.random.uniform([2], seed=1)

    @tf.function
    def outer(flag: Any) -> Any:
        rows = tf.TensorArray(tf.float32, 2)
        for i in tf.range(2):
            rows = rows.write(i, inner())
        return tf.cond(flag, inner, lambda: inner() + 1.0), rows.stack()

    first, second, third = [0.38752, 0.74855], [0.9647, 0.26856], [0.08161, 0.52443]
    one, rows = outer(tf.constant(True))
    close(one, first)
    close(rows, [first, second])
    other, rows = outer(tf.constant(False))
    close(other, np.add(first, 1.0))
    close(rows[0], third)
    close([inner(), inner()], [first, second])


def test_loops_of_inner_functions_go_on_from_call_to_call() -> None:
    tf.random.set_seed(5)

    @tf.function
    def inner() -> Any:
        y = tf.zeros([2])
        for i in tf.range(2):
            y = tf.random.uniform([2], seed=1)
        return y

    @tf.function
    def outer() -> Any:
        rows = tf.TensorArray(tf.float32, 3)
        for i in tf.range(3):
            rows = rows.write(i, inner())
        return rows.stack()

    close(outer(), [[0.9647, 0.26856], [0.44925, 0.27372], [0.42182, 0.89346]])
    close(inner(), [0.9647, 0.26856])
    close(outer()[0], [0.72126, 0.89442])


def test_condition_of_a_loop_draws_once_more_than_the_body() -> None:
    tf.random.set_seed(5)

    @tf.function
    def count() -> Any:
        i = 0
        while tf.random.uniform([], seed=3) < 0.8:
            i += 1
        return i

    assert [int(count()) for _ in range(6)] == [10, 1, 1, 0, 2, 1]


def test_condition_draws_anew_without_a_seed() -> None:
    tf.random.set_seed(None)

    @tf.function
    def count() -> Any:
        i = 0
        while tf.random.uniform([]) < 0.8:
            i += 1
        return i

    assert len({int(count()) for _ in range(30)}) > 3


def test_shuffling_uses_up_a_number_for_each_row_but_the_last() -> None:
    tf.random.set_seed(5)

    @tf.function
    def shuffled(x: Any) -> Any:
        for i in tf.range(2):
            x = tf.random.shuffle(x, seed=3)
        return x

    found = [shuffled(tf.range(5)).numpy().tolist() for _ in range(2)]
    assert found == [[2, 0, 3, 1, 4], [3, 1, 2, 0, 4]]
    tf.random.set_seed(5)
    found = [tf.random.shuffle(tf.range(5), seed=3).numpy().tolist() for _ in range(2)]
    assert found == [[0, 4, 1, 3, 2], [4, 0, 3, 2, 1]]


@pytest.mark.parametrize("count", [None, 2], ids=["known", "unknown"])
def test_gradient_meets_the_units_that_were_dropped(count: int | None) -> None:
    tf.random.set_seed(5)

    @tf.function
    def dropped(x: Any, n: Any) -> Any:
        y = x
        for i in tf.range(2 if n is None else n):
            y = tf.nn.dropout(y * x, 0.5, seed=3)
        return y

    x = tf.fill([6], 2.0)
    n = None if count is None else tf.constant(count)
    dropped(x, n)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = dropped(x, n)
        total = tf.reduce_sum(y)
    assert y.numpy().tolist() == [32.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert tape.gradient(total, x).numpy().tolist() == [48.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_traces_for_other_sizes_go_on_in_one_stream() -> None:
    tf.random.set_seed(5)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def added(x: Any) -> Any:
        for i in tf.range(2):
            x = x + tf.random.uniform(tf.shape(x), seed=3)
        return x

    close(added(tf.zeros([2])), [0.79429, 1.42232])
    close(added(tf.zeros([3])), [0.63177, 1.01583, 1.4729])
    close(added(tf.zeros([2])), [1.84434, 1.08734])


def test_seeds_of_zero_are_replaced():
    tf.random.set_seed(0)

    @tf.function
    def drawn():
        return tf.random.uniform([2])

    @tf.function
    def with_seed():
        return tf.random.uniform([2], seed=0)

    for function in (drawn, with_seed):
        np.testing.assert_allclose(function(), [0.01975703, 0.00704217], rtol=1e-5)
        np.testing.assert_allclose(function(), [0.51667833, 0.8212844], rtol=1e-5)
    numbers = [float(x) for x in tf.data.Dataset.range(2).map(lambda _: tf.random.uniform([]))]
    np.testing.assert_allclose(numbers, [0.019757032, 0.5400312], rtol=1e-5)
