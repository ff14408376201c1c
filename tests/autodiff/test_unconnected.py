"""Gradients of unconnected targets and sources."""

from __future__ import annotations

import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf

ZERO = tf.UnconnectedGradients.ZERO


def unconnected(sources, mode):
    """The gradients of something that has nothing to do with `sources`."""
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, sources, unconnected_gradients=mode)


@pytest.mark.parametrize("mode", [tf.UnconnectedGradients.NONE, "none"], ids=str)
def test_mode_none_gives_none(mode):
    assert unconnected(tf.constant([1.0, 2.0]), mode) is None


@pytest.mark.parametrize("mode", [tf.UnconnectedGradients.ZERO, "zero"], ids=str)
def test_mode_zero_gives_zeros(mode):
    found = unconnected([tf.constant([1.0, 2.0]), tf.Variable([[3.0]])], mode)
    assert values(found) == [[0.0, 0.0], [[0.0]]]


@pytest.mark.parametrize("mode", ["ZERO", "zeros", None, 0, True], ids=repr)
def test_unknown_mode_is_a_value_error(mode):
    with pytest.raises(ValueError, match=f"Unknown value for unconnected_gradients: {mode!r}"):
        unconnected(tf.constant(1.0), mode)


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "int32", "int64", "bool", "uint8"])
def test_zeros_have_the_dtype_of_the_source(dtype):
    found = unconnected(tf.cast(tf.constant([1, 0]), dtype), ZERO)
    assert found.dtype == dtype
    assert values(found) == values(tf.cast(tf.constant([0, 0]), dtype))


def test_zeros_for_an_integer_variable():
    found = unconnected(tf.Variable([1, 2]), ZERO)
    assert found.dtype == tf.int32
    assert values(found) == [0, 0]


def test_zeros_for_a_string():
    found = unconnected(tf.constant(["a", "b"]), ZERO)
    assert found.dtype == tf.string
    assert values(found) == [b"", b""]


def test_zeros_only_where_nothing_is_connected():
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = x * x
    assert values(tape.gradient(z, {"x": x, "y": y}, unconnected_gradients="zero")) == {"x": 4.0, "y": 0.0}


def test_zeros_behind_an_op_without_gradient():
    x = tf.Variable(2.5)
    with tf.GradientTape() as tape:
        y = tf.floor(x) * 2.0
    assert values(tape.gradient(y, x, unconnected_gradients="zero")) == 0.0


def test_zeros_of_a_jacobian_have_the_shape_of_the_source():
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = y * y
    found = tape.jacobian(z, x, unconnected_gradients="zero")
    assert found.shape == (2, 3)


def test_integer_source_of_a_connected_target():
    n = tf.constant(3)
    with tf.GradientTape() as tape:
        y = tf.cast(n, tf.float32) * 2.0
    assert values(tape.gradient(y, n, unconnected_gradients="zero")) == 0


def test_enumeration_has_two_members():
    assert [mode.value for mode in tf.UnconnectedGradients] == ["none", "zero"]
