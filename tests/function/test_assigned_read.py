"""Variables that a branch or a loop assigns and reads: gradients as in TensorFlow 2.21, which counts all reads."""

# `if` statements are the subject of these tests.
# ruff: noqa: SIM108

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfcompat as tf

V, W = tf.Variable(2.0), tf.Variable(3.0)

Loss = Callable[[Any], Any]
cases: list[Any] = []


def case(*gives: Any) -> Callable[[Loss], Loss]:
    """Declares what follows: for each argument the loss, its gradients for `V` and `W`, and what `V` holds then."""

    def declare(loss: Loss) -> Loss:
        cases.append(pytest.param(loss, gives, id=loss.__name__))
        return loss

    return declare


@case([75.0, 30.0, 25.0, 5.0], [6.0, 3.0, 2.0, 2.0])
def read_after_it_is_assigned(flag: Any) -> Any:
    if flag:
        V.assign(5.0)
        y = V * V * W
    else:
        y = V * W
    return y


@case([13.0, 7.0, 0.0, 3.0], [0.0, 0.0, 0.0, 2.0])
def read_before_and_after(flag: Any) -> Any:
    if flag:
        y = V * V
        V.assign(W)
        y = y + V * 3.0
    else:
        y = 0.0 * W
    return y


@case([18.0, 2.0, None, 9.0], [6.0, 3.0, None, 2.0])
def assigned_what_depends_on_another(flag: Any) -> Any:
    if flag:
        V.assign(W * W)
        y = V * 2.0
    else:
        y = V * 3.0
    return y


@case([192.0, 144.0, 64.0, 4.0], [16.0, 8.0, 0.0, 4.0])
def assigned_before_the_branch(flag: Any) -> Any:
    V.assign(4.0)
    y = V * V
    if flag:
        y = y * V * W
    return y


@case([21.0, 3.0, 7.0, 7.0], [6.0, 3.0, 2.0, 2.0])
def read_after_the_branch(flag: Any) -> Any:
    if flag:
        V.assign_add(5.0)
    return V * W


@case([36.0, 9.0, 12.0, 5.0], [21.0, 6.0, 7.0, 4.0])
def read_in_each_iteration(flag: Any) -> Any:
    y = W * 0.0
    for _ in tf.range(tf.cond(flag, lambda: 3, lambda: 2)):
        V.assign_add(1.0)
        y += V * W
    return y


@case([9216.0, 960.0, 3072.0, 96.0], [9216.0, 960.0, 3072.0, 96.0])
def read_before_it_is_assigned_in_each_iteration(flag: Any) -> Any:
    del flag
    y = W * 0.0
    for _ in tf.range(3):
        y += V * W
        V.assign(y)
    return y * V


@case([12.0, 3.0, 4.0, 4.0], [2.0, 1.0, 0.0, 2.0])
def read_in_a_branch_in_a_loop_in_a_branch(flag: Any) -> Any:
    y = W * 0.0
    if flag:
        for i in tf.range(2):
            if i > 0:
                V.assign_add(2.0)
                y += V * W
    else:
        y = V * 1.0
    return y


@tf.function
def inner(x: Any) -> Any:
    V.assign(x)
    return V * V * W


@case([27.0, 18.0, 9.0, 3.0], [6.0, 3.0, 2.0, 2.0])
def read_by_a_function_in_a_branch(flag: Any) -> Any:
    if flag:
        y = inner(W * 1.0)
    else:
        y = V * W
    return y


@case([2.187, 1.62, 0.729, 2.7], [2.187, 1.62, 0.729, 2.7])
def read_by_a_function_in_a_loop(flag: Any) -> Any:
    del flag
    y = W * 1.0
    for _ in tf.range(2):
        y = inner(y) / 10.0
    return y


@case([21.0, 12.0, 7.0, 1.0], [21.0, 12.0, 7.0, 1.0])
def read_on_a_tape_in_a_loop(flag: Any) -> Any:
    del flag
    y = W * 0.0
    for _ in tf.range(2):
        with tf.GradientTape() as tape:
            z = V * V * W
        y += tape.gradient(z, V)
        V.assign_sub(0.5)
    return y


@case([36.0, 9.0, 12.0, 6.0], [21.0, 6.0, 7.0, 5.0])
def assigned_by_the_condition_of_a_loop(flag: Any) -> Any:
    n = tf.cond(flag, lambda: 3, lambda: 2)

    def goes_on(i: Any, _: Any) -> Any:
        V.assign_add(1.0)
        return i < n

    return tf.while_loop(goes_on, lambda i, y: (i + 1, y + V * W), [0, W * 0.0])[1]


@case([181.0, 10.0, 50.0, 31.0], [181.0, 10.0, 50.0, 31.0])
def assigned_by_the_condition_and_by_the_body(flag: Any) -> Any:
    del flag

    def goes_on(i: Any, _: Any) -> Any:
        V.assign_add(1.0)
        return i < 3

    def advance(i: Any, y: Any) -> Any:
        V.assign(V * 2.0)
        return i + 1, y + V * W

    return tf.while_loop(goes_on, advance, [0, W * 0.0])[1] + V


def outside(loss: Loss) -> Loss:
    """`loss` decorated, its gradients outside of it."""
    return _with_gradients(tf.function(loss))


def within(loss: Loss) -> Loss:
    """`loss` and its gradients decorated."""
    return tf.function(_with_gradients(loss))


def _with_gradients(loss: Loss) -> Loss:
    def found(flag: Any) -> Any:
        with tf.GradientTape() as tape:
            y = loss(flag)
        return y, *tape.gradient(y, [V, W])

    return found


@pytest.mark.parametrize(
    ("loss", "gives", "way"),
    [
        # The daily run takes the gradients of every fourth loss in both ways.
        pytest.param(
            *case.values,
            way,
            id=f"{case.id}-{way.__name__}",
            marks=pytest.mark.thorough if way is outside and k % 4 else (),
        )
        for k, case in enumerate(cases)
        for way in (outside, within)
    ],
)
def test_gradient_counts_every_read(way: Callable[[Loss], Loss], loss: Loss, gives: Any) -> None:
    function = way(loss)
    for flag, wanted in zip((True, False), gives, strict=True):
        V.assign(2.0)
        W.assign(3.0)
        found = [None if x is None else float(x) for x in (*function(tf.constant(flag)), V)]
        assert found == [x if x is None else pytest.approx(x, rel=1e-5) for x in wanted]


def test_read_that_is_counted_has_gradients_of_second_order() -> None:
    v, x = tf.Variable(2.0), tf.constant(3.0)

    @tf.function
    def f(x: Any) -> Any:
        if x > 0.0:
            v.assign(x)
        return v * v * x

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            y = tf.function(lambda x: tf.cond(x > 0.0, lambda: f(x) * 1.0, lambda: x))(x)
        g = tape.gradient(y, v)
    np.testing.assert_allclose([float(g), *[float(s) for s in outer.gradient(g, [v, x])]], [18.0, 6.0, 6.0])


@pytest.mark.parametrize(("most", "calls"), [(None, 6.0), (3, 6.0), (0, 3.0)])
def test_condition_runs_once_more_than_the_body(most: int | None, calls: float) -> None:
    v = tf.Variable(2.0)

    @tf.function
    def count() -> Any:
        def goes_on(i: Any) -> Any:
            v.assign_add(1.0)
            return i < (3 if most is None else 10)

        return tf.while_loop(goes_on, lambda i: (i + 1,), [0], maximum_iterations=most)

    assert int(count()[0]) == (3 if most is None else most)
    assert float(v) == calls


def test_condition_prints_before_the_body(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def count(n: Any) -> Any:
        def goes_on(i: Any) -> Any:
            tf.print("test", i)
            return i < n

        def advance(i: Any) -> Any:
            tf.print("body", i)
            return (i + 1,)

        return tf.while_loop(goes_on, advance, [0])

    assert int(count(tf.constant(2))[0]) == 2
    assert capfd.readouterr().err.split("\n") == ["test 0", "body 0", "test 1", "body 1", "test 2", ""]
