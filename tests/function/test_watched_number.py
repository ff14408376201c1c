"""A number from outside of a function, `tf.constant(2.0)`, that a tape watches: it has its gradient there too."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.daily import thorough


def loop(z):
    return tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s * z), [tf.constant(0), tf.constant(1.0)])[1]


def branch(z):
    return tf.cond(z > 0.0, lambda: z * z * z, lambda: z)


def rows(z):
    return tf.reduce_prod(tf.map_fn(lambda x: x * z, tf.ones([3])))


def straight(z):
    return z * z * z


def gradient(function, z):
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = function()
    return tape.gradient(y, z)


@pytest.mark.parametrize(
    ("is_called_before", "cube"),
    [
        *((False, loop), (True, branch), (False, rows), (True, straight)),
        *map(thorough, ((True, loop), (False, branch), (True, rows), (False, straight))),
    ],
)
def test_function_called_under_a_tape(cube, is_called_before):
    z = tf.constant(2.0)
    inner = tf.function(lambda: cube(z))
    outer = tf.function(lambda: inner() + inner())
    concrete = tf.function(lambda: cube(z)).get_concrete_function()
    if is_called_before:
        assert [float(function()) for function in (inner, outer, concrete)] == [8.0, 16.0, 8.0]
    for function, want in ((outer, 24.0), (inner, 12.0), (concrete, 12.0)):
        for _ in range(2):
            assert gradient(function, z).numpy() == want


@pytest.mark.parametrize("cube", [loop, branch, rows])
def test_tape_in_a_function(cube):
    z = tf.constant(2.0)
    function = tf.function(lambda: gradient(lambda: cube(z), z))
    assert [float(function()), float(function())] == [12.0, 12.0]


def test_number_of_the_trace_that_is_watched_behind_its_first_use():
    @tf.function
    def function(x):
        z = tf.constant(2.0)
        y = branch(z) * x
        return gradient(lambda: branch(z) * y, z)

    assert [float(function(tf.constant(x))) for x in (1.0, 2.0, 3.0)] == [96.0, 192.0, 288.0]
    assert function.experimental_get_tracing_count() == 1


def test_tangent():
    z = tf.constant(2.0)
    function = tf.function(lambda: branch(z))
    assert float(function()) == 8.0
    with tf.autodiff.ForwardAccumulator(z, tf.constant(1.0)) as accumulator:
        y = function()
    assert accumulator.jvp(y).numpy() == 12.0


def test_random_streams_continue():
    z = tf.constant(2.0)
    tf.random.set_seed(1)
    function = tf.function(lambda: z * tf.random.uniform([]))
    draws = [float(function())]
    with tf.GradientTape() as tape:
        tape.watch(z)
    draws += [float(function()), float(function())]
    assert draws == pytest.approx([1.6253929, 1.0545785, 1.6978850], rel=1e-5)


def test_function_is_traced_again_once():
    z = tf.constant(2.0)
    function = tf.function(lambda: branch(z))
    function()
    for number in (z, tf.constant(3.0), z):
        gradient(function, number)
    assert function.experimental_get_tracing_count() == 2
