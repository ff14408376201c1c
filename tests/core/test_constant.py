"""`tf.constant`: dtypes of literals, arrays and nested lists, and refusals agree with TensorFlow 2.21."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import tfcompat as tf

NAMES = {"collections": collections, "np": np, "tf": tf}

LITERALS = [
    ("tf.constant(3000000000)", "<tf.Tensor: shape=(), dtype=int64, numpy=3000000000>"),
    ("tf.constant([1, 3000000000])", "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([         1, 3000000000])>"),
    ("tf.constant(-3000000000)", "<tf.Tensor: shape=(), dtype=int64, numpy=-3000000000>"),
    ("tf.constant(2**63, tf.uint64)", "<tf.Tensor: shape=(), dtype=uint64, numpy=9223372036854775808>"),
    ("tf.constant(2**31-1)", "<tf.Tensor: shape=(), dtype=int32, numpy=2147483647>"),
    ("tf.constant(2**31)", "<tf.Tensor: shape=(), dtype=int64, numpy=2147483648>"),
    ("tf.constant(-2**31)", "<tf.Tensor: shape=(), dtype=int32, numpy=-2147483648>"),
    ("tf.constant(-2**31-1)", "<tf.Tensor: shape=(), dtype=int64, numpy=-2147483649>"),
    ("tf.constant(3000000000, tf.int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=-1294967296>"),
    ("tf.constant(3000000000, tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=3000000000.0>"),
    ("tf.constant(2**70, tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.1805916207174113e+21>"),
    ("tf.constant(300, tf.uint8)", "<tf.Tensor: shape=(), dtype=uint8, numpy=44>"),
    ("tf.constant(-1, tf.uint8)", "<tf.Tensor: shape=(), dtype=uint8, numpy=255>"),
    ("tf.constant(-1, tf.uint32)", "<tf.Tensor: shape=(), dtype=uint32, numpy=4294967295>"),
    ("tf.constant([300, 1], tf.int8)", "<tf.Tensor: shape=(2,), dtype=int8, numpy=array([44,  1], dtype=int8)>"),
    ("tf.constant(True, tf.int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant(True, tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("tf.constant([True, False], tf.int64)", "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 0])>"),
    ("tf.constant(1, tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("tf.constant(1, tf.float16)", "<tf.Tensor: shape=(), dtype=float16, numpy=1.0>"),
    ("tf.constant(1e10, tf.float16)", "<tf.Tensor: shape=(), dtype=float16, numpy=inf>"),
    ("tf.constant(1, tf.complex64)", "<tf.Tensor: shape=(), dtype=complex64, numpy=(1+0j)>"),
    ("tf.constant(1.5, tf.complex128)", "<tf.Tensor: shape=(), dtype=complex128, numpy=(1.5+0j)>"),
    ("tf.constant(b'a', tf.string)", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
    ("tf.constant('1', tf.string)", "<tf.Tensor: shape=(), dtype=string, numpy=b'1'>"),
    (
        "tf.constant(['abc', b'\\xc3\\xa9'])",
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'abc', b'\\xc3\\xa9'], dtype=object)>",
    ),
    ("tf.constant([1, 2.5])", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1. , 2.5], dtype=float32)>"),
    ("tf.constant([1.5, 2])", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 2. ], dtype=float32)>"),
    ("tf.constant([1, True])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>"),
    ("tf.constant([1.5, True])", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 1. ], dtype=float32)>"),
    (
        "tf.constant([[[1,2]],[[3,4]]])",
        "<tf.Tensor: shape=(2, 1, 2), dtype=int32, numpy=\narray([[[1, 2]],\n\n       [[3, 4]]], dtype=int32)>",
    ),
    ("tf.constant((1,2))", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    (
        "tf.constant(((1,2),(3,4)))",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>",
    ),
    (
        "tf.constant([(1,2),[3,4]])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>",
    ),
    ("tf.constant(range(3))", "<tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 2], dtype=int32)>"),
    ("tf.constant(range(0))", "<tf.Tensor: shape=(0,), dtype=float32, numpy=array([], dtype=float32)>"),
    (
        "tf.constant([range(3), range(3)])",
        "<tf.Tensor: shape=(2, 3), dtype=int32, numpy=\narray([[0, 1, 2],\n       [0, 1, 2]], dtype=int32)>",
    ),
    ("tf.constant(collections.deque([1,2]))", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    (
        "tf.constant(collections.namedtuple('P','x y')(1,2))",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    ("tf.constant(tf.constant(1))", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant(tf.Variable(1))", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant(tf.Variable(1), tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("tf.constant(tf.TensorShape([1,2]))", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    ("tf.constant(tf.TensorShape([]))", "<tf.Tensor: shape=(0,), dtype=float32, numpy=array([], dtype=float32)>"),
    ("tf.constant(tf.TensorShape([1,2]), tf.int64)", "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>"),
    (
        "tf.constant(tf.TensorShape([1,2]), tf.float32)",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    ("tf.constant([], dtype=tf.int32)", "<tf.Tensor: shape=(0,), dtype=int32, numpy=array([], dtype=int32)>"),
    ("tf.constant([], dtype=tf.string)", "<tf.Tensor: shape=(0,), dtype=string, numpy=array([], dtype=object)>"),
    ("tf.constant([], dtype=tf.bool)", "<tf.Tensor: shape=(0,), dtype=bool, numpy=array([], dtype=bool)>"),
    ("tf.constant(1, dtype='float32')", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("tf.constant(1, dtype=float)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("tf.constant(1, name='x')", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    (
        "tf.constant(1, tf.float32, [2], 'x')",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 1.], dtype=float32)>",
    ),
    ("tf.constant(value=3)", "<tf.Tensor: shape=(), dtype=int32, numpy=3>"),
    ("tf.constant('a')", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
    ("tf.constant('')", "<tf.Tensor: shape=(), dtype=string, numpy=b''>"),
    (
        "tf.constant([['a'],['b']])",
        "<tf.Tensor: shape=(2, 1), dtype=string, numpy=\narray([[b'a'],\n       [b'b']], dtype=object)>",
    ),
    ("tf.constant([b'a','b'])", "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>"),
    ("tf.constant(bytearray(b'a'))", "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([97], dtype=int32)>"),
    ("tf.constant(memoryview(b'a'))", "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([97], dtype=int32)>"),
    ("tf.constant('a\\0b')", "<tf.Tensor: shape=(), dtype=string, numpy=b'a\\x00b'>"),
    ("tf.constant([u'é'])", "<tf.Tensor: shape=(1,), dtype=string, numpy=array([b'\\xc3\\xa9'], dtype=object)>"),
    ("tf.constant(1.5, tf.bfloat16)", "<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.5>"),
    ("tf.constant(3, tf.bfloat16)", "<tf.Tensor: shape=(), dtype=bfloat16, numpy=3.0>"),
    ("tf.constant([1.5], tf.float8_e5m2) if hasattr(tf,'float8_e5m2') else None", "None"),
    ("tf.constant(1, tf.uint16)", "<tf.Tensor: shape=(), dtype=uint16, numpy=1>"),
    ("tf.constant(1e400)", "<tf.Tensor: shape=(), dtype=float32, numpy=inf>"),
    ("tf.constant(1e300, tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=inf>"),
    ("tf.identity([1,2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    ("tf.cast([1,2], tf.float32)", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>"),
    ("tf.zeros([2], 'float64')", "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([0., 0.])>"),
    ("tf.constant(1)[None]", "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([1], dtype=int32)>"),
]

ARRAYS = [
    ("tf.constant(np.float64(1))", "<tf.Tensor: shape=(), dtype=float64, numpy=1.0>"),
    ("tf.constant(np.float32(1))", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("tf.constant(np.int64(1))", "<tf.Tensor: shape=(), dtype=int64, numpy=1>"),
    ("tf.constant(np.int8(1))", "<tf.Tensor: shape=(), dtype=int8, numpy=1>"),
    ("tf.constant(np.bool_(True))", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant(np.float16(1))", "<tf.Tensor: shape=(), dtype=float16, numpy=1.0>"),
    ("tf.constant(np.str_('a'))", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
    ("tf.constant(np.bytes_(b'a'))", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
    ("tf.constant(np.complex64(1))", "<tf.Tensor: shape=(), dtype=complex64, numpy=(1+0j)>"),
    ("tf.constant(np.array([1,2]))", "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>"),
    ("tf.constant(np.array([1.,2.]))", "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([1., 2.])>"),
    ("tf.constant(np.array([1,2], np.int8))", "<tf.Tensor: shape=(2,), dtype=int8, numpy=array([1, 2], dtype=int8)>"),
    ("tf.constant(np.array([True]))", "<tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>"),
    (
        "tf.constant(np.array(['a','b']))",
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>",
    ),
    (
        "tf.constant(np.array([b'a',b'b']))",
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>",
    ),
    (
        "tf.constant(np.array(['a','b'], object))",
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>",
    ),
    (
        "tf.constant(np.array([[]]))",
        "<tf.Tensor: shape=(1, 0), dtype=float64, numpy=array([], shape=(1, 0), dtype=float64)>",
    ),
    ("tf.constant(np.array(1.5))", "<tf.Tensor: shape=(), dtype=float64, numpy=1.5>"),
    ("tf.constant(np.array([1.5]), tf.int32)", "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([1], dtype=int32)>"),
    (
        "tf.constant(np.array([1.5]), tf.float32)",
        "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.5], dtype=float32)>",
    ),
    ("tf.constant(np.array([1.5]), tf.bool)", "<tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>"),
    (
        "tf.constant(np.array([1]), tf.float32)",
        "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>",
    ),
    ("tf.constant(np.array([1]), tf.bool)", "<tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>"),
    ("tf.constant(np.array([True]), tf.int32)", "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([1], dtype=int32)>"),
    (
        "tf.constant(np.array([True]), tf.float32)",
        "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>",
    ),
    (
        "tf.constant(np.array([1+1j]), tf.float32)",
        "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>",
    ),
    (
        "tf.constant(np.array([1.5]), tf.complex64)",
        "<tf.Tensor: shape=(1,), dtype=complex64, numpy=array([1.5+0.j], dtype=complex64)>",
    ),
    ("tf.constant(np.array([300]), tf.uint8)", "<tf.Tensor: shape=(1,), dtype=uint8, numpy=array([44], dtype=uint8)>"),
    ("tf.constant(np.float64(1.5), tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.5>"),
    ("tf.constant(np.float64(1.5), tf.int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant(np.int64(1), tf.int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant(np.int64(1), tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("tf.constant(np.bool_(True), tf.int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant([1, np.float64(2)])", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>"),
    ("tf.constant([np.float64(2), 1])", "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([2., 1.])>"),
    ("tf.constant([np.float64(1), np.float64(2)])", "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([1., 2.])>"),
    (
        "tf.constant([np.float32(1), np.float32(2)])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ),
    ("tf.constant([np.float32(1), 2])", "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>"),
    (
        "tf.constant([np.int64(1), np.int64(2)])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    (
        "tf.constant([np.int32(1), np.int64(2)])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    ("tf.constant([np.int64(1), 2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    ("tf.constant([2, np.int64(1)])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 1], dtype=int32)>"),
    ("tf.constant([np.int8(1), np.int8(2)])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    (
        "tf.constant([np.int64(1), 2.5])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1. , 2.5], dtype=float32)>",
    ),
    ("tf.constant([np.bool_(True), False])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    (
        "tf.constant([np.array([1,2]), np.array([3,4])])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>",
    ),
    (
        "tf.constant([np.array([1.,2]), np.array([3.,4])])",
        "<tf.Tensor: shape=(2, 2), dtype=float64, numpy=\narray([[1., 2.],\n       [3., 4.]])>",
    ),
    (
        "tf.constant([np.array([1,2]), [3,4]])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>",
    ),
    (
        "tf.constant([[3,4], np.array([1,2])])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[3, 4],\n       [1, 2]], dtype=int32)>",
    ),
    (
        "tf.constant([np.array([1.,2]), np.array([3,4])])",
        "<tf.Tensor: shape=(2, 2), dtype=float64, numpy=\narray([[1., 2.],\n       [3., 4.]])>",
    ),
    (
        "tf.constant([np.array(1), np.array(2)])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
    ),
    ("tf.constant([np.array(1.), 2])", "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([1., 2.])>"),
    ("tf.constant([np.float16(1)])", "<tf.Tensor: shape=(1,), dtype=float16, numpy=array([1.], dtype=float16)>"),
    (
        "tf.constant([np.str_('a'), 'b'])",
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'b'], dtype=object)>",
    ),
    (
        "tf.constant([np.array(['a']), np.array(['b'])])",
        "<tf.Tensor: shape=(2, 1), dtype=string, numpy=\narray([[b'a'],\n       [b'b']], dtype=object)>",
    ),
    ("tf.constant(1, dtype=np.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"),
    ("tf.constant(1, dtype=np.dtype('int16'))", "<tf.Tensor: shape=(), dtype=int16, numpy=1>"),
    (
        "tf.constant(np.array([1.5]), tf.bfloat16)",
        "<tf.Tensor: shape=(1,), dtype=bfloat16, numpy=array([1.5], dtype=bfloat16)>",
    ),
    (
        "tf.constant(np.array([1.5], tf.bfloat16.as_numpy_dtype))",
        "<tf.Tensor: shape=(1,), dtype=bfloat16, numpy=array([1.5], dtype=bfloat16)>",
    ),
    (
        "tf.constant(np.array([np.nan]), tf.int32)",
        "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([-2147483648], dtype=int32)>",
    ),
    (
        "tf.constant(np.array([1e20]), tf.int32)",
        "<tf.Tensor: shape=(1,), dtype=int32, numpy=array([-2147483648], dtype=int32)>",
    ),
    ("tf.constant(np.float64(1e300), tf.float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=inf>"),
    (
        "tf.constant(np.array([1e300]), tf.float32)",
        "<tf.Tensor: shape=(1,), dtype=float32, numpy=array([inf], dtype=float32)>",
    ),
]

SHAPED = [
    (
        "tf.constant(tf.constant([1,2]), shape=[2,1])",
        "<tf.Tensor: shape=(2, 1), dtype=int32, numpy=\narray([[1],\n       [2]], dtype=int32)>",
    ),
    (
        "tf.constant(tf.constant(1), shape=[2])",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>",
    ),
    (
        "tf.constant(1, shape=[2,2])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 1],\n       [1, 1]], dtype=int32)>",
    ),
    ("tf.constant(1, shape=2)", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>"),
    ("tf.constant(1, shape=())", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant([1], shape=[3])", "<tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 1, 1], dtype=int32)>"),
    ("tf.constant([1,2,3], shape=[3])", "<tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>"),
    (
        "tf.constant([1,2,3,4], shape=[2,2])",
        "<tf.Tensor: shape=(2, 2), dtype=int32, numpy=\narray([[1, 2],\n       [3, 4]], dtype=int32)>",
    ),
    ("tf.constant([[1,2]], shape=[2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    (
        "tf.constant([1,2,3], shape=(3,1))",
        "<tf.Tensor: shape=(3, 1), dtype=int32, numpy=\narray([[1],\n       [2],\n       [3]], dtype=int32)>",
    ),
    ("tf.constant([1], shape=())", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant([1], shape=[])", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    (
        "tf.constant([], shape=[0,3])",
        "<tf.Tensor: shape=(0, 3), dtype=float32, numpy=array([], shape=(0, 3), dtype=float32)>",
    ),
    (
        "tf.constant(1.5, shape=[2], dtype=tf.float64)",
        "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([1.5, 1.5])>",
    ),
    ("tf.constant('a', shape=[2])", "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'a'], dtype=object)>"),
    ("tf.constant(True, shape=[2])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True,  True])>"),
    (
        "tf.constant(['a','b'], shape=[2,1])",
        "<tf.Tensor: shape=(2, 1), dtype=string, numpy=\narray([[b'a'],\n       [b'b']], dtype=object)>",
    ),
    (
        "tf.constant(np.arange(4), shape=[2,2])",
        "<tf.Tensor: shape=(2, 2), dtype=int64, numpy=\narray([[0, 1],\n       [2, 3]])>",
    ),
    (
        "tf.constant(np.float32(2), shape=[2,2])",
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[2., 2.],\n       [2., 2.]], dtype=float32)>",
    ),
    (
        "tf.constant(1, shape=tf.TensorShape([2]))",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>",
    ),
    (
        "tf.constant(1, shape=tf.constant([2]))",
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>",
    ),
    ("tf.constant(1, shape=np.array([2]))", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 1], dtype=int32)>"),
]

REFUSALS = [
    ("tf.constant(2**63)", "ValueError"),
    ("tf.constant(2**64)", "ValueError"),
    ("tf.constant(2**70, tf.int32)", "ValueError"),
    ("tf.constant(1, tf.bool)", "TypeError"),
    ("tf.constant(True, tf.uint8)", "TypeError"),
    ("tf.constant(1.5, tf.int32)", "TypeError"),
    ("tf.constant([1.5], tf.int32)", "TypeError"),
    ("tf.constant(1.0, tf.int32)", "TypeError"),
    ("tf.constant(1.5, tf.bool)", "TypeError"),
    ("tf.constant(1+2j, tf.float32)", "TypeError"),
    ("tf.constant('a', tf.int32)", "TypeError"),
    ("tf.constant(1, tf.string)", "TypeError"),
    ("tf.constant(np.array([1,'b'], object))", "ValueError"),
    ("tf.constant(np.array([1,2], object))", "ValueError"),
    ("tf.constant(np.array([1.,2], object))", "ValueError"),
    ("tf.constant(np.array([None], object))", "ValueError"),
    ("tf.constant(np.array(['a']), tf.int32)", "ValueError"),
    ("tf.constant(np.array([1]), tf.string)", "ValueError"),
    ("tf.constant(np.datetime64('2020-01-01'))", "ValueError"),
    ("tf.constant(np.array([(1,2)], dtype='i4,i4'))", "ValueError"),
    ("tf.constant([True, 1])", "ValueError"),
    ("tf.constant([1, 'a'])", "ValueError"),
    ("tf.constant(['a', 1])", "ValueError"),
    ("tf.constant([1, 1j])", "ValueError"),
    ("tf.constant([1.5, 1j])", "ValueError"),
    ("tf.constant([1, None])", "ValueError"),
    ("tf.constant([None])", "ValueError"),
    ("tf.constant(None)", "ValueError"),
    ("tf.constant({})", "ValueError"),
    ("tf.constant({1: 2})", "ValueError"),
    ("tf.constant({1,2})", "ValueError"),
    ("tf.constant([[1,2],[3]])", "ValueError"),
    ("tf.constant([[1,2],3])", "ValueError"),
    ("tf.constant([1,[2]])", "ValueError"),
    ("tf.constant([[1],[]])", "ValueError"),
    ("tf.constant(map(int, [1,2]))", "ValueError"),
    ("tf.constant(zip([1],[2]))", "ValueError"),
    ("tf.constant(iter([1,2]))", "ValueError"),
    ("tf.constant(collections.OrderedDict(a=1))", "ValueError"),
    ("tf.constant({'a': 1}.values())", "ValueError"),
    ("tf.constant({'a': 1}.keys())", "ValueError"),
    ("tf.constant([np.array([1,2]), np.array([3])])", "ValueError"),
    ("tf.constant([tf.constant(1), tf.constant(2)])", "ValueError"),
    ("tf.constant([tf.constant(1), 2])", "ValueError"),
    ("tf.constant([2, tf.constant(1)])", "ValueError"),
    ("tf.constant(tf.constant(1), tf.float32)", "TypeError"),
    ("tf.constant([tf.Variable(1)])", "ValueError"),
    ("tf.constant(tf.TensorShape([1,None]))", "ValueError"),
    ("tf.constant(tf.TensorShape(None))", "ValueError"),
    ("tf.constant(tf.float32)", "ValueError"),
    ("tf.constant(tf.TensorSpec([1]))", "ValueError"),
    ("tf.constant([1,2,3], shape=[2,2])", "TypeError"),
    ("tf.constant([1,2], shape=[2,2])", "TypeError"),
    ("tf.constant([1,2], shape=())", "TypeError"),
    ("tf.constant([], shape=[2])", "TypeError"),
    ("tf.constant(1, shape=[None])", "ValueError"),
    ("tf.constant(1, shape=[-1])", "ValueError"),
    ("tf.constant([1,2], shape=[-1])", "ValueError"),
    ("tf.constant(1, dtype=int)", "TypeError"),
    ("tf.constant(1, dtype=bool)", "TypeError"),
    ("tf.constant(1, dtype='foo')", "TypeError"),
    ("tf.constant()", "TypeError"),
    ("tf.constant(1, foo=2)", "TypeError"),
    ("tf.constant(1, verify_shape=True)", "TypeError"),
    ("tf.constant(1, tf.resource)", "TypeError"),
    ("tf.constant(1, tf.variant)", "TypeError"),
    ("tf.constant(float('nan'), tf.int32)", "TypeError"),
    ("tf.constant(1e300)", "ValueError"),
    ("tf.constant([1e300])", "ValueError"),
]


@pytest.mark.parametrize(("expression", "shown"), LITERALS, ids=[row[0] for row in LITERALS])
def test_constant_of_a_literal(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "shown"), ARRAYS, ids=[row[0] for row in ARRAYS])
def test_constant_of_numpy_values(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "shown"), SHAPED, ids=[row[0] for row in SHAPED])
def test_constant_of_a_shape(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "error"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_constant_refuses_what_tensorflows_does(expression, error):
    with pytest.raises((AttributeError, TypeError, ValueError)) as caught:
        eval(expression, NAMES)
    assert type(caught.value).__name__ == error
