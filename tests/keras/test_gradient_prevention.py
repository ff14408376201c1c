"""`array_ops.prevent_gradient`, by which TensorFlow Probability refuses second derivatives."""

from __future__ import annotations

import importlib

import pytest

import tfcompat as tf
from tfcompat._dropin.alias import install_as_tensorflow


@pytest.fixture
def prevent_gradient():
    install_as_tensorflow()
    return importlib.import_module("tensorflow.python.ops.array_ops").prevent_gradient


@pytest.mark.parametrize("way", [lambda f: f, lambda f: tf.function(f, autograph=False)], ids=["eager", "function"])
def test_gradient_is_refused_with_the_reason(prevent_gradient, way):
    x = tf.constant([1.0, 2.0])
    assert way(lambda x: prevent_gradient(x, message="not here") * 2.0)(x).numpy().tolist() == [2.0, 4.0]

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = prevent_gradient(x, message="not here") * 2.0
        return tape.gradient(y, x)

    with pytest.raises(LookupError, match=r"Gradient explicitly disabled. Reason: b'not here'"):
        way(slope)(x)


def test_first_derivative_passes_where_only_the_second_is_refused(prevent_gradient):
    @tf.custom_gradient
    def once(x):
        return tf.identity(x), lambda dy: prevent_gradient(dy, message="second")

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.square(once(x))
        first = inner.gradient(y, x)
    assert first.numpy() == 6.0
    with pytest.raises(LookupError, match="b'second'"):
        outer.gradient(first, x)
