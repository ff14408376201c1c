"""Parts of variables: reads and assignments of slices, rows and elements agree with TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

NAMES = {"np": np, "tf": tf}

ANSWERS = [
    ("v = tf.Variable([1.,2.,3.]); v[0]", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    (
        "v = tf.Variable([1.,2.,3.]); v[0].assign(5)",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([5., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[0].assign(5.); v",
        "<tf.Variable 'Variable:0' shape=(3,) dtype=float32, numpy=array([5., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); r=v[0].assign(5.); v.assign([0.,0.,0.]); r",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([0., 0., 0.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[1:].assign([5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 5., 6.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[1:].assign(5.)",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 5., 5.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[1:].assign([5.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 5., 5.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[1:].assign([[5.,6.]])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 5., 6.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[::2].assign([5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([5., 2., 6.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[::-1].assign([5.,6.,7.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([7., 6., 5.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[-1].assign(9)",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 2., 9.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[5:].assign(9)",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[5:].assign([])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[0:0].assign(3.)",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[:].assign([4.,5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([4., 5., 6.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[...].assign([4.,5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([4., 5., 6.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[tf.constant(1)].assign(4.)",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 4., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[tf.constant(1):].assign([4.,5.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 4., 5.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[np.int64(1)].assign(4.)",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([1., 4., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[None].assign([[4.,5.,6.]])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([4., 5., 6.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[0].assign([4.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([4., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1,2,3]); v[0].assign(np.float64(5.5))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=int32, numpy=array([5, 2, 3], dtype=int32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[0].assign(5., name='x')",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([5., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[tf.constant([True,False,True])]",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[np.array([True,False,True])]",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v[v > 1.]",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[:, 1].assign([8.,9.])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 8.],\n"
        "       [3., 9.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[:, 1].assign(0.)",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 0.],\n"
        "       [3., 0.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[1].assign([8.,9.])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n"
        "       [8., 9.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[1].assign(8.)",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n"
        "       [8., 8.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[1, 0].assign(8.)",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n"
        "       [8., 4.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[..., 0].assign([7.,8.])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[7., 2.],\n"
        "       [8., 4.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[:, ::-1].assign([[7.,8.],[9.,10.]])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[ 8.,  7.],\n"
        "       [10.,  9.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[0:1].assign([[7.,8.]])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[7., 8.],\n"
        "       [3., 4.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[0:2].assign([[7.],[8.]])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[7., 7.],\n"
        "       [8., 8.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[0:2].assign([7.,8.])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[7., 8.],\n"
        "       [7., 8.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v[:, None, 0].assign([[7.],[8.]])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[7., 2.],\n"
        "       [8., 4.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); s=v[0]; v[0].assign([9.,9.]); s",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    ("v = tf.Variable('abc'); v[...].assign('b'); v", "<tf.Variable 'Variable:0' shape=() dtype=string, numpy=b'b'>"),
    (
        "v = tf.Variable(['a','b']); v[0].assign('z'); v",
        "<tf.Variable 'Variable:0' shape=(2,) dtype=string, numpy=array([b'z', b'b'], dtype=object)>",
    ),
    ("v = tf.Variable(1.); v[...].assign(3.)", "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=3.0>"),
    ("v = tf.Variable(1.); v[()].assign(3.)", "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=3.0>"),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices(tf.constant([1.,1.]), tf.constant([0,0])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([3., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_sub(tf.IndexedSlices(tf.constant([1.,1.]), tf.constant([0,0])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([-1.,  2.,  3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_mul(tf.IndexedSlices(tf.constant([2.,2.]), tf.constant([0,0])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([4., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_div(tf.IndexedSlices(tf.constant([2.,2.]), tf.constant([0,0])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([0.25, 2.  , 3.  ], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_min(tf.IndexedSlices(tf.constant([-2.,-3.]), tf.constant([0,0])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([-3.,  2.,  3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_max(tf.IndexedSlices(tf.constant([2.,9.]), tf.constant([0,0])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([9., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_update(tf.IndexedSlices(tf.constant([2.,9.]), tf.constant([0,0])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([9., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_update(tf.IndexedSlices(tf.constant([2.,9.]), tf.constant("
        "[0,2])), use_locking=True, name='n')",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([2., 2., 9.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices([1.], [0]))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([2., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices(1., [0,1]))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([2., 3., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices(tf.constant(1.), tf.constant([0,1])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([2., 3., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices(tf.constant(1.), tf.constant(0)))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([2., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.scatter_add(tf.IndexedSlices(tf.constant([[1.,2.]]), tf.constant([1])))",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n"
        "       [4., 6.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.scatter_add(tf.IndexedSlices(tf.constant([1.,2.]), tf.constant(1)))",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n"
        "       [4., 6.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.scatter_add(tf.IndexedSlices(tf.constant(1.), tf.constant([1])))",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n"
        "       [4., 5.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.scatter_add(tf.IndexedSlices(tf.ones([1,1,2]), tf.constant([[1]])))",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n"
        "       [4., 5.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.scatter_add(tf.IndexedSlices(tf.constant([[1.,2.]]), "
        "tf.constant([1], tf.int64)))",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 2.],\n"
        "       [4., 6.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1,2,3]); v.scatter_div(tf.IndexedSlices(tf.constant([2]), tf.constant([2])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=int32, numpy=array([1, 2, 1], dtype=int32)>",
    ),
    (
        "v = tf.Variable([1,2,3]); v.scatter_max(tf.IndexedSlices(tf.constant([20]), tf.constant([2])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=int32, numpy=array([ 1,  2, 20], dtype=int32)>",
    ),
    (
        "v = tf.Variable(['a','b']); v.scatter_update(tf.IndexedSlices(tf.constant(['z']), tf.constant([1])))",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=string, numpy=array([b'a', b'z'], dtype=object)>",
    ),
    (
        "v = tf.Variable([True,False]); v.scatter_update(tf.IndexedSlices(tf.constant([True]), tf.constant([1])))",
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=bool, numpy=array([ True,  True])>",
    ),
    (
        "v = tf.Variable([1+1j]); v.scatter_add(tf.IndexedSlices(tf.constant([1j]), tf.constant([0])))",
        "<tf.Variable 'UnreadVariable' shape=(1,) dtype=complex128, numpy=array([1.+2.j])>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.batch_scatter_update(tf.IndexedSlices(tf.constant("
        "[[9.],[8.]]), tf.constant([[0],[1]])))",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[9., 2.],\n"
        "       [3., 8.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.batch_scatter_update(tf.IndexedSlices(tf.constant([9.,8.]), "
        "tf.constant([0,1])))",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([9., 8., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable(tf.zeros([2,3,2])); v.batch_scatter_update(tf.IndexedSlices(tf.ones([2,1,2]), "
        "tf.constant([[0],[2]])))",
        "<tf.Variable 'UnreadVariable' shape=(2, 3, 2) dtype=float32, numpy=\n"
        "array([[[1., 1.],\n"
        "        [0., 0.],\n"
        "        [0., 0.]],\n"
        "\n"
        "       [[0., 0.],\n"
        "        [0., 0.],\n"
        "        [1., 1.]]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_nd_add([[0],[2]], [5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([6., 2., 9.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_nd_sub([[0],[2]], [5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([-4.,  2., -3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_nd_update([[0],[2]], [5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([5., 2., 6.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_nd_max([[0],[2]], [5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([5., 2., 6.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_nd_min([[0],[2]], [0.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([0., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_nd_add([[0],[0]], [5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([12.,  2.,  3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_nd_update([[0],[0]], [5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([6., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_nd_add([[0]], [5])",
        "<tf.Variable 'UnreadVariable' shape=(3,) dtype=float32, numpy=array([6., 2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.scatter_nd_add([[0,1],[1,0]], [5.,6.])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[1., 7.],\n"
        "       [9., 4.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.scatter_nd_add([[0]], [[5.,6.]], name='x')",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[6., 8.],\n"
        "       [3., 4.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.scatter_nd_update([[[0]],[[1]]], [[[5.,6.]],[[7.,8.]]])",
        "<tf.Variable 'UnreadVariable' shape=(2, 2) dtype=float32, numpy=\n"
        "array([[5., 6.],\n"
        "       [7., 8.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.gather_nd([[0,1],[1,0]])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.gather_nd([[1]])",
        "<tf.Tensor: shape=(1, 2), dtype=float32, numpy=array([[3., 4.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.sparse_read([1,0,1])",
        "<tf.Tensor: shape=(3, 2), dtype=float32, numpy=\n"
        "array([[3., 4.],\n"
        "       [1., 2.],\n"
        "       [3., 4.]], dtype=float32)>",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.sparse_read(1)",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 4.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); x=v[:]; v.assign_add([3.,4.]); x",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); x=v.value(); v.scatter_nd_update([[0]], [9.]); x",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    (
        "v = tf.Variable([1.,2.]); x=v.value(); v[0].assign(9.); x",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
]

REFUSALS = [
    ("v = tf.Variable([1.,2.,3.]); v[1:].assign([5.,6.,7.])", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v[7].assign(9)", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v[-7].assign(9)", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v[0].assign('a')", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v[0].assign(tf.constant(5))", "ValueError"),
    ("v = tf.Variable([1.,2.,3.]); v[0].assign(None)", "ValueError"),
    ("v = tf.Variable([1,2,3]); v[0].assign(5.5)", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v[0].assign_add(5.)", "AttributeError"),
    ("v = tf.Variable([1.,2.,3.]); v[0].assign_sub(5.)", "AttributeError"),
    ("v = tf.Variable([1.,2.,3.]); v[0].assign(5., read_value=False)", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v[0].assign(5., use_locking=True)", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v[0].assign(value=5.)", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v[[True,False,True]]", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v[v > 1.].assign([5.,6.])", "AttributeError"),
    ("v = tf.Variable([1.,2.,3.]); v[np.array([0,2])]", "TypeError"),
    ("v = tf.Variable([[1.,2.],[3.,4.]]); v[1][0].assign(8.)", "AttributeError"),
    ("v = tf.Variable([[1.,2.],[3.,4.]]); v[1, 0, 0].assign(8.)", "InvalidArgumentError"),
    ("v = tf.Variable(1.); v[0]", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.constant([1.]))", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_sub([1.])", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_mul(3)", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_div(3)", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_min(3)", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_max(3)", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_update(3)", "TypeError"),
    ("v = tf.Variable([1.,2.,3.]); v.batch_scatter_update(3)", "TypeError"),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices(tf.constant([1.]), tf.constant([3])))",
        "InvalidArgumentError",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices(tf.constant([1.]), tf.constant([-1])))",
        "InvalidArgumentError",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_update(tf.IndexedSlices(tf.constant([1.]), tf.constant([3])))",
        "InvalidArgumentError",
    ),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices(tf.constant([1.,2.]), tf.constant([0])))",
        "InvalidArgumentError",
    ),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices(tf.constant([1]), tf.constant([0])))", "ValueError"),
    (
        "v = tf.Variable([1.,2.,3.]); v.scatter_add(tf.IndexedSlices(tf.constant([1.]), tf.constant([0.])))",
        "InvalidArgumentError",
    ),
    (
        "v = tf.Variable([[1.,2.],[3.,4.]]); v.scatter_add(tf.IndexedSlices(tf.constant([1.,2.]), tf.constant([1])))",
        "InvalidArgumentError",
    ),
    (
        "v = tf.Variable(1.); v.scatter_add(tf.IndexedSlices(tf.constant([1.]), tf.constant([0])))",
        "InvalidArgumentError",
    ),
    (
        "v = tf.Variable([1,2,3]); v.scatter_div(tf.IndexedSlices(tf.constant([0]), tf.constant([2])))",
        "InvalidArgumentError",
    ),
    (
        "v = tf.Variable([True,False]); v.scatter_add(tf.IndexedSlices(tf.constant([True]), tf.constant([1])))",
        "InvalidArgumentError",
    ),
    (
        "v = tf.Variable([1+1j]); v.scatter_max(tf.IndexedSlices(tf.constant([1j]), tf.constant([0])))",
        "InvalidArgumentError",
    ),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_nd_add([[3]], [5.])", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_nd_add([[-1]], [5.])", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_nd_add([[0]], [5.,6.])", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_nd_add([0], 5.)", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_nd_add([[0,1]], [5.])", "InvalidArgumentError"),
    ("v = tf.Variable([1.,2.,3.]); v.scatter_nd_add([[0]], tf.constant([5]))", "ValueError"),
    ("v = tf.Variable([[1.,2.],[3.,4.]]); v.sparse_read([2])", "InvalidArgumentError"),
    ("v = tf.Variable([[1.,2.],[3.,4.]]); v.sparse_read([-1])", "InvalidArgumentError"),
    ("v = tf.Variable([[1.,2.],[3.,4.]]); v.sparse_read([1.])", "InvalidArgumentError"),
]


def answer(source):
    """The value of the last of the statements in `source`, after the others."""
    *steps, last = source.split("; ")
    names = dict(NAMES)
    for step in steps:
        exec(step, names)
    return eval(last, names)


@pytest.mark.parametrize(("source", "shown"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_part_answers_as_tensorflows(source, shown):
    assert repr(answer(source)) == shown


@pytest.mark.parametrize(("source", "error"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_part_refuses_what_tensorflows_does(source, error):
    with pytest.raises((tf.errors.OpError, AttributeError, TypeError, ValueError)) as caught:
        answer(source)
    assert type(caught.value).__name__ == error
