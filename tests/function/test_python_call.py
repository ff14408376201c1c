"""`tf.py_function` and `tf.numpy_function`; values and errors are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

X = tf.constant([1.0, 2.0])
PAIR = tf.TensorSpec([2], tf.float32)


def test_py_function_calls_at_once_on_tensors():
    kinds = []
    answer = tf.py_function(lambda a: kinds.append(type(a)) or a * 2, [X], tf.float32)
    assert kinds == [tf.Tensor]
    np.testing.assert_array_equal(answer, [2.0, 4.0])
    assert tf.py_function(lambda _: None, [X], []) == []
    assert [part.numpy().tolist() for part in tf.py_function(lambda a: (a, a + 1), [X], [tf.float32] * 2)] == [
        [1.0, 2.0],
        [2.0, 3.0],
    ]
    assert tf.py_function(lambda _: 3, [X], tf.float32).dtype is tf.float32
    assert tf.py_function(lambda a: a + 1, [tf.Variable(2.0)], tf.float32).numpy() == 3.0


def test_numpy_function_calls_at_once_on_arrays():
    np.testing.assert_array_equal(tf.numpy_function(lambda a: np.sort(-a), [X], tf.float32), [-2.0, -1.0])
    assert tf.numpy_function(lambda a: a.astype("f8"), [X], tf.float32).dtype is tf.float64
    assert tf.numpy_function(lambda a: a.sum(), [X], [tf.float32]).numpy() == 3.0
    assert len(tf.numpy_function(lambda a: (a, a), [X], [tf.float32] * 2)) == 2


def test_gradient_goes_through_tensors_and_not_through_arrays():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        through_tensors = tf.py_function(lambda a: a * a, [X], tf.float32)
        through_arrays = tf.numpy_function(lambda a: a * a, [X], tf.float32)
    np.testing.assert_array_equal(tape.gradient(through_tensors, X), [2.0, 4.0])
    assert tape.gradient(through_arrays, X) is None


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda _: 1 / 0, tf.errors.UnknownError),
        (lambda _: int("x"), tf.errors.InvalidArgumentError),
        (lambda _: tf.constant(3), tf.errors.InvalidArgumentError),
    ],
    ids=["any", "value", "dtype"],
)
def test_errors_of_py_function(function, error):
    with pytest.raises(error, match=r"tf\.py_function: "):
        tf.py_function(function, [X], tf.float32)


def test_errors_of_numpy_function_are_the_functions_own():
    with pytest.raises(ZeroDivisionError):
        tf.numpy_function(lambda _: 1 / 0, [X], tf.float32)


@pytest.mark.parametrize("call", [tf.py_function, tf.numpy_function])
def test_in_a_function_every_run_calls(call):
    seen = []
    function = tf.function(lambda x: call(lambda a: seen.append(1) or a * 2, [x + 1], PAIR))
    for _ in range(3):
        np.testing.assert_array_equal(function(X), [4.0, 6.0])
    assert len(seen) == 3
    unread = tf.function(lambda x: [x, call(lambda a: seen.append(1) or a, [x], PAIR)][:1])
    unread(X)
    assert len(seen) == 4


def test_in_a_function_the_shape_must_be_known():
    with pytest.raises(NotImplementedError, match="XLA has to know the shape"):
        tf.function(lambda x: tf.py_function(lambda a: a, [x], tf.float32))(X)


@pytest.mark.parametrize("call", [tf.py_function, tf.numpy_function])
def test_what_is_no_function_is_refused(call):
    with pytest.raises(ValueError, match="Expected func to be callable"):
        call(3, [X], tf.float32)
