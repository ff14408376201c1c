"""Python's built-in functions and NumPy's conversions of tensors agree with TensorFlow 2.21."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

import tfcompat as tf

NAMES = {"math": math, "np": np, "operator": operator, "tf": tf}

ANSWERS = [
    ("tf.constant(1).numpy()", "np.int32(1)"),
    ("type(tf.constant(1).numpy())", "<class 'numpy.int32'>"),
    ("tf.constant([1,2]).numpy()", "array([1, 2], dtype=int32)"),
    ("tf.constant('a').numpy()", "b'a'"),
    ("tf.constant(['a']).numpy()", "array([b'a'], dtype=object)"),
    ("tf.constant(1., tf.bfloat16).numpy()", "1"),
    ("tf.constant([1.,2.]).shape", "TensorShape([2])"),
    ("tf.constant([1.,2.]).dtype", "tf.float32"),
    ("tf.constant([1.,2.]).ndim", "1"),
    ("tf.constant([1.,2.]).backing_device", "'/job:localhost/replica:0/task:0/device:CPU:0'"),
    ("tf.constant([1.,2.]).get_shape()", "TensorShape([2])"),
    ("tf.constant([1.,2.]).set_shape([2])", "None"),
    ("tf.constant([1.,2.]).set_shape([None])", "None"),
    ("tf.constant([1.,2.]).set_shape(None)", "None"),
    ("tf.constant([1.,2.]).set_shape(2)", "None"),
    (
        "tf.constant([1.,2.]).ref()",
        "<Reference wrapping <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>>",
    ),
    ("tf.constant(1) in [tf.constant(2), tf.constant(1)]", "True"),
    ("1 in tf.constant([1,2])", "True"),
    ("5 in tf.constant([1,2])", "False"),
    ("bool(tf.constant(1))", "True"),
    ("bool(tf.constant([0]))", "False"),
    ("bool(tf.constant([]))", "False"),
    ("bool(tf.constant('a'))", "True"),
    ("bool(tf.constant(''))", "False"),
    ("bool(tf.constant([[0.5]]))", "True"),
    ("bool(tf.zeros([0,3]))", "False"),
    ("not tf.constant(0)", "True"),
    ("tf.constant(1) and 5", "5"),
    ("len(tf.constant([1,2]))", "2"),
    ("len(tf.zeros([0,3]))", "0"),
    (
        "list(tf.constant([1,2]))",
        "[<tf.Tensor: shape=(), dtype=int32, numpy=1>, <tf.Tensor: shape=(), dtype=int32, numpy=2>]",
    ),
    (
        "list(tf.constant([[1,2],[3,4]]))",
        "[<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>, <tf.Tensor: shape"
        "=(2,), dtype=int32, numpy=array([3, 4], dtype=int32)>]",
    ),
    (
        "list(reversed(tf.constant([1,2])))",
        "[<tf.Tensor: shape=(), dtype=int32, numpy=2>, <tf.Tensor: shape=(), dtype=int32, numpy=1>]",
    ),
    (
        "list(tf.constant(['a','b']))",
        "[<tf.Tensor: shape=(), dtype=string, numpy=b'a'>, <tf.Tensor: shape=(), dtype=string, numpy=b'b'>]",
    ),
    ("list(tf.zeros([0]))", "[]"),
    ("int(tf.constant(1))", "1"),
    ("int(tf.constant(1.7))", "1"),
    ("int(tf.constant('5'))", "5"),
    ("int(tf.constant(True))", "1"),
    ("float(tf.constant(1))", "1.0"),
    ("float(tf.constant('1.5'))", "1.5"),
    ("complex(tf.constant(1+2j))", "(1+2j)"),
    ("complex(tf.constant(1.))", "(1+0j)"),
    ("range(tf.constant(3))", "range(0, 3)"),
    ("[1,2,3][tf.constant(1)]", "2"),
    ("[1,2,3][tf.constant(1, tf.int64)]", "2"),
    ("math.sqrt(tf.constant(4.))", "2.0"),
    ("math.floor(tf.constant(4.5))", "4"),
    ("math.ceil(tf.constant(4.5))", "5"),
    ("sum([tf.constant(1), tf.constant(2)])", "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
    ("sum(tf.constant([1,2]))", "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
    ("sum(tf.constant([1.,2.]))", "<tf.Tensor: shape=(), dtype=float32, numpy=3.0>"),
    (
        "sorted([tf.constant(2), tf.constant(1)])",
        "[<tf.Tensor: shape=(), dtype=int32, numpy=1>, <tf.Tensor: shape=(), dtype=int32, numpy=2>]",
    ),
    ("max([tf.constant(2), tf.constant(1)])", "<tf.Tensor: shape=(), dtype=int32, numpy=2>"),
    ("max(tf.constant([2,1]))", "<tf.Tensor: shape=(), dtype=int32, numpy=2>"),
    ("isinstance(tf.constant(1), tf.Tensor)", "True"),
    ("tf.is_tensor(tf.constant(1))", "True"),
    ("tf.is_tensor(np.ones(1))", "False"),
    ("tf.is_tensor(1)", "False"),
    ("tf.is_tensor(tf.IndexedSlices(tf.ones([1]), tf.constant([0])))", "True"),
    ("tf.is_tensor([tf.constant(1)])", "False"),
    ("tf.is_tensor(tf.TensorSpec([1]))", "False"),
    ("tf.constant([1,2]).__array__()", "array([1, 2], dtype=int32)"),
    ("tf.constant([1,2]).__array__(np.float32)", "array([1., 2.], dtype=float32)"),
    ("tf.constant([1,2]).__array__(dtype=np.float64)", "array([1., 2.])"),
    ("type(tf.constant([1,2]).__array__())", "<class 'numpy.ndarray'>"),
    ("tf.constant([1,2]).__len__()", "2"),
]

REFUSALS = [
    ("tf.constant([1.,2.]).name", "AttributeError"),
    ("tf.constant([1.,2.]).op", "AttributeError"),
    ("tf.constant([1.,2.]).graph", "AttributeError"),
    ("tf.constant([1.,2.]).consumers()", "NotImplementedError"),
    ("tf.constant([1.,2.]).value_index", "AttributeError"),
    ("tf.constant([1.,2.]).rank", "AttributeError"),
    ("tf.constant([1.,2.]).T", "AttributeError"),
    ("tf.constant([1.,2.]).size", "AttributeError"),
    ("tf.constant([1.,2.]).item()", "AttributeError"),
    ("tf.constant([1.,2.]).tolist()", "AttributeError"),
    ("tf.constant([1.,2.]).astype('int32')", "AttributeError"),
    ("tf.constant([1.,2.]).reshape([2])", "AttributeError"),
    ("tf.constant([1.,2.]).mean()", "AttributeError"),
    ("tf.constant([1.,2.]).nbytes", "AttributeError"),
    ("tf.constant([1.,2.]).foo", "AttributeError"),
    ("tf.constant([1.,2.]).eval()", "NotImplementedError"),
    ("tf.constant([1.,2.]).assign(3)", "AttributeError"),
    ("tf.constant([1.,2.]).is_sparse", "AttributeError"),
    ("tf.constant([1.,2.]).itemsize", "AttributeError"),
    ("tf.constant([1.,2.])._shape", "AttributeError"),
    ("tf.constant([1.,2.]).set_shape([3])", "ValueError"),
    ("tf.constant([1.,2.]).set_shape([2,1])", "ValueError"),
    ("hash(tf.constant(1))", "TypeError"),
    ("{tf.constant(1): 2}", "TypeError"),
    ("tf.constant([1,2]) in [tf.constant([1,3])]", "ValueError"),
    ("bool(tf.constant([1,2]))", "ValueError"),
    ("len(tf.constant(1))", "TypeError"),
    ("list(tf.constant(1))", "TypeError"),
    ("iter(tf.constant(1))", "TypeError"),
    ("int(tf.constant([1,2]))", "TypeError"),
    ("float(tf.constant([1.,2.]))", "TypeError"),
    ("range(tf.constant(3.))", "AttributeError"),
    ("[1,2,3][tf.constant([1])]", "TypeError"),
    ("operator.index(tf.constant(True))", "AttributeError"),
    ("operator.index(tf.constant(2.))", "AttributeError"),
    ("math.trunc(tf.constant(4.5))", "TypeError"),
    ("divmod(tf.constant(7), 2)", "TypeError"),
    ("divmod(7, tf.constant(2))", "TypeError"),
    ("+tf.constant(-2)", "TypeError"),
]


@pytest.mark.parametrize(("expression", "shown"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_tensor_answers_as_tensorflows(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "error"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_tensor_refuses_what_tensorflows_does(expression, error):
    with pytest.raises((AttributeError, NotImplementedError, TypeError, ValueError)) as caught:
        eval(expression, NAMES)
    assert type(caught.value).__name__ == error
