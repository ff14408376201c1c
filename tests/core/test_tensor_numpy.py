"""Operators of NumPy arrays and tensors agree with TensorFlow 2.21, on either side."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

NAMES = {"np": np, "tf": tf}

ANSWERS = [
    ("np.array(tf.constant([1,2]))", "array([1, 2], dtype=int32)"),
    ("np.asarray(tf.constant([1,2]))", "array([1, 2], dtype=int32)"),
    ("np.asarray(tf.constant([1,2]), dtype=np.float32)", "array([1., 2.], dtype=float32)"),
    ("np.array(tf.constant(1))", "array(1, dtype=int32)"),
    ("np.array(tf.constant(['a']))", "array([b'a'], dtype=object)"),
    ("np.array([tf.constant(1), tf.constant(2)])", "array([1, 2], dtype=int32)"),
    ("np.float32(tf.constant(1.5))", "np.float32(1.5)"),
    ("np.sum(tf.constant([1,2]))", "np.int64(3)"),
    ("np.mean(tf.constant([1.,2.]))", "np.float32(1.5)"),
    ("np.shape(tf.constant([1.,2.]))", "TensorShape([2])"),
    ("np.ndim(tf.constant([1.,2.]))", "1"),
    ("np.size(tf.constant([1.,2.]))", "2"),
    ("np.square(tf.constant([1.,2.]))", "array([1., 4.], dtype=float32)"),
    ("np.add(tf.constant([1.,2.]), np.ones(2))", "array([2., 3.])"),
    (
        "np.ones(2) + tf.constant([1.,2.])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>",
    ),
    (
        "tf.constant([1.,2.]) + np.ones(2)",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>",
    ),
    (
        "np.float64(2) * tf.constant([1.,2.])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 4.], dtype=float32)>",
    ),
    (
        "np.ones([2,2]) @ tf.ones([2,2])",
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[2., 2.],\n       [2., 2.]], dtype=float32)>",
    ),
    ("np.isnan(tf.constant([1.,2.]))", "array([False, False])"),
    ("np.testing.assert_allclose(tf.constant([1.,2.]), [1,2])", "None"),
    ("np.array_equal(tf.constant([1,2]), [1,2])", "True"),
    ("tf.constant([1,2]) == np.array([1,3])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    ("np.array([1,3]) == tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    ("np.array([1,3]) < tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([False, False])>"),
    ("np.array([1.,3]) - tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 1], dtype=int32)>"),
    (
        "tf.constant([1,2]) + np.array([1.5,2])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>",
    ),
    (
        "np.array([1.5,2]) + tf.constant([1,2])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>",
    ),
    ("np.float64(1.5) + tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>"),
    ("tf.constant([1,2]) + np.float64(1.5)", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>"),
    ("tf.constant([1,2]) + np.int64(3)", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 5], dtype=int32)>"),
    ("np.int64(3) + tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 5], dtype=int32)>"),
    (
        "tf.constant([1.,2]) + np.int64(3)",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([4., 5.], dtype=float32)>",
    ),
    (
        "np.array(['a']) + tf.constant(['b'])",
        "<tf.Tensor: shape=(1,), dtype=string, numpy=array([b'ab'], dtype=object)>",
    ),
    ("np.ones(2) * tf.Variable(1.)", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>"),
    ("np.array(tf.Variable([1,2]))", "array([1, 2], dtype=int32)"),
    ("np.square(tf.Variable([1,2]))", "array([1, 4], dtype=int32)"),
    ("np.array(tf.constant([1.,2.]), dtype=np.int32)", "array([1, 2], dtype=int32)"),
    ("np.concatenate([tf.constant([1]), tf.constant([2])])", "array([1, 2], dtype=int32)"),
    ("np.stack([tf.constant([1]), tf.constant([2])])", "array([[1],\n       [2]], dtype=int32)"),
    ("np.dot(tf.constant([1.,2.]), tf.constant([1.,2.]))", "np.float32(5.0)"),
    ("np.linalg.norm(tf.constant([3.,4.]))", "np.float32(5.0)"),
    ("np.max(tf.constant([3.,4.]))", "np.float32(4.0)"),
    ("np.argmax(tf.constant([3.,4.]))", "np.int64(1)"),
    ("np.where(tf.constant([True, False]), 1, 2)", "array([1, 2])"),
    ("np.array([1,2,3])[tf.constant([0,2])]", "array([1, 3])"),
    ("np.array([1,2,3])[tf.constant(1)]", "np.int64(2)"),
    ("np.array([1,2,3])[tf.constant([True,False,True])]", "array([1, 3])"),
    ("np.zeros(tf.constant([2,3]))", "array([[0., 0., 0.],\n       [0., 0., 0.]])"),
    ("np.zeros(tf.constant(2))", "array([0., 0.])"),
    (
        "np.ones(3) * tf.constant(2.)",
        "<tf.Tensor: shape=(3,), dtype=float32, numpy=array([2., 2., 2.], dtype=float32)>",
    ),
    ("np.ones(3, np.float32) / tf.constant(2)", "<tf.Tensor: shape=(3,), dtype=float64, numpy=array([0.5, 0.5, 0.5])>"),
    ("np.add(1, tf.constant(2))", "np.int32(3)"),
    ("np.exp(tf.constant(0.))", "np.float32(1.0)"),
    ("np.maximum(tf.constant([1.,5.]), 3)", "array([3., 5.], dtype=float32)"),
    ("np.array([1,2]) == tf.constant([1,3])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    ("np.array([1,2]) != tf.constant([1,3])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>"),
    ("np.array([1,2]) < tf.constant([1,3])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>"),
    (
        "np.array([[1,2]]) @ tf.constant([[1,3],[2,3]])",
        "<tf.Tensor: shape=(1, 2), dtype=int32, numpy=array([[5, 9]], dtype=int32)>",
    ),
    ("np.int32(2) + tf.constant(3)", "<tf.Tensor: shape=(), dtype=int32, numpy=5>"),
    ("np.float32(2) + tf.constant(3.)", "<tf.Tensor: shape=(), dtype=float32, numpy=5.0>"),
    ("np.float64(2) ** tf.constant(3.)", "<tf.Tensor: shape=(), dtype=float32, numpy=8.0>"),
    ("np.int64(7) // tf.constant(3)", "<tf.Tensor: shape=(), dtype=int32, numpy=2>"),
    ("np.int64(7) % tf.constant(3)", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("np.bool_(True) & tf.constant(True)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("np.float32(2) < tf.constant(3.)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant(3.) > np.float32(2)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant(3.) == np.float64(3)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant(3) == np.float64(3)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant(3) == np.array([3.5])", "<tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>"),
    (
        "tf.constant([1,2]) + np.array([[1],[2]])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[2, 3],\n       [3, 4]], dtype=int32)>",
    ),
    (
        "tf.constant([1.,2.]) * np.array([1,2])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 4.], dtype=float32)>",
    ),
    (
        "tf.constant([1,2]) * np.array([1.7,2])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 4], dtype=int32)>",
    ),
    (
        "tf.constant([1,2]) - np.array([True, False])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([0, 2], dtype=int32)>",
    ),
    ("tf.constant([True]) & np.array([1])", "<tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>"),
    (
        "tf.constant([1., 2.]) ** np.array([2, 3])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 8.], dtype=float32)>",
    ),
    ("tf.constant([1, 2]) ** np.array(2)", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 4], dtype=int32)>"),
    (
        "tf.ones([2,3]) @ np.ones([3,1])",
        "<tf.Tensor: shape=(2, 1), dtype=float32, numpy=\narray([[3.],\n       [3.]], dtype=float32)>",
    ),
]

REFUSALS = [
    ("np.ones(2) @ tf.ones([2,2])", "InvalidArgumentError"),
    ("np.array([1,2]) @ tf.constant([[1,3],[2,3]])", "InvalidArgumentError"),
    ("tf.constant([1., 2.]) + np.array([1.,2.,3.])", "InvalidArgumentError"),
]


@pytest.mark.parametrize(("expression", "shown"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_numpy_beside_a_tensor_answers_as_tensorflow(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "error"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_numpy_beside_a_tensor_is_refused_as_by_tensorflow(expression, error):
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError, ValueError)) as caught:
        eval(expression, NAMES)
    assert type(caught.value).__name__ == error
