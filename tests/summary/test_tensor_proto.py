"""`tf.make_tensor_proto` and `tf.make_ndarray`: the bytes are those of TensorFlow 2.21."""

from __future__ import annotations

import numpy as np
import pytest

import tfcompat as tf

BIG = 2**40
# Arguments, the message, and the array that it holds.
MESSAGES = {
    "integer": ((-3,), "080312003a0afdffffffffffffffff01", np.int32(-3)),
    "large": ((BIG,), "080912005206808080808020", np.int64(BIG)),
    "float": ((1.5,), "080112002a040000c03f", np.float32(1.5)),
    "bool": ((True,), "080a12005a0101", np.bool_(True)),
    "complex": ((1 + 2j,), "081212006210000000000000f03f0000000000000040", np.complex128(1 + 2j)),
    "text": (("hello",), "08071200420568656c6c6f", np.array(b"hello", object)),
    "zeros in bytes": ((b"\0a\0",), "080712004203006100", np.array(b"\0a\0", object)),
    "half": ((np.float16(1.5),), "081312006a02807c", np.float16(1.5)),
    "unsigned": ((np.uint64(7),), "081712008a010107", np.uint64(7)),
    "list": (([1, 2, 3],), "0803120412020803220c010000000200000003000000", np.array([1, 2, 3], np.int32)),
    "bools": (([True, False],), "080a1204120208025a020100", np.array([True, False])),
    "texts": (
        ([["a"], ["b"]],),
        "080712081202080212020801420161420162",
        np.array([[b"a"], [b"b"]], object),
    ),
    "array of texts": ((np.array(["a"]), tf.string), "0807120412020801420161", np.array([b"a"], object)),
    "halves": ((np.array([1, 2], np.float16),), "08131204120208022204003c0040", np.array([1, 2], np.float16)),
    "bytes": ((np.array([-1, 2], np.int8),), "08061204120208022202ff02", np.array([-1, 2], np.int8)),
    "tensor": (
        (tf.constant([[1, 2], [3, 4]]),),
        "080312081202080212020802221001000000020000000300000004000000",
        np.array([[1, 2], [3, 4]], np.int32),
    ),
    "dtype": ((2.5, tf.float64), "0802120032080000000000000440", np.float64(2.5)),
    "dtype of a list": (([1, 2], "float32"), "080112041202080222080000803f00000040", np.array([1, 2], np.float32)),
    "repeated": ((1.0, None, [2, 2]), "0801120812020802120208022a040000803f", np.ones([2, 2], np.float32)),
    "last repeated": (([1, 2], None, [3]), "08031204120208033a020102", np.array([1, 2, 2], np.int32)),
    "nothing": ((5, None, [0]), "080112021200", np.zeros([0], np.float32)),
    "nibbles": (([1, 0], "int4"), "081d1204120208023a020100", np.array([1, 0], tf.as_dtype("int4").as_numpy_dtype)),
    "empty": ((np.zeros([0, 3], np.float32),), "08011206120012020803", np.zeros([0, 3], np.float32)),
}


@pytest.mark.parametrize(("arguments", "message", "array"), MESSAGES.values(), ids=MESSAGES)
def test_message_and_its_array(arguments, message, array):
    proto = tf.make_tensor_proto(*arguments)
    assert proto.SerializeToString().hex() == message
    found = tf.make_ndarray(proto)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tolist() == array.tolist()


def test_messages_are_exchanged_with_serialized_tensors():
    proto = tf.make_tensor_proto([1.0, 2.0])
    assert tf.make_tensor_proto(proto) is proto
    assert (proto.dtype, [dim.size for dim in proto.tensor_shape.dim]) == (tf.float32.as_datatype_enum, [2])
    assert tf.io.parse_tensor(proto.SerializeToString(), tf.float32).numpy().tolist() == [1.0, 2.0]
    read = type(proto).FromString(tf.io.serialize_tensor(tf.constant([[1, 2]])).numpy())
    assert tf.make_ndarray(read).tolist() == [[1, 2]]
    tf.make_ndarray(proto)[0] = 3.0  # a copy
    assert tf.make_ndarray(proto).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("options", "values", "error"),
    [
        ({"values": None}, None, ValueError),
        ({"shape": [2]}, [1, 2, 3], ValueError),
        ({"shape": [2], "verify_shape": True}, [[1, 2]], TypeError),
        ({"shape": [2], "verify_shape": True}, 1, TypeError),
        ({"shape": [2], "allow_broadcast": True}, [1, 2, 3], TypeError),
        ({"shape": [2], "allow_broadcast": True, "verify_shape": True}, 1, ValueError),
        ({"dtype": tf.int32}, [1.5], TypeError),
        ({"dtype": tf.string}, np.array([1.5]), TypeError),
        ({}, [[1], [2, 3]], ValueError),
    ],
)
def test_refused_values(options, values, error):
    with pytest.raises(error):
        tf.make_tensor_proto(**{"values": values, **options})


def test_numbers_outside_of_the_dtype_are_errors():
    proto = tf.make_tensor_proto(3, tf.uint8)
    proto.int_val[0] = 300
    with pytest.raises(OverflowError):
        tf.make_ndarray(proto)


def test_a_single_value_is_broadcast():
    proto = tf.make_tensor_proto([1], shape=[2], allow_broadcast=True)
    assert proto.SerializeToString().hex() == "08031204120208023a0101"
    assert tf.make_ndarray(proto).tolist() == [1, 1]
