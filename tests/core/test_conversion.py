"""User-defined functions convert values of their classes to tensors."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.structure import conversion


class Point:
    def __init__(self, values):
        self.values = values


class Special(Point):
    pass


def make(value, dtype=None, name=None, as_ref=False):
    del name, as_ref
    return NotImplemented if value.values is None else tf.constant(value.values, dtype=dtype)


@pytest.fixture(autouse=True)
def registered():
    tf.register_tensor_conversion_function(Point, make)
    yield
    conversion.clear()


POINT = Point([1.0, 2.0])
USES = {
    "convert_to_tensor": lambda: tf.convert_to_tensor(POINT),
    "operand on the left": lambda: POINT + tf.constant([0.0, 0.0]),
    "operand on the right": lambda: tf.constant([0.0, 0.0]) + POINT,
    "op": lambda: tf.identity(POINT),
    "stack": lambda: tf.stack([POINT])[0],
    "variable": lambda: tf.Variable(POINT),
    "subclass": lambda: tf.convert_to_tensor(Special([1.0, 2.0])),
    "function": lambda: tf.function(tf.square)(tf.sqrt(POINT)),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_value_takes_part_where_tensors_are_made(use):
    np.testing.assert_allclose(use().numpy(), [1.0, 2.0], rtol=1e-6)


def test_dtype_is_handed_on():
    assert tf.convert_to_tensor(Point([1]), tf.float32).dtype is tf.float32
    assert not tf.is_tensor(POINT)


def test_gradient_goes_through():
    variable = tf.Variable([1.0, 2.0])
    tf.register_tensor_conversion_function(Special, lambda value, **_: value.values * 3.0, priority=1)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(Special(variable))
    assert tape.gradient(total, variable).numpy().tolist() == [3.0, 3.0]


def test_lower_priority_is_asked_first_and_may_decline():
    tf.register_tensor_conversion_function(Special, lambda value, **_: tf.constant(7.0), priority=50)  # noqa: ARG005
    assert tf.convert_to_tensor(Special([3.0])).numpy() == 7.0
    tf.register_tensor_conversion_function(Special, lambda value, **_: NotImplemented, priority=10)  # noqa: ARG005
    assert tf.convert_to_tensor(Special([3.0])).numpy() == 7.0


def test_value_that_all_decline_is_refused():
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.convert_to_tensor(Point(None))


@pytest.mark.parametrize(
    ("made", "dtype", "message"),
    [
        (5, None, "returned non-Tensor: 5"),
        ("text", tf.float32, "returned incompatible dtype: requested = float32, actual = string"),
    ],
)
def test_function_must_make_a_tensor_of_the_dtype(made, dtype, message):
    result = tf.constant(made) if made == "text" else made
    tf.register_tensor_conversion_function(Special, lambda value, **_: result, priority=1)  # noqa: ARG005
    with pytest.raises(RuntimeError, match=message):
        tf.convert_to_tensor(Special([3.0]), dtype)


@pytest.mark.parametrize(
    ("base_type", "function", "message"),
    [
        (3, make, "must be a type or a tuple of types"),
        (Point, 3, "must be callable"),
        (float, make, "Python numeric types and NumPy"),
        ((Point, np.ndarray), make, "Python numeric types and NumPy"),
    ],
)
def test_refusals(base_type, function, message):
    with pytest.raises(TypeError, match=message):
        tf.register_tensor_conversion_function(base_type, function)
