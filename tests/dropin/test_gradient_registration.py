"""Gradients of kernels are only registered, as in TensorFlow without the kernel."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat._dropin import gradient_registration


@pytest.fixture(autouse=True)
def _nothing_registered():
    gradient_registration.clear()
    yield
    gradient_registration.clear()


def slope(operation, upstream):
    del operation
    return upstream


def test_decorator_returns_the_function():
    assert tf.RegisterGradient("MyOp")(slope) is slope
    assert tf.RegisterGradient(op_type="Another")(f=slope) is slope
    assert tf.no_gradient(op_type="Third") is None


@pytest.mark.parametrize("first", [lambda: tf.RegisterGradient("MyOp")(slope), lambda: tf.no_gradient("MyOp")])
@pytest.mark.parametrize("second", [lambda: tf.RegisterGradient("MyOp")(slope), lambda: tf.no_gradient("MyOp")])
def test_second_registration_names_the_first(first, second):
    first()
    with pytest.raises(KeyError, match=r"Registering two gradient with name 'MyOp'! .*test_gradient_registration\.py:"):
        second()


@pytest.mark.parametrize("register", [tf.RegisterGradient, tf.no_gradient])
@pytest.mark.parametrize("op_type", [3, None, b"MyOp"])
def test_type_of_an_op_is_a_string(register, op_type):
    with pytest.raises(TypeError, match="op_type must be a string"):
        register(op_type)


def test_empty_type_is_the_name_of_the_function():
    tf.RegisterGradient("")(slope)
    with pytest.raises(KeyError, match="'slope'"):
        tf.no_gradient("slope")


def test_names_of_version_1_are_the_same():
    v1 = tf.compat.v1
    assert v1.RegisterGradient is tf.RegisterGradient
    assert v1.no_gradient is v1.NoGradient is v1.NotDifferentiable is tf.no_gradient
