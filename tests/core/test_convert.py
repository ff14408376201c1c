"""`tf.convert_to_tensor` of tensors, variables and other values agrees with TensorFlow 2.21."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf

NAMES = {"np": np, "tf": tf}

ANSWERS = [
    ("tf.convert_to_tensor(1)", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.convert_to_tensor(1.5)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.5>"),
    ("tf.convert_to_tensor([1, 2.])", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>"),
    (
        "tf.convert_to_tensor([tf.constant(1), 2])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([1, tf.constant(2)])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([tf.constant(1.), 2, 3.])",
        "<tf.Tensor: shape=(3,), dtype=float32, numpy=array([1., 2., 3.], dtype=float32)>",
    ),
    (
        "tf.convert_to_tensor([tf.constant([1,2]), [3,4]])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([[tf.constant(1), 2], [3, 4]])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([[1, 2], [3, tf.constant(4)]])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([tf.constant(1), np.array(2)])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([tf.constant(1), np.float32(2)])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([tf.constant(1.), np.float64(2)])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "tf.convert_to_tensor([tf.Variable(1), 2])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([tf.Variable(1.), tf.constant(2.)])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "tf.convert_to_tensor((tf.constant(1), tf.constant(2)))",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([tf.constant(1), tf.constant(2)], tf.int32)",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor([tf.constant(1), tf.constant(2)], tf.float32)",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "tf.convert_to_tensor([tf.constant('b'), 'a'])",
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'b', b'a'], dtype=object)>",
    ),
    (
        "tf.convert_to_tensor([tf.constant(True), True])",
        "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True,  True])>",
    ),
    (
        "tf.convert_to_tensor([tf.constant(1), True])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>",
    ),
    ("tf.convert_to_tensor(tf.constant(1), tf.int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.convert_to_tensor(tf.constant(1), 'int32')", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.convert_to_tensor(tf.Variable(1))", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.convert_to_tensor(1, dtype_hint=tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("tf.convert_to_tensor(1.5, dtype_hint=tf.int32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.5>"),
    ("tf.convert_to_tensor('a', dtype_hint=tf.int32)", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
    ("tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float32)", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    (
        "tf.convert_to_tensor([], dtype_hint=tf.int32)",
        "<tf.Tensor: shape=(0,), dtype=int32, numpy=array([], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor(np.array([1.5]), dtype_hint=tf.float32)",
        "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.5], dtype=float32)>",
    ),
    (
        "tf.convert_to_tensor(np.array([1.5]), dtype_hint=tf.int32)",
        "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([1], dtype=int32)>",
    ),
    ("tf.convert_to_tensor('a')", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
    (
        "tf.convert_to_tensor(tf.TensorShape([1,2]))",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor(tf.TensorShape([1,2]), tf.int64)",
        "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>",
    ),
    ("tf.convert_to_tensor(tf.TensorShape([1,2])[0])", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    (
        "tf.convert_to_tensor(tf.TensorShape([2**40]))",
        "<tf.Tensor: shape=(1,), dtype=int64, numpy=array([1099511627776])>",
    ),
    (
        "tf.convert_to_tensor([tf.TensorShape([1,2]), [3,4]])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>",
    ),
    (
        "tf.convert_to_tensor(tf.IndexedSlices(tf.ones([1]), tf.constant([0]), tf.constant([3])))",
        "<tf.Tensor: shape=(3,), dtype=float32, numpy=array([1., 0., 0.], dtype=float32)>",
    ),
    ("tf.convert_to_tensor(1, name='x')", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    (
        "tf.convert_to_tensor(value=1, dtype=tf.float32, dtype_hint=None, name='x')",
        "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>",
    ),
    ("tf.convert_to_tensor(range(3))", "<tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 2], dtype=int32)>"),
    ("tf.convert_to_tensor(np.ma.array([1,2]))", "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>"),
    (
        "tf.convert_to_tensor(np.arange(6).reshape(2,3).T)",
        "<tf.Tensor: shape=(3, 2), dtype=int64, numpy=\narray([[0, 3],\n       [1, 4],\n       [2, 5]])>",
    ),
    (
        "tf.convert_to_tensor(np.arange(6)[::-1])",
        "<tf.Tensor: shape=(6,), dtype=int64, numpy=array([5, 4, 3, 2, 1, 0])>",
    ),
    (
        "tf.convert_to_tensor(np.array([1,2], '>i4'))",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
]

REFUSALS = [
    ("tf.convert_to_tensor([tf.constant(1), 2., 3])", "TypeError"),
    ("tf.convert_to_tensor([1., tf.constant(2)])", "TypeError"),
    ("tf.convert_to_tensor([tf.constant(1.), tf.constant(2)])", "InvalidArgumentError"),
    ("tf.convert_to_tensor([tf.constant([1,2]), tf.constant([1])])", "InvalidArgumentError"),
    ("tf.convert_to_tensor([tf.constant([1,2]), 1])", "InvalidArgumentError"),
    ("tf.convert_to_tensor([tf.constant(1), 'a'])", "TypeError"),
    ("tf.convert_to_tensor([tf.constant(1), None])", "ValueError"),
    ("tf.convert_to_tensor([tf.constant(True), 1])", "TypeError"),
    ("tf.convert_to_tensor(tf.constant(1), tf.float32)", "ValueError"),
    ("tf.convert_to_tensor(tf.constant([1.5]), tf.int32)", "ValueError"),
    ("tf.convert_to_tensor(tf.Variable(1), tf.float32)", "ValueError"),
    ("tf.convert_to_tensor(None)", "ValueError"),
    ("tf.convert_to_tensor(None, tf.float32)", "ValueError"),
    ("tf.convert_to_tensor({})", "ValueError"),
    ("tf.convert_to_tensor({'a': 1})", "ValueError"),
    ("tf.convert_to_tensor(int)", "ValueError"),
    ("tf.convert_to_tensor(tf.float32)", "ValueError"),
    ("tf.convert_to_tensor(tf.TensorShape([1,2]), tf.float32)", "TypeError"),
    ("tf.convert_to_tensor(tf.TensorShape([1,None]))", "ValueError"),
    (
        "tf.convert_to_tensor(tf.IndexedSlices(tf.ones([1]), tf.constant([0]), tf.constant([3])), tf.int32)",
        "ValueError",
    ),
    ("tf.convert_to_tensor(tf.IndexedSlices(tf.ones([1]), tf.constant([0])))", "ValueError"),
    ("tf.convert_to_tensor(1, tf.float32, 'n')", "TypeError"),
    ("tf.convert_to_tensor(np.array([1,2], np.longdouble))", "ValueError"),
]


@pytest.mark.parametrize(("expression", "shown"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_conversion_is_tensorflows(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "error"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_conversion_is_refused_as_by_tensorflow(expression, error):
    with pytest.raises((tf.errors.InvalidArgumentError, AttributeError, TypeError, ValueError)) as caught:
        eval(expression, NAMES)
    assert type(caught.value).__name__ == error


def test_tensor_is_converted_to_itself():
    tensor = tf.constant([1, 2])
    assert tf.convert_to_tensor(tensor) is tensor
    assert tf.constant(tensor) is tensor


@pytest.mark.parametrize(
    "convert", [tf.constant, tf.convert_to_tensor, tf.Variable], ids=lambda function: function.__name__
)
def test_array_is_copied(convert):
    array = np.array([1.0, 2.0], np.float32)
    tensor = convert(array)
    array[0] = 9.0
    np.testing.assert_array_equal(tensor, [1.0, 2.0])


class Arrayed:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0])


class Protocol:
    def __tf_tensor__(self, dtype=None, name=None):
        return tf.constant(7.0)


class Sequence:
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return [1, 2][index]


def test_object_with_array_keeps_its_dtype():
    assert repr(tf.convert_to_tensor(Arrayed())) == "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([1., 2.])>"


def test_object_with_tf_tensor_stands_for_a_tensor():
    assert float(tf.convert_to_tensor(Protocol()) + Protocol()) == 14.0


def test_sequence_of_numbers_is_converted():
    assert tf.convert_to_tensor(Sequence()).numpy().tolist() == [1, 2]


def test_jax_array_is_as_free_as_a_numpy_array():
    assert tf.convert_to_tensor(jnp.ones(2)).dtype == tf.float32
    assert tf.convert_to_tensor(jnp.ones(2), tf.float64).dtype == tf.float64
    assert tf.constant(jnp.arange(3), tf.float32).numpy().tolist() == [0.0, 1.0, 2.0]


def test_large_list_of_lists_is_converted():
    rows = [[float(i + j) for i in range(300)] for j in range(300)]
    np.testing.assert_array_equal(tf.constant(rows), np.array(rows, np.float32))


def test_packed_list_has_gradients():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.convert_to_tensor([x, 2.0 * x, 1.0]))
    assert float(tape.gradient(y, x)) == 3.0


def test_constant_of_a_tensor_has_gradients_and_of_a_variable_has_none():
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        through = tf.constant(x * 2.0, shape=[2])
        cut = tf.constant(x) * x.read_value()
    assert float(tape.gradient(through, x)) == 4.0
    assert float(tape.gradient(cut, x)) == 3.0


def test_classes_may_call_their_objects_tensors():
    class Symbolic:
        def is_tensor_like(self):
            return True

    assert tf.is_tensor(Symbolic())
    assert tf.get_static_value(Symbolic()) is None
    other = object()
    assert not tf.is_tensor(other)
    assert tf.get_static_value(other) is other


@pytest.mark.parametrize("value", [object(), {"a": 1}, [1, "a"], (1, None)], ids=["object", "dict", "mixed", "none"])
def test_unsupported_value_is_a_type_error_while_a_function_is_traced(value):
    for call in (tf.convert_to_tensor, tf.constant, tf.abs, lambda x: tf.ones([2]) + x):
        with pytest.raises(ValueError, match="convert"):
            call(value)
        with pytest.raises(TypeError, match="Failed to convert"):
            tf.function(lambda call=call: call(value), autograph=False)()


def test_ragged_list_is_a_value_error_while_a_function_is_traced():
    with pytest.raises(ValueError, match="non-rectangular"):
        tf.function(lambda: tf.constant([[1.0], [1.0, 2.0]]))()
