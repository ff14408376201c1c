"""Nested tapes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf


def test_second_derivative():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        g = inner.gradient(y, x)
    assert values(g) == 27.0
    assert values(outer.gradient(g, x)) == 18.0


def test_fifth_derivative():
    x = tf.Variable(2.0)

    def derivative(order):
        if order == 0:
            return x**6
        with tf.GradientTape() as tape:
            below = derivative(order - 1)
        return tape.gradient(below, x)

    assert [values(derivative(order)) for order in range(8)] == [64.0, 192.0, 480.0, 960.0, 1440.0, 1440.0, 720.0, 0.0]


def test_two_tapes_in_one_with():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = x * x * x
        g = inner.gradient(y, x)
    assert values(outer.gradient(g, x)) == 18.0


def test_several_tapes_in_one_with_are_independent():
    x, z = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as a, tf.GradientTape() as b:
        a.watch(x)
        b.watch(z)
        y = x * x * z
    assert values(a.gradient(y, [x, z])) == [12.0, None]
    assert values(b.gradient(y, [x, z])) == [None, 9.0]


def test_inner_gradient_outside_of_the_outer_context():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = x * x * x
    g = inner.gradient(y, x)
    assert values(g) == 27.0
    assert outer.gradient(g, x) is None


def test_second_derivative_of_a_linear_function_is_none():
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * 4.0
        g = inner.gradient(y, x)
    assert values(g) == 4.0
    assert outer.gradient(g, x) is None


@pytest.mark.parametrize("fn", [tf.nn.relu, tf.abs], ids=["relu", "abs"])
def test_second_derivative_of_a_kink_is_zero(fn):
    x = tf.Variable([1.0, -2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = fn(x)
        g = inner.gradient(y, x)
    assert values(outer.gradient(g, x)) == [0.0, 0.0]


def test_mixed_derivative():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            z = x * x * y
        g = inner.gradient(z, x)
    assert values(outer.gradient(g, [x, y])) == [6.0, 4.0]


def test_outer_gradient_of_value_and_inner_gradient():
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        g = inner.gradient(y, x)
        loss = y + g * g
    assert values(outer.gradient(loss, x)) == 300.0


def test_gradient_penalty():
    # At float64: 1 - tanh(x)**2 leaves three digits of seven.
    w = tf.Variable([[1.0, 2.0], [3.0, -1.0]], dtype=tf.float64)
    x = tf.constant([[1.0, 1.0], [2.0, 0.5]], tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.tanh(tf.matmul(x, w))
        g = inner.gradient(y, x)
        penalty = tf.reduce_mean((tf.sqrt(tf.reduce_sum(g * g, axis=1)) - 1.0) ** 2)
    assert values(penalty) == 0.48885
    assert values(outer.gradient(penalty, w)) == [[0.032675, 0.077742], [0.0069246, 0.1014]]


def test_outer_tape_sees_only_what_happened_in_its_context():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as inner:
        y = x * x * x
    with tf.GradientTape() as outer:
        g = inner.gradient(y, x)
        z = g * x
    assert values(g) == 12.0
    assert values(outer.gradient(z, x)) == 12.0


def test_gradient_of_an_older_tape_inside_a_younger_one():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as older:
        older.watch(x)
        y = x * x * x
    with tf.GradientTape() as younger:
        younger.watch(x)
        g = older.gradient(y, x)
        z = g * x
    assert values(younger.gradient(z, x)) == 28.0
    assert values(older.gradient(y, x)) == 12.0


def test_older_tape_asked_inside_a_younger_one_leaves_that_recording():
    x, v = tf.constant(2.0), tf.Variable(5.0)
    with tf.GradientTape(persistent=True) as older:
        older.watch(x)
        y = x * x
    with tf.GradientTape() as younger:
        before = v * v
        g = older.gradient(y, x)
        after = before * v * g
    assert values(younger.gradient(after, v)) == 300.0


def test_younger_tape_watches_what_the_older_one_computed():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as older:
        older.watch(x)
        y = x * x
        w = y * y
    with tf.GradientTape() as younger:
        younger.watch([x, y])
        y * 1.0
        g = older.gradient(w, x)
    assert values(g) == 32.0
    assert values(younger.gradient(g, [x, y])) == [16.0, 8.0]
    assert values(older.gradient(w, [x, y])) == [32.0, 8.0]


def test_tape_reentered_after_the_younger_one_used_what_it_computed():
    x = tf.constant(2.0)
    older = tf.GradientTape(persistent=True)
    with older:
        older.watch(x)
        y = x * x
    with tf.GradientTape() as younger:
        younger.watch([x, y])
        a = y * 3.0
        with older:
            z = y * x
        w = z * a
    assert values(older.gradient(z, [x, y])) == [12.0, 2.0]
    assert values(younger.gradient(w, [x, y])) == [48.0, 48.0]


def test_older_tape_moves_along_with_each_younger_one():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as older:
        y = x * x * x
    found = []
    for _ in range(3):
        with tf.GradientTape() as younger:
            v = x * 1.0
            g = older.gradient(y, x)
            z = v * g
        found.append((values(g), values(younger.gradient(z, x))))
        x.assign_add(1.0)
    assert found == [(12.0, 12.0), (12.0, 12.0), (12.0, 12.0)]


def test_custom_gradient_of_an_older_tape_inside_a_younger_one():
    @tf.custom_gradient
    def fn(x):
        y = x * x
        return y, lambda upstream: upstream * y * x

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as older:
        older.watch(x)
        y = fn(x * 1.0) * 3.0
    with tf.GradientTape() as younger:
        younger.watch(x)
        g = older.gradient(y, x)
        z = g * x
    assert values(g) == 24.0
    assert values(younger.gradient(z, x)) == 24.0


def test_forward_accumulator_reentered_inside_a_younger_tape():
    x = tf.constant(2.0)
    acc = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    with acc:
        y = x * x
    assert values(acc.jvp(y)) == 4.0
    with tf.GradientTape() as younger:
        younger.watch(x)
        with acc:
            z = y * x
        product = acc.jvp(z)
    assert values(product) == 12.0
    assert values(younger.gradient(product, x)) == 4.0


def test_tape_reentered_a_younger_one():
    x = tf.constant(2.0)
    older = tf.GradientTape(persistent=True)
    with older:
        older.watch(x)
        y = x * x
    with tf.GradientTape() as younger:
        younger.watch(x)
        with older:
            z = y * x
        w = z * x
    assert values(older.gradient(z, x)) == 12.0
    assert values(younger.gradient(w, x)) == 16.0
    assert values(older.gradient(y, x)) == 4.0


@pytest.mark.parametrize("read", [False, True], ids=["unread", "read"])
def test_tapes_that_overlap_without_nesting(read):
    x = tf.Variable(2.0)
    a, b = tf.GradientTape(), tf.GradientTape()
    a.__enter__()
    y = x * x
    b.__enter__()
    z = y * x
    if read:
        assert values(z) == 8.0
    a.__exit__(None, None, None)
    w = z * x
    b.__exit__(None, None, None)
    assert values(a.gradient(z, x)) == 12.0
    assert values(b.gradient(w, x)) == 16.0


def test_inner_tape_of_another_variable():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as outer:
        a = x * y
        with tf.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(y)
            b = a * y
        g = inner.gradient(b, y)
        z = g * x
    assert values(g) == 6.0
    assert values(outer.gradient(z, [x, y])) == [12.0, 4.0]


def test_inner_tape_inside_a_python_loop():
    x = tf.Variable(1.0)
    with tf.GradientTape() as outer:
        total = tf.constant(0.0)
        for power in (2.0, 3.0, 4.0):
            with tf.GradientTape() as inner:
                y = x**power
            total += inner.gradient(y, x)
    assert values(total) == 9.0
    assert values(outer.gradient(total, x)) == 20.0


def test_hessian_by_nested_gradient_and_jacobian():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x) * x[0] * x[1]
        g = inner.gradient(y, x)
    assert values(outer.jacobian(g, x)) == [[4.0, 9.0, 2.0], [9.0, 2.0, 1.0], [2.0, 1.0, 0.0]]


def test_inner_unrolled_steps_of_descent_are_differentiated():
    rate = tf.Variable(0.1)
    w = tf.constant(5.0)
    with tf.GradientTape() as outer:
        for _ in range(3):
            with tf.GradientTape() as inner:
                inner.watch(w)
                loss = w * w
            w = w - rate * inner.gradient(loss, w)
        final = w * w
    assert values(final) == 6.5536
    assert values(outer.gradient(final, rate)) == -98.304


def test_persistent_inner_tape_asked_twice():
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as inner:
            y = x * x
            z = x * x * x
        g = inner.gradient(y, x) * inner.gradient(z, x)
    assert values(g) == 48.0
    assert values(outer.gradient(g, x)) == 72.0


def test_outer_tape_watches_a_constant_late():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        outer.watch(x)
        g = inner.gradient(y, x)
        z = g * x
    assert values(outer.gradient(z, x)) == 28.0


def test_second_derivative_in_vectors():
    x = tf.Variable(np.linspace(0.1, 1.0, 4), dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.sin(x) * tf.exp(x))
        g = inner.gradient(y, x)
    assert values(outer.gradient(g, x)) == [2.1993, 2.7481, 3.0804, 2.9374]
