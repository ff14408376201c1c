"""Functions of TensorFlow 1 accept arguments under both names."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.compat import v1

k = tf.constant
SAME = {
    "argmax": lambda: (v1.argmax([[1, 2], [4, 3]], dimension=1), [1, 0]),
    "argmin": lambda: (v1.argmin([[1, 2], [4, 3]], axis=1), [0, 1]),
    "argmin of axis 0": lambda: (v1.argmin([[1, 2], [4, 1]]), [0, 1]),
    "expand_dims": lambda: (v1.expand_dims([1], dim=0), [[1]]),
    "squeeze": lambda: (v1.squeeze([[1]], squeeze_dims=[0]), [1]),
    "norm": lambda: (v1.norm([[3.0, 4.0]], axis=1, keep_dims=True), [[5.0]]),
    "transpose": lambda: (v1.transpose([[1, 2]], [1, 0], "name", conjugate=True), [[1], [2]]),
    "pad": lambda: (v1.pad([1], [[1, 0]], constant_values=7), [7, 1]),
    "reduce_sum": lambda: (v1.reduce_sum([[1, 2]], reduction_indices=1, keep_dims=True), [[3]]),
    "reduce_sum of all": lambda: (v1.reduce_sum([[1, 2]]), 3),
    "reduce_all": lambda: (v1.reduce_all([[True, False]], 1, keepdims=True), [[False]]),
    "reduce_any": lambda: (v1.reduce_any([[True, False]], 1), [True]),
    "reduce_max": lambda: (v1.reduce_max([[1, 2]], [0]), [1, 2]),
    "reduce_min": lambda: (v1.reduce_min([[1, 2]], 1), [1]),
    "reduce_prod": lambda: (v1.reduce_prod([[3, 2]], 1), [6]),
    "reduce_mean": lambda: (v1.reduce_mean([[3.0, 2.0]], 1), [2.5]),
    "reduce_logsumexp": lambda: (v1.reduce_logsumexp([[0.0, 0.0]], 1), [np.float32(np.log(2.0))]),
    "softmax": lambda: (v1.nn.softmax([[1.0], [1.0]], dim=0), [[0.5], [0.5]]),
    "log_softmax": lambda: (v1.nn.log_softmax([[1.0], [1.0]], dim=1), [[0.0], [0.0]]),
    "softmax_cross_entropy_with_logits_v2": lambda: (
        v1.nn.softmax_cross_entropy_with_logits_v2([[1.0, 0.0]], [[1.0, 1.0]], dim=-1),
        [np.float32(np.log(2.0))],
    ),
    "sparse_softmax_cross_entropy_with_logits": lambda: (
        v1.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[1.0, 1.0]]),
        [np.float32(np.log(2.0))],
    ),
    "py_func": lambda: (v1.py_func(lambda a: a + 1, [k([1.0])], tf.float32), [2.0]),
    "placeholder_with_default": lambda: (v1.placeholder_with_default([1, 2], [None]), [1, 2]),
    "to_bfloat16": lambda: (v1.to_bfloat16([1.5]), [1.5]),
    "to_complex64": lambda: (v1.to_complex64([1.5]), [1.5]),
    "to_complex128": lambda: (v1.to_complex128([1.5]), [1.5]),
    "to_double": lambda: (v1.to_double([1]), [1.0]),
    "to_float": lambda: (v1.to_float([1]), [1.0]),
    "to_int32": lambda: (v1.to_int32(1.5), 1),
    "to_int64": lambda: (v1.to_int64(1.5), 1),
    "div of integers": lambda: (v1.div(7, 2), 3),
    "div of floats": lambda: (v1.div(7.0, 2.0), 3.5),
    "floor_div": lambda: (v1.floor_div(-7, 2), -4),
}


@pytest.mark.parametrize("call", SAME.values(), ids=SAME.keys())
def test_value(call):
    got, want = call()
    assert got.numpy().tolist() == want


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        ("to_bfloat16", tf.bfloat16),
        ("to_complex64", tf.complex64),
        ("to_complex128", tf.complex128),
        ("to_double", tf.float64),
        ("to_float", tf.float32),
        ("to_int32", tf.int32),
        ("to_int64", tf.int64),
    ],
)
def test_dtype_of_a_cast(function, dtype):
    assert getattr(v1, function)([1]).dtype is dtype


def test_sizes_are_int32_unless_asked_for():
    assert v1.shape([[1, 2]]).dtype is v1.size([[1, 2]]).dtype is tf.int32
    assert v1.shape([[1, 2]], out_type=tf.int64).dtype is v1.size([[1, 2]], out_type=tf.int64).dtype is tf.int64


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: v1.argmax([1], axis=0, dimension=0), "Cannot specify both 'dimension' and 'axis'."),
        (lambda: v1.expand_dims([1], 0, dim=0), "Cannot specify both 'dim' and 'axis'."),
        (lambda: v1.expand_dims([1]), r"Must specify an axis argument to tf.expand_dims\(\)"),
        (lambda: v1.squeeze([[1]], axis=0, squeeze_dims=[0]), "Cannot specify both 'squeeze_dims' and 'axis'."),
        (lambda: v1.reduce_sum([1], keep_dims=False, keepdims=True), "Cannot specify both 'keep_dims' and 'keepdims'."),
        (lambda: v1.nn.sparse_softmax_cross_entropy_with_logits(labels=[1]), "Both `labels` and `logits` must be"),
        (lambda: v1.where([True], [1]), "x and y must both be"),
    ],
)
def test_one_argument_under_two_names_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_labels_have_no_gradient_in_the_older_cross_entropy():
    labels, logits = tf.Variable([[1.0, 0.0]]), tf.Variable([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        loss = v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    of_labels, of_logits = tape.gradient(loss, [labels, logits])
    assert of_labels is None
    assert of_logits.numpy().tolist() == [[pytest.approx(-0.7310586), pytest.approx(0.7310586)]]


WHERE = {
    "elements": (([True, False], [1, 2], [3, 4]), [1, 4]),
    "rows": (([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]), [[1, 2], [7, 8]]),
    "one": ((True, [1, 2], [3, 4]), [1, 2]),
    "places": (([True, False],), [[0]]),
}


@pytest.mark.parametrize(("arguments", "want"), WHERE.values(), ids=WHERE.keys())
def test_where(arguments, want):
    assert v1.where(*arguments).numpy().tolist() == want


@pytest.mark.parametrize(
    "arguments",
    [([True, False], 1, 2), ([[True], [False]], [[1, 2], [3, 4]], [[5, 6], [7, 8]]), ([True, False], [1, 2], [1])],
)
def test_where_does_not_broadcast(arguments):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have one shape"):
        v1.where(*arguments)


def test_preferred_dtype_is_a_hint():
    assert v1.convert_to_tensor(1, None, "one", tf.float64).dtype == tf.float64
    assert v1.convert_to_tensor(1.5, preferred_dtype=tf.int32).dtype == tf.float32
    assert v1.convert_to_tensor(1, dtype_hint=tf.int64).dtype == tf.int64
    with pytest.raises(ValueError, match="Cannot specify both 'preferred_dtype' and 'dtype_hint'"):
        v1.convert_to_tensor(1, preferred_dtype=tf.int32, dtype_hint=tf.int32)


def test_sparse_tensors_stay_sparse():
    sparse = tf.SparseTensor([[0]], [1], [2])
    assert v1.convert_to_tensor_or_sparse_tensor(sparse) is sparse
    assert v1.convert_to_tensor_or_sparse_tensor([1, 2]).numpy().tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="Sparse dtype mismatch"):
        v1.convert_to_tensor_or_sparse_tensor(sparse, tf.float32)


def test_what_is_the_same_in_both_versions_is_one_object():
    assert v1.log is tf.math.log
    assert v1.bitwise.invert is tf.bitwise.invert
    assert v1.matrix_inverse is tf.linalg.inv
    assert v1.nn.relu is tf.nn.relu
    assert v1.errors.OpError is v1.OpError is tf.errors.OpError
    assert v1.VERSION == v1.__version__ == "2.21.0"
