"""A variable read in a function has no value while tracing: the trace keeps no value of the first call."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf


def answers(function, variable, values):
    """The result of the decorated `function`, or its error, for each of the values of `variable`."""
    step, found = tf.function(function, autograph=False), []
    for value in values:
        variable.assign(value)
        try:
            found.append(step().numpy().tolist())
        except (tf.errors.OpError, TypeError, NotImplementedError) as refused:
            found.append(type(refused).__name__)
    return found


BAD = "InvalidArgumentError"


@pytest.mark.parametrize(
    ("of", "values", "want"),
    [
        (lambda i: tf.ones([4])[i], [2, 3, 5], [1.0, 1.0, BAD]),
        (lambda i: tf.gather([10.0, 20.0, 30.0], [i]), [1, 5], [[20.0], BAD]),
        (lambda i: tf.gather_nd([1.0, 2.0, 3.0], [i]), [2, 9], [3.0, BAD]),
        (lambda i: 5 // i, [2, 0], [2, BAD]),
        (lambda i: i**i, [2, -2], [4, BAD]),
        (
            lambda i: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i, logits=tf.zeros([3])),
            [2, 5],
            [pytest.approx(1.0986123), BAD],
        ),
    ],
    ids=["index", "gather", "gather_nd", "divisor", "exponent", "label"],
)
def test_bad_value_of_a_variable_is_met_at_the_call_that_has_it(of, values, want):
    i = tf.Variable(1)
    assert answers(lambda: of(i), i, values) == want


@pytest.mark.parametrize(
    ("use", "refusal"),
    [
        (lambda v: tf.constant(v.numpy()), NotImplementedError),
        (lambda v: tf.constant(np.asarray(v)), NotImplementedError),
        (lambda v: bool(v), tf.errors.OperatorNotAllowedInGraphError),
        (lambda v: [1, 2, 3][v], TypeError),
    ],
    ids=["numpy", "asarray", "bool", "index"],
)
def test_value_of_a_variable_is_not_frozen_into_a_function(use, refusal):
    v = tf.Variable(1)
    with pytest.raises(refusal):
        tf.function(lambda: use(v), autograph=False)()


@pytest.mark.parametrize(
    ("of", "values", "want"),
    [
        (lambda v: tf.ones([4])[:v], [1, 3], [[1.0], [1.0, 1.0, 1.0]]),
        (lambda v: tf.reduce_sum([[1, 2], [3, 4]], axis=v), [1, 0, 2], [[3, 7], [4, 6], BAD]),
        (lambda v: tf.zeros([v]), [1, 2, -2], [[0.0], [0.0, 0.0], BAD]),
        (lambda v: tf.one_hot([0, 1], v), [1, 2], [[[1.0], [0.0]], [[1.0, 0.0], [0.0, 1.0]]]),
    ],
    ids=["slice", "axis", "shape", "depth"],
)
def test_value_of_a_variable_decides_a_shape_at_each_call(of, values, want):
    v = tf.Variable(1)
    assert answers(lambda: of(v), v, values) == want


def test_custom_gradient_in_a_function_reads_variables_at_each_call():
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            del variables
            return dy * v * 10.0, [dy * x]

        return x * v, grad

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x)
        return y, tape.gradient(y, x)

    found = []
    for value in (2.0, 3.0):
        v.assign(value)
        found.append([float(answer) for answer in step(tf.constant(5.0))])
    assert found == [[10.0, 20.0], [15.0, 30.0]]
