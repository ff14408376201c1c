"""Tapes entered outside of a branch or a loop and asked inside: values as TensorFlow 2.21 gave them."""

# `if` statements are the subject of these tests.
# ruff: noqa: SIM108

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfcompat as tf


def test_tape_is_asked_in_both_branches_and_after_them() -> None:
    @tf.function
    def slopes(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = x * x * x
            if x > 0:
                g = tape.gradient(y, x)
            else:
                g = -tape.gradient(y, x)
        return g, outer.gradient(g, x), tape.gradient(y, x)

    assert [float(g) for g in slopes(tf.constant(2.0))] == [12.0, 12.0, 12.0]
    assert [float(g) for g in slopes(tf.constant(-2.0))] == [-12.0, 12.0, 12.0]


def test_tape_is_used_up_by_the_branch_that_is_traced_first() -> None:
    @tf.function
    def once(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tf.cond(x > 0, lambda: tape.gradient(y, x), lambda: x)

    @tf.function
    def twice(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tf.cond(x > 0, lambda: tape.gradient(y, x), lambda: tape.gradient(y, x))

    assert [float(once(tf.constant(x))) for x in (2.0, -2.0)] == [4.0, -2.0]
    with pytest.raises(RuntimeError, match="non-persistent GradientTape"):
        twice(tf.constant(2.0))


def test_variable_is_changed_by_its_gradient_in_a_loop() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def descend(n: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = v * v * v
        for i in tf.range(n):
            if i > 0:
                v.assign_sub(0.1 * tape.gradient(y, v))
            else:
                v.assign_add(tape.gradient(y, v))
        return tape.gradient(y, v)

    # The gradient is that of the value that was read, for any current value of the variable.
    assert float(descend(tf.constant(3))) == 12.0
    np.testing.assert_allclose(v, 11.6, rtol=1e-6)


def test_weights_of_the_target_are_computed_in_the_branch() -> None:
    @tf.function
    def weighed(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        return tf.cond(x > 0, lambda: tape.gradient(y, x, output_gradients=y * 2.0), lambda: x)

    assert [float(weighed(tf.constant(x))) for x in (2.0, -2.0)] == [192.0, -2.0]


def test_gradient_of_the_users_is_called_in_the_branch() -> None:
    @tf.custom_gradient
    def tenfold(x: Any) -> Any:
        return x * 1.0, lambda upstream: upstream * 10.0

    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tenfold(x * x) * x
        return tf.cond(x > 0, lambda: tape.gradient(y, x), lambda: x)

    assert float(slope(tf.constant(2.0))) == 84.0


def test_number_of_a_function_that_the_tape_followed_is_in_the_branch() -> None:
    @tf.function
    def doubled(x: Any) -> Any:
        return tf.constant(2.0) * x * x

    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = doubled(x) * 3.0
        return tf.cond(x > 0, lambda: tape.gradient(y, x), lambda: x)

    assert [float(slope(tf.constant(x))) for x in (1.0, -1.0)] == [12.0, -1.0]


def test_tape_of_values_is_asked_in_a_function() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x

    @tf.function
    def slope() -> Any:
        return tape.gradient(y, x) * 2.0

    assert [float(slope()), float(tape.gradient(y, x)), float(slope())] == [12.0, 6.0, 12.0]


def test_target_that_the_branch_computes_is_refused() -> None:
    # TensorFlow answers 24.
    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            return tf.cond(x > 0, lambda: tape.gradient(x * x * x * 2.0, x), lambda: x)

    with pytest.raises(NotImplementedError, match="enter a tape inside"):
        slope(tf.constant(2.0))


@tf.custom_gradient
def doubled(x):
    """2 x, whose gradient is not supported."""

    def gradient(upstream):
        raise NotImplementedError("doubled has no gradient")

    return 2.0 * x, gradient


BLOCKS = {
    "loop": lambda x: tf.while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, doubled(x)), (0, x))[1],
    "branch": lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: 4.0 * doubled(x), lambda: x),
    "map": lambda x: tf.map_fn(lambda row: 4.0 * doubled(row), x),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_refusals_of_custom_gradients_in_control_flow_wait_for_the_gradient(name):
    function, x = tf.function(BLOCKS[name]), tf.constant([1.0, 2.0])
    assert function(x).numpy().tolist() == [8.0, 16.0]
    assert function.get_concrete_function(x)(x).numpy().tolist() == [8.0, 16.0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(NotImplementedError, match="doubled has no gradient"):
        _gradient(function, x)


def _gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)
