"""A variable that a function uses before it reads it: every call reads the current value."""

from __future__ import annotations

import pytest

import tfcompat as tf


def watched(v):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * v
    return y, tape.gradient(y, v)


def target(v):
    with tf.GradientTape() as tape:
        pass
    return v * v, tape.gradient(v, v)


def target_of_jacobian(v):
    with tf.GradientTape() as tape:
        tape.watch(v)
    return v * v, tape.jacobian(v, v)


def primal(v):
    with tf.autodiff.ForwardAccumulator(v, tf.constant(1.0)) as accumulator:
        y = v * v
    return y, accumulator.jvp(y)


def watched_in_loop(v):
    y, g = 0.0, 0.0
    for _ in tf.range(2):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(v)
            cube = v * v * v
        g += tape.gradient(cube, v)
        y += cube
        v.assign_add(0.5)
    return y, g


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (watched, [(4.0, 4.0), (9.0, 6.0), (16.0, 8.0)]),
        (target, [(4.0, 1.0), (9.0, 1.0), (16.0, 1.0)]),
        (target_of_jacobian, [(4.0, 1.0), (9.0, 1.0), (16.0, 1.0)]),
        (primal, [(4.0, 4.0), (9.0, 6.0), (16.0, 8.0)]),
        (watched_in_loop, [(23.625, 30.75), (155.125, 108.75), (490.625, 234.75)]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_variable_has_its_value_of_the_call(function, want):
    v = tf.Variable(2.0)

    @tf.function
    def step():
        answers = function(v)
        v.assign_add(1.0)
        return answers

    assert [tuple(map(float, step())) for _ in range(3)] == want
