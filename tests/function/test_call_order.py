"""The order of Python functions in a program. Those that come after one that fails are not called, as in TensorFlow."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests.daily import thorough

SCALAR = tf.TensorSpec([], tf.float32)


@pytest.mark.parametrize("failing", [1, *map(thorough, (2, 3)), 4, thorough(5), 6, 14])
def test_nothing_is_called_after_a_call_that_failed_in_another_block(failing):
    seen = []

    def called(x):
        seen.append(float(x))
        if len(seen) == failing:
            raise ValueError("boo")
        return x

    @tf.function
    def function(x):
        for _ in tf.range(2):
            x = tf.numpy_function(called, [x], SCALAR) + tf.numpy_function(called, [x + 1], SCALAR)
        if x > 0.0:
            x += tf.numpy_function(called, [x], SCALAR)
        for _ in tf.range(2):
            x = tf.numpy_function(called, [x], SCALAR)
        return tf.numpy_function(called, [x], SCALAR)

    if failing > 8:
        function(tf.constant(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="boo"):
        function(tf.constant(1.0))
    assert len(seen) == failing


@pytest.mark.parametrize(
    ("calls", "raised", "expected"),
    [
        (1, KeyError, tf.errors.UnknownError),
        thorough((3, KeyError, tf.errors.UnknownError)),
        (9, KeyError, tf.errors.UnknownError),
        thorough((1, StopIteration, tf.errors.OutOfRangeError)),
        (3, StopIteration, tf.errors.OutOfRangeError),
        thorough((9, StopIteration, tf.errors.OutOfRangeError)),
    ],
)
def test_a_loop_that_waits_for_a_call_that_failed_raises_its_error(raised, expected, calls):
    seen = []

    def called(x):
        seen.append(float(x))
        if len(seen) == calls:
            raise raised("boo")
        return x + 2

    @tf.function
    def until_large(x):
        while x < 7.0:
            x = tf.numpy_function(called, [x], SCALAR)
        return x

    for _ in range((calls - 1) // 4):
        assert float(until_large(tf.constant(0.0))) == 8.0
    with pytest.raises(expected, match="boo"):
        until_large(tf.constant(0.0))
    assert len(seen) == calls
    assert float(until_large(tf.constant(0.0))) == 8.0


@pytest.mark.parametrize("spec", [SCALAR, tf.float32], ids=["declared", "unknown"])
def test_functions_that_a_function_calls_call_python_in_order(spec):
    seen = []

    def called(x):
        seen.append(float(x))
        return x

    @tf.function
    def inner(x):
        return tf.numpy_function(called, [x], spec)

    @tf.function
    def outer(x):
        found = [inner(x), inner(x + 1)]
        for _ in tf.range(2):
            inner(x + 2)
        tf.numpy_function(called, [x + 3], spec)
        return found, inner(x + 4)

    for _ in range(3):
        outer(tf.constant(0.0))
    assert seen == [0.0, 1.0, 2.0, 2.0, 3.0, 4.0] * 3
