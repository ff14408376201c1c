"""Values that a replay computes, and values that it omits."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.operation.op import Op
from tfcompat._core.programs.op_by_op import OpByOp
from tfcompat._core.programs.replay import Plan
from tfcompat._core.structure.node import Node
from tfcompat._core.structure.tensor import pending
from tfcompat._core.system.config import settings
from tfcompat._core.tracing.trace import here, record
from tfcompat._core.types.aval import aval_like

FLOAT = aval_like(np.float32(0))


def products(*tensors):
    """The number of matrix products in the replay of `tensors` on which their values depend."""
    trace = here.trace
    slots = [tensor._slot for tensor in tensors]
    plan = Plan(trace.node.path(), (), slots)

    def replay(floats, *arrays):
        known = dict(zip([leaf.first for leaf in plan.leaves], arrays, strict=True))
        values = plan.evaluate(known, lambda number: floats[number.index].astype(number.dtype.as_numpy_dtype))
        return [values[slot] for slot in slots]

    arrays = [trace.leaves[leaf.leaves - 1]._value() for leaf in plan.leaves]
    floats = np.asarray([*trace.floats, 0.0], np.float32)
    return jax.jit(replay).lower(floats, *arrays).compile().as_text().count(" dot(")


class Walked(Node):
    """A step that counts how often its parent is asked for."""

    visits_of_parent = 0

    @property
    def parent(self):
        Walked.visits_of_parent += 1
        return self._parent

    @parent.setter
    def parent(self, node):
        self._parent = node


def test_a_path_continues_the_one_that_was_asked_for_before():
    steps = [Walked(None, None, (), (), (), "")]
    for _ in range(40):
        steps.append(Walked(steps[-1], None, (), (), (FLOAT,), ""))
    branch = Walked(steps[20], None, (), (), (FLOAT,), "")
    assert steps[30].path() == steps[1:31]
    Walked.visits_of_parent = 0
    assert steps[33].path() == steps[1:34]
    assert Walked.visits_of_parent <= 8
    assert branch.path() == [*steps[1:21], branch]
    assert steps[10].path() == steps[1:11]
    assert steps[40].path() == steps[1:]


def penalty(activation, x, w, u):
    """The gradient of a gradient's square, as in a gradient penalty: for `w` and `u`."""
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            score = activation(x @ w) @ u
        slope = inner.gradient(score, x)
        loss = tf.reduce_sum(tf.square(slope))
    return outer.gradient(loss, [w, u])


def values():
    rng = np.random.default_rng(0)
    shapes = (4, 3), (3, 5), (5, 2)
    x, w, u = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    return tf.constant(x), tf.Variable(w), tf.Variable(u)


@pytest.mark.parametrize("activation", [tf.nn.relu, tf.nn.leaky_relu, tf.abs], ids=["relu", "leaky_relu", "abs"])
def test_zero_second_derivatives_take_part_in_no_product(activation):
    # The forward one (its kind of slope), two back to x; of the penalty one to the slope of w, two each to w and u.
    assert products(*penalty(activation, *values())) == 6


def test_pullback_carries_nothing_back_from_outputs_without_cotangent():
    x, w, _ = values()
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            score = tf.square(x @ w)
        slope = inner.gradient(score, x)
        loss = tf.reduce_sum(tf.square(slope))
    # x @ w, its slope, and back from that to w and to the slope of the square, which leads to w once more. The slope of
    # w is not requested, so it is not computed.
    assert products(outer.gradient(loss, w)) == 5


def test_zeros_stay_connected():
    x = tf.constant([[1.0, -2.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.relu(x)
        slope = inner.gradient(y, x)
    np.testing.assert_array_equal(outer.gradient(slope, x), [[0.0, 0.0]])


def test_zeros_and_other_gradients_add_up():
    w = tf.Variable([[0.5, -1.0], [2.0, 1.0]])
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.relu(x @ w)
        slope = inner.gradient(y, x)
        loss = tf.reduce_sum(slope) + tf.reduce_sum(w @ w)
    value, ones = w.numpy(), np.ones((2, 2))
    np.testing.assert_allclose(outer.gradient(loss, w), ones + ones @ value.T + value.T @ ones)


def test_leaf_that_is_an_answer_keeps_its_64_bits_op_by_op():
    target = pending(None, 0, aval_like(np.ones(2)))
    OpByOp(Plan([], (), ()), (0,), (0,))([], [], [], [np.ones(2)], [target], lambda: None)
    assert target._array.dtype == np.float64


@pytest.mark.parametrize("is_immediate", [False, True])
def test_shape_that_was_inferred_wrongly_is_told(monkeypatch, is_immediate):
    monkeypatch.setattr(settings, "is_checking", True)
    x = tf.constant([1.0, 2.0])
    liar = Op("liar", lambda x: jnp.concatenate([x, x]))
    liar.inferred[(x._aval,)] = (x._aval,)
    with (
        tf.config.immediate(is_immediate),
        pytest.raises(AssertionError, match=r"liar.*\[2\].*computed.*\[4\]"),
    ):
        record(liar, (x,)).numpy()
