"""Tensors as objects: identity, copies, references, and conversion by other libraries."""

from __future__ import annotations

import copy
import gc
import pickle
import signal
import sys
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.structure.tensor import Tensor


def test_numpy_is_a_writable_copy():
    tensor = tf.constant([1, 2])
    array = tensor.numpy()
    array[0] = 9
    assert tensor.numpy().tolist() == [1, 2]


def test_array_of_a_tensor_is_a_copy():
    tensor = tf.constant([1.0, 2.0])
    array = np.array(tensor)
    array[0] = 9.0
    assert tensor.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy], ids=["copy", "deepcopy"])
def test_copy_is_the_tensor_itself(again):
    tensor = tf.constant([1, 2]) + 1
    assert again(tensor) is tensor


@pytest.mark.parametrize(
    "value",
    [[1, 2], [1.5], True, ["a", "b"], 1 + 2j],
    ids=str,
)
def test_pickle_keeps_value_and_dtype(value):
    tensor = tf.constant(value)
    again = pickle.loads(pickle.dumps(tensor))
    assert repr(again) == repr(tensor)


def test_pickle_of_a_pending_tensor_keeps_its_value():
    assert pickle.loads(pickle.dumps(tf.constant([1.0]) * 3.0)).numpy().tolist() == [3.0]


@pytest.mark.parametrize("name", ["graph", "name", "op", "value_index"])
def test_attributes_of_graphs_raise_with_the_text_of_tensorflow(name):
    x = tf.constant([1.0])
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    assert str(caught.value) == f"Tensor.{name} is undefined when eager execution is enabled."
    assert caught.value.name == name
    assert not hasattr(x, name)


@pytest.mark.parametrize("name", ["name", "value_index"])
def test_attributes_of_graphs_are_missing_in_functions_too(name):
    with pytest.raises(AttributeError, match=rf"Tensor\.{name} is undefined: tfcompat builds no graphs\."):
        tf.function(lambda x: getattr(x, name))(tf.constant(1.0))


def test_tensors_of_functions_have_an_op_and_a_graph():
    seen = []

    @tf.function
    def function(x):
        y = tf.nn.softmax(x)
        seen.append((x.op.type, y.op.type, y.op.inputs[0] is x or y.op.inputs[0].shape == x.shape))
        seen.append(y.graph is tf.compat.v1.get_default_graph())
        return y

    function(tf.constant([1.0, 2.0]))
    assert seen == [("Placeholder", "Softmax", True), True]


@pytest.mark.parametrize("is_untraced", [False, True])
def test_constants_in_functions_have_the_graph_of_the_function(is_untraced):
    seen = []

    @tf.function(autograph=False)
    def function(x):
        y = tf.constant(True)
        seen.append((y.graph is tf.constant(2.0).graph, y.graph is tf.compat.v1.get_default_graph()))
        return tf.unique(x).y if is_untraced else x

    function(tf.constant([1.0, 1.0]))
    assert set(seen) == {(True, True)}
    with pytest.raises(AttributeError, match="eager execution is enabled"):
        tf.constant(True).graph  # noqa: B018  # raises


@pytest.mark.parametrize("name", ["graph", "op"])
def test_rows_and_sparse_tensors_pass_the_text_on(name):
    rows = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    for holder in (rows, tf.sparse.from_dense([[1.0]])):
        with pytest.raises(AttributeError, match=rf"^Tensor\.{name} is undefined when eager execution is enabled\.$"):
            getattr(holder, name)


def test_attributes_can_be_set():
    tensor = tf.constant(1)
    tensor.mask = "kept"
    assert tensor.mask == "kept"


def test_attributes_of_tensorflow_cannot_be_set():
    with pytest.raises(AttributeError):
        tf.constant(1).shape = [3]


def test_elements_cannot_be_set_or_deleted():
    tensor = tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="does not support item assignment"):
        tensor[0] = 5
    with pytest.raises(TypeError, match="doesn't support item deletion"):
        del tensor[0]
    assert not hasattr(tensor, "__setitem__")


def test_references_have_their_old_name():
    tensor, variable = tf.constant([1.0, 2.0]), tf.Variable(1.0)
    assert tensor.experimental_ref().deref() is tensor
    assert variable.experimental_ref() == variable.ref()


def test_operators_with_assignment_rebind():
    x = y = tf.constant(1.0)
    x += 1
    x *= 3
    x **= 2
    assert (float(x), float(y)) == (36.0, 1.0)


def test_unknown_numpy_name_tells_the_way():
    with pytest.raises(AttributeError, match=r"no attribute 'T'; use the functions of tf, or tensor.numpy\(\)"):
        _ = tf.constant([1.0]).T


def test_reference_is_equal_to_references_to_the_same_tensor():
    tensor, other = tf.constant(1), tf.constant(1)
    assert tensor.ref() == tensor.ref()
    assert tensor.ref() != other.ref()
    assert tensor.ref().deref() is tensor
    assert {tensor.ref(): "found"}[tensor.ref()] == "found"
    assert not tensor.ref() < tensor.ref()
    with pytest.raises(TypeError, match="Cannot compare wrapped object with unwrapped object"):
        _ = tensor.ref() == 3


def test_set_shape_checks():
    tensor = tf.constant([1.0, 2.0])
    tensor.set_shape([None])
    with pytest.raises(ValueError, match=r"shape \(2,\) is not compatible with supplied shape \(3,\)"):
        tensor.set_shape([3])


def test_device_is_named_as_in_tensorflow():
    kind = {"cpu": "CPU", "gpu": "GPU"}.get(jax.default_backend(), jax.default_backend().upper())
    assert tf.constant([1.0]).device == f"/job:localhost/replica:0/task:0/device:{kind}:0"
    assert (tf.constant([1.0]) + 1.0).device == f"/job:localhost/replica:0/task:0/device:{kind}:0"


def test_shape_and_dtype_are_known_before_the_value():
    with tf.counted() as counts:
        tensor = tf.matmul(tf.ones([2, 3]), tf.ones([3, 4])) + 1.0
        assert (tensor.shape, tensor.dtype, tensor.ndim, len(tensor)) == ([2, 4], tf.float32, 2, 2)
    assert counts.flushes == 0


def test_unpacking_and_iterating_a_pending_tensor():
    first, second = tf.constant([1.0, 2.0]) * 2.0
    assert (float(first), float(second)) == (2.0, 4.0)
    assert [float(x) for x in tf.constant([1.0, 2.0]) * 3.0] == [3.0, 6.0]


def test_iterating_has_gradients():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        first, second = x
        y = first * second
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 1.0]


def test_complex_is_read_as_its_real_part():
    with pytest.warns(np.exceptions.ComplexWarning):
        assert float(tf.constant(1 + 2j)) == 1.0


def test_truth_of_several_elements_is_refused():
    with pytest.raises(ValueError, match="truth value of an array with more than one element is ambiguous"):
        bool(tf.constant([1, 2]))


def test_jax_reads_tensors():
    tensor = tf.constant([1.0, 2.0]) * 2.0
    assert jnp.asarray(tensor).tolist() == [2.0, 4.0]
    assert jnp.asarray(tf.constant([1.0], tf.float64)).dtype == np.float64
    assert jnp.asarray(tf.Variable([1.0])).tolist() == [1.0]


def test_jax_array_beside_a_tensor():
    tensor = tf.constant([1.0, 2.0])
    assert repr(tensor + jnp.ones(2)) == "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>"
    assert (tensor == jnp.ones(2)).numpy().tolist() == [True, False]
    # JAX accepts objects with __jax_array__, so its operator is used here.
    assert isinstance(jnp.ones(2) + tensor, jax.Array)


@pytest.mark.parametrize("read", [np.from_dlpack, jnp.from_dlpack], ids=["numpy", "jax"])
def test_dlpack_gives_the_value(read):
    assert read(tf.constant([1.0, 2.0]) + 1.0).tolist() == [2.0, 3.0]


def test_buffer_is_read_only():
    view = tf.constant([1, 2]).__buffer__(0)
    assert (view.tolist(), view.readonly) == ([1, 2], True)
    if sys.version_info >= (3, 12):
        assert memoryview(tf.constant([1, 2])).tolist() == [1, 2]


def test_interrupt_of_a_read_by_numpy_is_not_lost(monkeypatch):
    """NumPy ignores exceptions of `__buffer__`."""
    tensor, known, reads = tf.constant([1, 2]) + 1, Tensor._value, []

    def interrupted(self, cause="read"):
        reads.append(cause)
        if len(reads) == 1:
            signal.raise_signal(signal.SIGINT)
        return known(self, cause)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(Tensor, "_value", interrupted)
            with pytest.raises(KeyboardInterrupt):
                np.asarray(tensor)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(reads) == 1
    assert np.asarray(tensor).tolist() == [2, 3]
    assert tensor.__array__().tolist() == [2, 3]


def test_dropped_tensor_is_freed():
    tensor = tf.constant([1.0]) * 2.0
    gone = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert gone() is None


def test_part_of_a_variable_is_an_ordinary_tensor():
    part = tf.Variable([1.0, 2.0])[0]
    assert pickle.loads(pickle.dumps(part)).numpy() == 1.0
    assert repr(part) == "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"
