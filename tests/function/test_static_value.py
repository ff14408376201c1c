"""`tf.get_static_value`: TensorFlow's answers, eagerly and while a function is traced."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

K = tf.constant([1.5, 2.5])
X = tf.ones([2, 3])
V = tf.Variable([1.0, 2.0])
KNOWN = {
    "constant": (lambda _: tf.constant([2, 3]), np.int32([2, 3])),
    "scalar": (lambda _: tf.constant(2.0, tf.float64), np.float64(2.0)),
    "text": (lambda _: tf.constant("a"), np.array(b"a", object)),
    "constant from outside": (lambda _: K, np.float32([1.5, 2.5])),
    "constant computed outside": (lambda _: X, np.ones([2, 3], np.float32)),
    "shape": (lambda x: tf.shape(x, tf.int64), np.int64([2, 3])),
    "shape of a variable": (lambda _: tf.shape(V), np.int32([2])),
    "size": (lambda x: tf.size(x), np.int32(6)),
    "rank": (lambda x: tf.rank(x), np.int32(2)),
    "range": (lambda _: tf.range(3), np.int32([0, 1, 2])),
    "cast": (lambda x: tf.cast(tf.shape(x), tf.float32), np.float32([2, 3])),
    "cast to integers": (lambda _: tf.cast(K, tf.int32), np.int32([1, 2])),
    "concat": (lambda _: tf.concat([K, K], 0), np.float32([1.5, 2.5, 1.5, 2.5])),
    "stack": (lambda _: tf.stack([K, K]), np.float32([[1.5, 2.5], [1.5, 2.5]])),
    "list": (lambda _: tf.convert_to_tensor([tf.constant(1.0), 2.0]), np.float32([1, 2])),
    "unstack": (lambda _: tf.unstack(tf.stack([K, K + 1.0]))[0], None),
    "unstacked constants": (lambda _: tf.unstack(tf.stack([K, K]))[1], np.float32([1.5, 2.5])),
    "split": (lambda _: tf.split(K, 2)[1], np.float32([2.5])),
    "fill": (lambda _: tf.fill([2], 3.0), np.float32([3, 3])),
    "zeros": (lambda _: tf.zeros([2]), np.float32([0, 0])),
    "ones_like": (lambda x: tf.ones_like(x), np.ones([2, 3], np.float32)),
    "equal": (lambda _: tf.equal(K, 2.5), np.bool_([False, True])),
    "stop_gradient": (lambda _: tf.stop_gradient(K), np.float32([1.5, 2.5])),
    "identity": (lambda _: tf.identity(K), np.float32([1.5, 2.5])),
    "argument": (lambda x: x, None),
    "sum with an argument": (lambda x: x + 1.0, None),
    "variable": (lambda _: V, None),
    "value of a variable": (lambda _: V.read_value(), None),
    "cast of a variable": (lambda _: tf.cast(V, tf.float64), None),
    "sum of fractions": (lambda _: K + 1.0, None),
    "element of a constant": (lambda _: K[0], None),
    "random number": (lambda _: tf.random.uniform([2]), None),
    "list with an unknown": (lambda x: tf.stack([x[0, 0], 2.0]), None),
    "rows": (lambda _: tf.IndexedSlices(K, tf.constant([0, 1])), None),
    "branch": (lambda x: tf.cond(x[0, 0] > 0, lambda: K, lambda: K), None),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_while_traced(name):
    made, want = KNOWN[name]
    found = []
    tf.function(lambda x: found.append(tf.get_static_value(made(x))), autograph=False)(X)
    if want is None:
        assert found == [None]
        return
    assert type(found[0]) is np.ndarray
    assert found[0].dtype == want.dtype
    np.testing.assert_array_equal(found[0], want)


def test_value_outside_of_functions_is_that_of_the_tensor():
    assert tf.get_static_value(tf.constant([1.0]) * 2.0).tolist() == [2.0]
    assert type(tf.get_static_value(tf.constant(3))) is np.int32
    assert tf.get_static_value(tf.constant("a")) == b"a"


@pytest.mark.parametrize(
    "value", [V, tf.IndexedSlices(X, tf.constant([0, 1])), tf.ragged.constant([[1]]), tf.sparse.from_dense([1]), None]
)
def test_variables_and_composites_are_never_known(value):
    assert tf.get_static_value(value) is None


@pytest.mark.parametrize("value", [[1, 2], 3, "a", tf.TensorShape([1]), tf.TensorSpec([2]), object])
def test_what_is_no_tensor_comes_back(value):
    assert tf.get_static_value(value) is value


def test_constants_are_known_in_branches_and_loops():
    found = []

    @tf.function
    def function(x):
        tf.cond(x > 0.0, lambda: found.append(tf.get_static_value(K)) or x, lambda: x)
        inside = tf.zeros([2])

        def body(i, y):
            found.extend([tf.get_static_value(inside), tf.get_static_value(i), tf.get_static_value(y)])
            return i + 1, y

        return tf.while_loop(lambda i, _: i < 3, body, [tf.constant(0), x])[1]

    function(tf.constant(1.0))
    np.testing.assert_array_equal(found[0], [1.5, 2.5])
    np.testing.assert_array_equal(found[1], [0.0, 0.0])
    assert found[2:4] == [None, None]


def test_partly_known_lists_are_arrays_of_objects():
    found = []

    @tf.function
    def function(x, count):
        for packed in ([2, count], [count, 3.0 * tf.ones([])], [1, 2]):
            values = [tf.cast(value, tf.int32) for value in packed]
            found.append(tf.get_static_value(tf.stack(values), partial=True))
        found.append(tf.get_static_value(x, partial=True))
        found.append(tf.get_static_value(tf.stack([count, 2], 0)))
        return x

    function(X, tf.constant(4))
    assert found[0].tolist() == [2, None]
    assert found[0].dtype == object
    assert found[1].tolist() == [None, None]
    assert found[2].dtype == np.int32
    assert found[3:] == [None, None]


def test_first_version_has_it():
    assert tf.compat.v1.get_static_value is tf.get_static_value
