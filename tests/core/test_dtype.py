"""Element types agree with TensorFlow 2.21's `DType`."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tfcompat as tf

NAMES = {"copy": copy, "np": np, "pickle": pickle, "tf": tf}

ANSWERS = [
    ("tf.float32 == 'float32'", "True"),
    ("tf.float32 == np.float32", "True"),
    ("repr(tf.float32)", "'tf.float32'"),
    ("str(tf.float32)", "\"<dtype: 'float32'>\""),
    ("np.zeros(1, dtype=tf.float32.as_numpy_dtype)", "array([0.], dtype=float32)"),
    ("tf.as_dtype('half')", "tf.float16"),
    ("tf.as_dtype(float)", "tf.float32"),
    ("tf.as_dtype(bool)", "tf.bool"),
    ("tf.as_dtype(np.dtype('int8'))", "tf.int8"),
    ("tf.as_dtype(np.ones(2).dtype)", "tf.float64"),
    ("tf.as_dtype(1)", "tf.float32"),
    ("tf.as_dtype(object)", "tf.string"),
    ("tf.as_dtype(tf.string)", "tf.string"),
    ("tf.as_dtype(np.str_)", "tf.string"),
    ("tf.float32.min", "np.float32(-3.4028235e+38)"),
    ("tf.float32.max", "np.float32(3.4028235e+38)"),
    ("tf.int8.limits", "(0, 127)"),
    ("tf.float32.limits", "(0, 1)"),
    ("tf.uint8.limits", "(0, 255)"),
    ("tf.bfloat16.max", "3.38953e+38"),
    ("tf.float16.min", "np.float16(-6.55e+04)"),
    ("tf.float32.size", "4"),
    ("tf.bool.size", "1"),
    ("tf.string.size", "0"),
    ("tf.float32.is_compatible_with('float32')", "True"),
    ("tf.float32.is_compatible_with(1)", "True"),
    ("tf.float32.as_datatype_enum", "1"),
    ("tf.string.as_numpy_dtype", "<class 'object'>"),
    ("tf.bfloat16.as_numpy_dtype", "<class 'ml_dtypes.bfloat16'>"),
    ("tf.complex64.real_dtype", "tf.float32"),
    ("tf.int32.real_dtype", "tf.int32"),
    (
        "tf.float32.is_quantized, tf.float32.is_numpy_compatible, tf.resource.is_numpy_compatible",
        "(False, True, False)",
    ),
    ("tf.float32.base_dtype", "tf.float32"),
    ("tf.float32.name", "'float32'"),
    ("{tf.float32: 1}[tf.float32]", "1"),
    ("int(tf.float32)", "1"),
    ("tf.float32 != 'float32'", "False"),
    ("tf.float32 != 'foo'", "True"),
    ("tf.float32 == None", "False"),
    ("tf.float32 == 1", "True"),
    ("tf.as_dtype(np.dtype('>i4'))", "tf.int32"),
    ("tf.as_dtype(np.dtype('S3'))", "tf.string"),
    ("tf.as_dtype(np.dtype('U3'))", "tf.string"),
    ("tf.as_dtype(np.dtype('O'))", "tf.string"),
    ("tf.as_dtype(np.object_)", "tf.string"),
    ("tf.as_dtype(np.bytes_)", "tf.string"),
    ("tf.as_dtype(np.bool_)", "tf.bool"),
    ("tf.as_dtype(np.longlong)", "tf.int64"),
    ("tf.as_dtype(np.intc)", "tf.int32"),
    ("tf.as_dtype(True)", "tf.float32"),
    ("tf.as_dtype(1.0)", "tf.float32"),
    ("tf.as_dtype('float')", "tf.float32"),
    ("tf.as_dtype('double')", "tf.float64"),
    ("tf.as_dtype('bfloat16')", "tf.bfloat16"),
    ("tf.as_dtype('complex64')", "tf.complex64"),
    ("tf.as_dtype('resource')", "tf.resource"),
    ("tf.bool.limits", "(0, True)"),
    ("tf.int16.limits", "(0, 32767)"),
    ("tf.int64.limits", "(0, 9223372036854775807)"),
    ("tf.uint16.limits", "(0, 65535)"),
    ("tf.float64.limits", "(0, 1)"),
    ("tf.bfloat16.min", "-3.38953e+38"),
    ("tf.int32.min", "-2147483648"),
    ("type(tf.int32.min).__name__", "'int'"),
    ("type(tf.float32.max).__name__", "'float32'"),
    ("type(tf.bfloat16.max).__name__", "'bfloat16'"),
    ("tf.resource.size", "0"),
    ("tf.variant.size", "0"),
    ("tf.bfloat16.size", "2"),
    ("tf.complex128.size", "16"),
    ("tf.float16.max", "np.float16(6.55e+04)"),
    ("tf.float32.real_dtype", "tf.float32"),
    ("tf.string.real_dtype", "tf.string"),
    ("tf.float32.is_compatible_with(np.float32)", "True"),
    ("tf.float32 == float", "True"),
    ("tf.float32 == 'foo'", "False"),
    ("tf.float32 == [1]", "False"),
    ("tf.float32 != None", "True"),
    ("'float32' == tf.float32", "True"),
    ("np.dtype('float32') == tf.float32", "True"),
    ("tf.float32 == np.dtype('float32')", "True"),
    ("tf.float32 in ('float32', 'x')", "True"),
    ("tf.float32 in [tf.float16]", "False"),
    ("{tf.float32, tf.as_dtype('float32')}", "{tf.float32}"),
    ("{'float32': 1}.get(tf.float32)", "None"),
    ("tf.float32.is_bool", "False"),
    ("isinstance(tf.float32, tf.DType)", "True"),
    ("type(tf.float32).__name__", "'DType'"),
    ("tf.float32.__class__.__name__", "'DType'"),
    (
        "str(tf.bool), repr(tf.bool), str(tf.string), repr(tf.resource)",
        "(\"<dtype: 'bool'>\", 'tf.bool', \"<dtype: 'string'>\", 'tf.resource')",
    ),
]

REFUSALS = [
    ("np.zeros(1, dtype=tf.float32)", "TypeError"),
    ("tf.as_dtype(int)", "TypeError"),
    ("tf.as_dtype(str)", "TypeError"),
    ("tf.as_dtype('foo')", "TypeError"),
    ("tf.as_dtype(None)", "TypeError"),
    ("tf.as_dtype(complex)", "TypeError"),
    ("tf.as_dtype(bytes)", "TypeError"),
    ("tf.as_dtype('S')", "TypeError"),
    ("tf.as_dtype('<f4')", "TypeError"),
    ("tf.as_dtype('f4')", "TypeError"),
    ("tf.bool.min", "TypeError"),
    ("tf.string.min", "TypeError"),
    ("tf.complex64.max", "TypeError"),
    ("tf.float32.is_compatible_with('foo')", "TypeError"),
    ("tf.float32 < tf.float64", "TypeError"),
    ("tf.float32.foo", "AttributeError"),
    ("tf.as_dtype(np.floating)", "TypeError"),
    ("tf.as_dtype(np.number)", "TypeError"),
    ("tf.as_dtype(np.longdouble)", "TypeError"),
    ("tf.as_dtype(0)", "TypeError"),
    ("tf.as_dtype(100)", "TypeError"),
    ("tf.as_dtype('int')", "TypeError"),
    ("tf.as_dtype('str')", "TypeError"),
    ("tf.as_dtype('object')", "TypeError"),
    ("tf.as_dtype('bool_')", "TypeError"),
    ("tf.as_dtype('Float32')", "TypeError"),
    ("tf.as_dtype(tf.Variable(1.))", "TypeError"),
    ("tf.as_dtype([1])", "TypeError"),
    ("tf.as_dtype({})", "TypeError"),
    ("tf.as_dtype(type(None))", "TypeError"),
    ("tf.bool.max", "TypeError"),
    ("tf.bfloat16.limits", "ValueError"),
    ("tf.complex64.limits", "ValueError"),
    ("tf.string.limits", "ValueError"),
    ("tf.complex64.min", "TypeError"),
    ("tf.float32.is_compatible_with(None)", "TypeError"),
]


@pytest.mark.parametrize(("expression", "shown"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_dtype_answers_as_tensorflows(expression, shown):
    assert repr(eval(expression, NAMES)) == shown


@pytest.mark.parametrize(("expression", "error"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_dtype_refuses_what_tensorflows_does(expression, error):
    with pytest.raises((AttributeError, TypeError, ValueError)) as caught:
        eval(expression, NAMES)
    assert type(caught.value).__name__ == error


def pickled(dtype):
    return pickle.loads(pickle.dumps(dtype))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled], ids=lambda again: again.__name__)
def test_dtype_survives_copying_as_itself(again):
    assert again(tf.float32) is tf.float32


def test_dtype_is_a_key():
    assert {tf.float32: 1}[tf.as_dtype("float32")] == 1


@pytest.mark.parametrize(
    ("dtype", "is_numeric"),
    [
        (tf.int32, True),
        (tf.bfloat16, True),
        (tf.complex64, True),
        (tf.bool, False),
        (tf.string, False),
        (tf.resource, False),
    ],
)
def test_numbers_are_numeric(dtype, is_numeric):
    assert dtype.is_numeric is is_numeric
