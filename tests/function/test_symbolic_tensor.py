"""Uses of tensors without values, and TensorFlow's errors for other uses."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tfcompat as tf

OUT_OF_SCOPE = "is out of scope and cannot be used here. Use return values, explicit Python locals"


def through(function):
    answers = []

    def body(x):
        answers.append(function(x))
        return x

    tf.function(body, autograph=False)(tf.constant([1.0, 2.0]))
    return answers[0]


REFUSED = {
    "bool": (lambda x: bool(x[0] > 0), tf.errors.OperatorNotAllowedInGraphError, "as a Python `bool` is not allowed"),
    "list": (list, tf.errors.OperatorNotAllowedInGraphError, "Iterating over a symbolic `tf.Tensor` is not allowed"),
    "len": (len, TypeError, "len is not well defined for a symbolic Tensor"),
    "int": (lambda x: int(x[0]), TypeError, r"int\(\) argument must be"),
    "float": (lambda x: float(x[0]), TypeError, r"float\(\) argument must be"),
    "complex": (lambda x: complex(x[0]), TypeError, r"complex\(\) first argument must be"),
    "index": (lambda x: [1, 2, 3][tf.cast(x[0], tf.int32)], TypeError, "SymbolicTensor"),
    "numpy": (lambda x: x.numpy(), AttributeError, "'SymbolicTensor' object has no attribute 'numpy'"),
    "array": (np.asarray, NotImplementedError, "Cannot convert a symbolic tf.Tensor"),
    "ufunc": (np.sin, NotImplementedError, "Cannot convert a symbolic tf.Tensor"),
    "format": (lambda x: f"{x[0]:.2f}", TypeError, "unsupported format string passed to SymbolicTensor.__format__"),
    "pickle": (pickle.dumps, TypeError, "cannot pickle 'SymbolicTensor' object"),
    "deepcopy": (copy.deepcopy, TypeError, "cannot pickle 'SymbolicTensor' object"),
    "hash": (hash, TypeError, "Tensor is unhashable"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_needs_a_value(name):
    use, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        through(use)


def test_shows_its_name_and_shape():
    assert through(lambda x: repr(x + 1)) == "<tf.Tensor 'add:0' shape=(2,) dtype=float32>"
    assert through(lambda x: str(x + 1 + 1)) == 'Tensor("add_1:0", shape=(2,), dtype=float32)'
    assert through(lambda x: f"{x + 1}") == 'Tensor("add:0", shape=(2,), dtype=float32)'


def test_has_shape_and_dtype_and_identity():
    assert through(lambda x: (x.shape.as_list(), x.dtype, x.ndim)) == ([2], tf.float32, 1)
    assert through(lambda x: isinstance(x, tf.Tensor) and tf.is_tensor(x))
    assert through(lambda x: x.ref() == x.ref())


def test_numpy_arrays_stand_beside_it():
    function = tf.function(lambda x: np.ones(2, np.float32) + x, autograph=False)
    np.testing.assert_array_equal(function(tf.constant([1.0, 2.0])), [2.0, 3.0])


LEAKS = {
    "an op": lambda leaked: leaked + 1,
    "an assignment": lambda leaked: tf.Variable(1.0).assign(leaked),
    "another function": lambda leaked: tf.function(lambda: leaked + 1, autograph=False)(),
    "an argument": lambda leaked: tf.function(lambda x: x + 1, autograph=False)(leaked),
}


@pytest.mark.parametrize("name", LEAKS)
def test_does_not_leave_its_function(name):
    held = []
    tf.function(lambda x: held.append(x + 1), autograph=False)(tf.constant(1.0))
    with pytest.raises(TypeError, match=OUT_OF_SCOPE):
        LEAKS[name](held[0])
    assert tf.constant(1.0).numpy() == 1.0


OF_VARIABLES = {
    "numpy": (lambda v: v.numpy(), NotImplementedError, r"numpy\(\) is only available when eager execution is enabled"),
    "array": (np.asarray, NotImplementedError, "Cannot convert a symbolic tf.Tensor"),
    "constant": (tf.constant, NotImplementedError, r"numpy\(\) is only available"),
    "deepcopy": (copy.deepcopy, NotImplementedError, r"numpy\(\) is only available"),
    "pickle": (pickle.dumps, NotImplementedError, r"numpy\(\) is only available"),
    "int": (int, AttributeError, "has no attribute 'numpy'"),
    "float": (float, AttributeError, "has no attribute 'numpy'"),
    "complex": (complex, AttributeError, "has no attribute 'numpy'"),
    "percent": (lambda v: "%.1f" % v, AttributeError, "has no attribute 'numpy'"),  # noqa: UP031
    "bool": (bool, tf.errors.OperatorNotAllowedInGraphError, "as a Python `bool` is not allowed"),
    "list": (list, tf.errors.OperatorNotAllowedInGraphError, "Iterating over a symbolic `tf.Tensor` is not allowed"),
}


@pytest.mark.parametrize("name", OF_VARIABLES)
def test_variable_has_no_value_while_traced(name):
    use, error, message = OF_VARIABLES[name]
    variable = tf.Variable(1)
    with pytest.raises(error, match=message):
        through(lambda x: use(variable))  # noqa: ARG005
    assert variable.numpy() == 1


def test_variable_shows_no_value_while_traced():
    variable = tf.Variable(3.0)
    assert through(lambda x: repr(variable)) == "<tf.Variable 'Variable:0' shape=() dtype=float32>"  # noqa: ARG005


def test_variable_is_read_by_python_in_init_scope():
    variable = tf.Variable([1.0, 2.0])

    def reads(x):
        del x
        with tf.init_scope():
            return variable.numpy().tolist()

    assert through(reads) == [1.0, 2.0]


def test_place_that_a_variable_holds_is_that_of_the_call():
    place = tf.Variable(0)
    row = tf.constant([5.0, 6.0, 7.0])
    element = tf.function(lambda: row[place])
    part = tf.function(lambda: row[place : place + 2])
    found = []
    for _ in range(2):
        found.append((element().numpy(), part().numpy().tolist()))
        place.assign_add(1)
    assert found == [(5.0, [5.0, 6.0]), (6.0, [6.0, 7.0])]
