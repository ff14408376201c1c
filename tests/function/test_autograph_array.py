"""`tf.TensorArray` in loops and branches agrees with TensorFlow."""

# Branches that write are the subject of these tests.
# ruff: noqa: SIM108

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.function.autograph_case import Case, Cases

case = cases = Cases()


@case(3, gives=[0, 1, 4])
def written_in_range(n):
    array = tf.TensorArray(tf.int32, size=3)
    for i in tf.range(n):
        array = array.write(i, i * i)
    return array.stack()


@case(3, gives=[0, 3, 6])
def written_in_known_range(n):
    array = tf.TensorArray(tf.int32, size=3)
    for i in tf.range(3):
        array = array.write(i, i * n)
    return array.stack()


@case(3, gives=12)
def length_of_array(n):
    array = tf.TensorArray(tf.int32, size=4)
    return len(array) * n


@case(
    [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
    gives=([[0.7615942, 0.9640276], [0.9989198, 0.9999025], [0.9999876, 0.9999983]], [0.9999876, 0.9999983]),
)
def rnn_outputs(xs):
    outputs = tf.TensorArray(tf.float32, size=3)
    state = tf.zeros([2])
    for t in tf.range(3):
        state = tf.tanh(xs[t] + state)
        outputs = outputs.write(t, state)
    return outputs.stack(), state


@case([1.0, -2.0, 3.0], gives=[1.0, 20.0, 3.0])
def written_in_branch(xs):
    array = tf.TensorArray(tf.float32, size=3, clear_after_read=False)
    for t in tf.range(3):
        if xs[t] > 0:
            array = array.write(t, xs[t])
        else:
            array = array.write(t, -xs[t] * 10.0)
    return array.stack()


@case([1.0, -2.0, 3.0], gives=[1.0, 0.0, 3.0])
def written_in_one_branch(xs):
    array = tf.TensorArray(tf.float32, size=3, element_shape=[])
    for t in tf.range(3):
        if xs[t] > 0:
            array = array.write(t, xs[t])
    return array.stack()


@case(4.0, gives=[4.0, 8.0])
def written_outside_loops(x):
    array = tf.TensorArray(tf.float32, size=2)
    array = array.write(0, x)
    if x > 0:
        array = array.write(1, x * 2)
    else:
        array = array.write(1, x * 3)
    return array.stack()


@case(3, gives=[0, 3, 6])
def dynamic(n):
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[])
    for i in tf.range(3):
        array = array.write(i, i * n)
    return array.stack()


@case([1.0, 2.0, 3.0], gives=123.0)
def unstacked(xs):
    array = tf.TensorArray(tf.float32, size=3).unstack(xs)
    t = 0.0
    for i in tf.range(3):
        t = t * 10.0 + array.read(i)
    return t


@pytest.mark.parametrize("one", cases, ids=str)
def test_function_gives_what_tensorflow_gives(one: Case):
    one.check(one.in_function())


@pytest.mark.parametrize("one", cases, ids=str)
def test_rewritten_function_works_on_values(one: Case):
    one.check(one.on_values())
