"""The text of tensors agrees with TensorFlow 2.21."""

from __future__ import annotations

import pytest

import tfcompat as tf

NAMES = {"tf": tf}

REPRS = [
    ("tf.constant(1)", "<tf.Tensor: shape=(), dtype=int32, numpy=1>"),
    ("tf.constant(1.5)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.5>"),
    ("tf.constant([1,2])", "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
    (
        "tf.constant([[1.,2.],[3.,4.]])",
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\narray([[1., 2.],\n       [3., 4.]], dtype=float32)>",
    ),
    ("tf.constant(True)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>"),
    ("tf.constant([True, False])", "<tf.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>"),
    ("tf.constant('a')", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
    ("tf.constant(['a', b'bc'])", "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'bc'], dtype=object)>"),
    ("tf.constant(1+2j)", "<tf.Tensor: shape=(), dtype=complex128, numpy=(1+2j)>"),
    ("tf.constant([])", "<tf.Tensor: shape=(0,), dtype=float32, numpy=array([], dtype=float32)>"),
    ("tf.constant([[]])", "<tf.Tensor: shape=(1, 0), dtype=float32, numpy=array([], shape=(1, 0), dtype=float32)>"),
    ("tf.zeros([0,3])", "<tf.Tensor: shape=(0, 3), dtype=float32, numpy=array([], shape=(0, 3), dtype=float32)>"),
    ("tf.zeros([2,0])", "<tf.Tensor: shape=(2, 0), dtype=float32, numpy=array([], shape=(2, 0), dtype=float32)>"),
    (
        "tf.zeros([2,2,2])",
        "<tf.Tensor: shape=(2, 2, 2), dtype=float32, numpy=\n"
        "array([[[0., 0.],\n"
        "        [0., 0.]],\n"
        "\n"
        "       [[0., 0.],\n"
        "        [0., 0.]]], dtype=float32)>",
    ),
    ("tf.constant(1e10)", "<tf.Tensor: shape=(), dtype=float32, numpy=10000000000.0>"),
    ("tf.constant(1e-10)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.000000013351432e-10>"),
    (
        "tf.constant([1e10, 1e-10])",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.e+10, 1.e-10], dtype=float32)>",
    ),
    ("tf.constant(float('nan'))", "<tf.Tensor: shape=(), dtype=float32, numpy=nan>"),
    (
        "tf.constant([float('nan'), float('inf'), -float('inf')])",
        "<tf.Tensor: shape=(3,), dtype=float32, numpy=array([ nan,  inf, -inf], dtype=float32)>",
    ),
    ("tf.constant(1.0, tf.bfloat16)", "<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.0>"),
    (
        "tf.constant([1.0, 2.5], tf.bfloat16)",
        "<tf.Tensor: shape=(2,), dtype=bfloat16, numpy=array([1, 2.5], dtype=bfloat16)>",
    ),
    ("tf.constant(1.0, tf.float16)", "<tf.Tensor: shape=(), dtype=float16, numpy=1.0>"),
    (
        "tf.constant([1.0, 2.5], tf.float16)",
        "<tf.Tensor: shape=(2,), dtype=float16, numpy=array([1. , 2.5], dtype=float16)>",
    ),
    ("tf.constant(1.0, tf.float64)", "<tf.Tensor: shape=(), dtype=float64, numpy=1.0>"),
    ("tf.constant([1.0, 2.5], tf.float64)", "<tf.Tensor: shape=(2,), dtype=float64, numpy=array([1. , 2.5])>"),
    ("tf.constant(1, tf.int8)", "<tf.Tensor: shape=(), dtype=int8, numpy=1>"),
    ("tf.constant([1], tf.uint8)", "<tf.Tensor: shape=(1,), dtype=uint8, numpy=array([1], dtype=uint8)>"),
    ("tf.constant(1, tf.int64)", "<tf.Tensor: shape=(), dtype=int64, numpy=1>"),
    ("tf.constant([1, 2], tf.int64)", "<tf.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>"),
    ("tf.constant([1, 2], tf.uint64)", "<tf.Tensor: shape=(2,), dtype=uint64, numpy=array([1, 2], dtype=uint64)>"),
    ("tf.constant(1+2j, tf.complex64)", "<tf.Tensor: shape=(), dtype=complex64, numpy=(1+2j)>"),
    (
        "tf.constant([1+2j], tf.complex64)",
        "<tf.Tensor: shape=(1,), dtype=complex64, numpy=array([1.+2.j], dtype=complex64)>",
    ),
    (
        "tf.range(30)",
        "<tf.Tensor: shape=(30,), dtype=int32, numpy=\n"
        "array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,\n"
        "       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29], dtype=int32)>",
    ),
    ("tf.constant(0.1)", "<tf.Tensor: shape=(), dtype=float32, numpy=0.10000000149011612>"),
    ("tf.constant(-0.0)", "<tf.Tensor: shape=(), dtype=float32, numpy=-0.0>"),
    ("tf.constant('ä')", "<tf.Tensor: shape=(), dtype=string, numpy=b'\\xc3\\xa4'>"),
    ("tf.constant(b'\\xff\\x00')", "<tf.Tensor: shape=(), dtype=string, numpy=b'\\xff\\x00'>"),
    (
        "tf.constant([['a','b'],['c','dd']])",
        "<tf.Tensor: shape=(2, 2), dtype=string, numpy=\narray([[b'a', b'b'],\n       [b'c', b'dd']], dtype=object)>",
    ),
]

STRINGS = [
    ("str(tf.constant(1))", "'tf.Tensor(1, shape=(), dtype=int32)'"),
    ("str(tf.constant(1.5))", "'tf.Tensor(1.5, shape=(), dtype=float32)'"),
    ("str(tf.constant([1,2]))", "'tf.Tensor([1 2], shape=(2,), dtype=int32)'"),
    ("str(tf.constant([[1.,2.],[3.,4.]]))", "'tf.Tensor(\\n[[1. 2.]\\n [3. 4.]], shape=(2, 2), dtype=float32)'"),
    ("str(tf.constant(True))", "'tf.Tensor(True, shape=(), dtype=bool)'"),
    ("str(tf.constant([True, False]))", "'tf.Tensor([ True False], shape=(2,), dtype=bool)'"),
    ("str(tf.constant('a'))", "\"tf.Tensor(b'a', shape=(), dtype=string)\""),
    ("str(tf.constant(['a', b'bc']))", "\"tf.Tensor([b'a' b'bc'], shape=(2,), dtype=string)\""),
    ("str(tf.constant(1+2j))", "'tf.Tensor((1+2j), shape=(), dtype=complex128)'"),
    ("str(tf.constant([]))", "'tf.Tensor([], shape=(0,), dtype=float32)'"),
    ("str(tf.zeros([0,3]))", "'tf.Tensor([], shape=(0, 3), dtype=float32)'"),
    (
        "str(tf.zeros([2,2,2]))",
        "'tf.Tensor(\\n[[[0. 0.]\\n  [0. 0.]]\\n\\n [[0. 0.]\\n  [0. 0.]]], shape=(2, 2, 2), dtype=float32)'",
    ),
    ("str(tf.constant(1e10))", "'tf.Tensor(1e+10, shape=(), dtype=float32)'"),
    ("str(tf.constant(0.1))", "'tf.Tensor(0.1, shape=(), dtype=float32)'"),
    ("str(tf.constant(0.1, tf.float64))", "'tf.Tensor(0.1, shape=(), dtype=float64)'"),
    ("str(tf.constant(0.1, tf.bfloat16))", "'tf.Tensor(0.100098, shape=(), dtype=bfloat16)'"),
    ("str(tf.constant([0.1], tf.bfloat16))", "'tf.Tensor([0.100098], shape=(1,), dtype=bfloat16)'"),
    ("str(tf.constant(float('nan')))", "'tf.Tensor(nan, shape=(), dtype=float32)'"),
    (
        "str(tf.constant([['a','b'],['c','dd']]))",
        "\"tf.Tensor(\\n[[b'a' b'b']\\n [b'c' b'dd']], shape=(2, 2), dtype=string)\"",
    ),
]

FORMATTED = [
    ('f"{tf.constant(1.5)}"', "'1.5'"),
    ('f"{tf.constant([1.5, 2])}"', "'[1.5 2. ]'"),
    ('f"{tf.constant(1.5):.3f}"', "'1.500'"),
    ('f"{tf.constant(7):05d}"', "'00007'"),
    ("'%.2f' % tf.constant(1.5)", "'1.50'"),
    ("'%d' % tf.constant(7)", "'7'"),
    ("'%s' % tf.constant(7)", "'tf.Tensor(7, shape=(), dtype=int32)'"),
    ("'{}'.format(tf.constant(2))", "'2'"),
    ("f\"{tf.constant('a')}\"", "\"b'a'\""),
    ('f"{tf.constant(True)}"', "'True'"),
    ('f"{tf.constant(1, tf.bfloat16)}"', "'1.0'"),
    ('f"{tf.Variable(1.5)}"', "\"<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.5>\""),
    ("'%.2f' % tf.Variable(1.5)", "'1.50'"),
]


@pytest.mark.parametrize(("expression", "shown"), REPRS, ids=[row[0] for row in REPRS])
def test_repr_is_tensorflows(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "shown"), STRINGS, ids=[row[0] for row in STRINGS])
def test_str_is_tensorflows(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "shown"), FORMATTED, ids=[row[0] for row in FORMATTED])
def test_format_is_tensorflows(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


def test_variable_takes_no_format():
    with pytest.raises(TypeError):
        f"{tf.Variable(1.5):.3f}"


def test_print_of_a_pending_tensor_shows_its_value():
    assert str(tf.constant([1.0, 2.0]) * 2.0) == "tf.Tensor([2. 4.], shape=(2,), dtype=float32)"
