"""Subclasses of `tf.Variable` that define `value` and don't call the constructor."""

from __future__ import annotations

import abc

import pytest

import tfcompat as tf


class Backed(tf.Variable):
    """A variable whose value is a tensor."""

    def __init__(self, tensor):
        self.tensor = tensor

    def value(self):
        return self.tensor

    dtype = property(lambda self: self.tensor.dtype)

    def __mod__(self, other):
        return "own operator"


@pytest.fixture
def variable():
    return Backed(tf.constant([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda v: v + 1.0, [2.0, 3.0, 4.0]),
        (lambda v: 1.0 - v, [0.0, -1.0, -2.0]),
        (lambda v: tf.constant([1.0, 2.0, 4.0]) * v, [1.0, 4.0, 12.0]),
        (lambda v: -v, [-1.0, -2.0, -3.0]),
        (lambda v: v[1], 2.0),
        (lambda v: v > 1.5, [False, True, True]),
        (lambda v: v**2, [1.0, 4.0, 9.0]),
    ],
    ids=["plus", "minus", "product", "negative", "item", "comparison", "power"],
)
def test_operators_read_the_value(variable, compute, expected):
    assert compute(variable).numpy().tolist() == expected
    assert tf.function(compute)(variable.value()).numpy().tolist() == expected


def test_operators_of_the_class_are_kept(variable):
    assert variable % 2.0 == "own operator"


def test_gradient_flows_to_the_value(variable):
    with tf.GradientTape() as tape:
        tape.watch(variable.tensor)
        loss = tf.reduce_sum(variable**2)
    assert tape.gradient(loss, variable.tensor).numpy().tolist() == [2.0, 4.0, 6.0]
    assert tape.watched_variables() == ()


def test_value_may_change(variable):
    variable.tensor = tf.constant([5.0])
    assert (variable + 1.0).numpy().tolist() == [6.0]
    assert bool(Backed(tf.constant(True)))


def test_registered_conversion_decides_what_ops_take(variable):
    class Converted(Backed):
        pass

    tf.register_tensor_conversion_function(Converted, lambda value, *_, **__: -value.value())
    converted = Converted(variable.tensor)
    assert tf.convert_to_tensor(converted).numpy().tolist() == [-1.0, -2.0, -3.0]
    assert (converted + 1.0).numpy().tolist() == [2.0, 3.0, 4.0]


def test_a_variable_may_be_an_abstract_class():
    class Named(abc.ABC):
        @abc.abstractmethod
        def label(self):
            """A label."""

    class Parameter(tf.Variable, Named):
        def label(self):
            return "weight"

    assert issubclass(Parameter, tf.Variable)
    assert issubclass(Parameter, Named)
    assert not isinstance(tf.Variable(1.0), (Named, Parameter))
    assert not isinstance(tf.constant(1.0), tf.Variable)
