"""NumPy's behaviour of tensors: it cannot be disabled, so each test is a process. Expected values are TensorFlow's."""

from __future__ import annotations

import json

import pytest

import tfcompat as tf
from tests import forked
from tests.daily import thorough

PROGRAM = """
import json, sys
import numpy as np
import tfcompat as tf

def described(expression):
    try:
        found = eval(expression)
        value = np.array(found).tolist() if tf.is_tensor(found) else found
    except Exception as error:
        return type(error).__name__
    weak = "*" if hasattr(type(found), "to_tensor") else ""
    return f"{found.dtype.name}{weak} {value}" if tf.is_tensor(found) else str(found)

given = json.loads(sys.argv[1])
for _ in range(2):
    tf.experimental.numpy.experimental_enable_numpy_behavior(**given["options"])
i, f, b = tf.constant([1, 2]), tf.constant([1.5, 2.5]), tf.constant([True, False])
m, v, n = tf.reshape(tf.range(12), (3, 4)), tf.Variable([1.5, 2.5]), tf.experimental.numpy
h, k = tf.constant(3, tf.int16), tf.Variable([1, 2])
print(json.dumps([described(expression) for expression in given["expressions"]]))
"""

OPERATORS = {
    "i + f": "float64 [2.5, 4.5]",
    "f + i": "float64 [2.5, 4.5]",
    "1.5 + i": "float64 [2.5, 3.5]",
    "f * 1.5": "float32 [2.25, 3.75]",
    "f + np.array([1., 2.])": "float64 [2.5, 4.5]",
    "np.array([1., 2.]) + f": "float64 [2.5, 4.5]",
    "i / 2": "float64 [0.5, 1.0]",
    "i == f": "bool [False, False]",
    "f == None": "False",
    "i < 1.5": "bool [True, False]",
    "b + b": "InvalidArgumentError",
    "b * i": "int32 [1, 0]",
    "i & b": "int32 [1, 0]",
    "f @ i": "float64 6.5",
    "i // 2.": "float64 [0.0, 1.0]",
    "i - v": "float64 [-0.5, -0.5]",
    "v + i": "float64 [2.5, 4.5]",
    "f + [1, 2]": "float32 [2.5, 4.5]",
    "n.log2(f).dtype.name": "float64",
    "n.logaddexp2(f, f).dtype.name": "float64",
    "tf.add(i, f)": "InvalidArgumentError",
    "tf.constant(1.5).dtype.name": "float32",
}
SUBSCRIPTS = {
    "m[[0, 2]]": "int32 [[0, 1, 2, 3], [8, 9, 10, 11]]",
    "m[m > 5]": "int32 [6, 7, 8, 9, 10, 11]",
    "m[[0, 1], [1, 2]]": "int32 [1, 6]",
    "m[:, [0, 1]]": "int32 [[0, 1], [4, 5], [8, 9]]",
    "m[-1]": "int32 [8, 9, 10, 11]",
    "m[np.array([True, False, True])]": "int32 [[0, 1, 2, 3], [8, 9, 10, 11]]",
    "m[[True, False, True]]": "int32 [[0, 1, 2, 3], [8, 9, 10, 11]]",
    "m[..., [0]]": "int32 [[0], [4], [8]]",
    "m[[-1]]": "int32 [[8, 9, 10, 11]]",
    "m[1:, tf.constant([0, 1])]": "int32 [[4, 5], [8, 9]]",
    "m[[5]]": "InvalidArgumentError",
    "m[None, [0]]": "int32 [[[0, 1, 2, 3]]]",
}
METHODS = {
    "m.T.shape": "(4, 3)",
    "m.reshape(2, 6).shape": "(2, 6)",
    "m.reshape((4, -1)).shape": "(4, 3)",
    "m.reshape(12, order='F')[:3]": "int32 [0, 4, 8]",
    "m.transpose([1, 0]).shape": "(4, 3)",
    "m.astype(np.float32).dtype.name": "float32",
    "m.ravel().shape": "(12,)",
    "m.flatten().shape": "(12,)",
    "i.clip(2, 3)": "int32 [2, 2]",
    "m.size": "12",
    "m.max()": "int32 11",
    "m.min(axis=1)": "int32 [0, 4, 8]",
    "m.mean(0)": "float64 [4.0, 5.0, 6.0, 7.0]",
    "i.tolist()": "[1, 2]",
    "i.data": "int32 [1, 2]",
    "+i": "int32 [1, 2]",
    "round(f)": "float32 [2.0, 2.0]",
    "m.sum()": "AttributeError",
    "v.T": "AttributeError",
}
SINGLE = {
    "n.array([1.5, 2.])": "float32 [1.5, 2.0]",
    "n.add(1., 2)": "float32 3.0",
    "n.arange(3.)": "float32 [0.0, 1.0, 2.0]",
    "n.array(2j).dtype.name": "complex64",
    "n.zeros(1)": "float64 [0.0]",
    "i + 1.5": "float64 [2.5, 3.5]",
}


OFF = {
    "i + f": "InvalidArgumentError",
    "i + 1.5": "InvalidArgumentError",
    "f + 1": "float32 [2.5, 3.5]",
    "m.T.shape": "(4, 3)",
    "tf.constant(1)": "int32 1",
}
# Where operands are converted by themselves a star marks a weak tensor.
AUTOMATIC = {
    "i": "int32* [1, 2]",
    "f + h": "float64* [4.5, 5.5]",
    "tf.constant([1, 2.5])": "float32* [1.0, 2.5]",
    "tf.constant(True)": "bool True",
    "tf.constant('a').dtype.name": "string",
    "tf.constant(np.float32(1))": "float32 1.0",
    "tf.constant([])": "float32* []",
    "tf.constant(5, shape=[2])": "int32* [5, 5]",
    "tf.constant(1.5, tf.float16)": "float16 1.5",
    "tf.constant(5, 'int8')": "int8 5",
    "tf.constant(h, tf.int32)": "int32 3",
    "tf.constant(np.array([1, 2]), tf.float32)": "float32 [1.0, 2.0]",
    "tf.constant(v)": "float32 [1.5, 2.5]",
    "tf.constant(2**40)": "OverflowError",
    "tf.convert_to_tensor(i)": "int32 [1, 2]",
    "tf.convert_to_tensor(5)": "int32 5",
    "i + h": "int16 [4, 5]",
    "h + i": "int16 [4, 5]",
    "i + 1.5": "float32* [2.5, 3.5]",
    "h + 1.5": "float64* 4.5",
    "h + (1.5,)": "float64* [4.5]",
    "[1.5] + h": "float64* [4.5]",
    "np.float64(1.5) + h": "float64 4.5",
    "np.array([1, 2]) + f": "float64* [2.5, 4.5]",
    "h + 'a'": "InvalidArgumentError",
    "h + None": "ValueError",
    "h + 2**40": "OverflowError",
    "2**i": "int32* [2, 4]",
    "n.cumsum(i)": "int32* [1, 3]",
    "n.cumsum(tf.cast(i, tf.uint8))": "int32 [1, 3]",
    "n.cumprod(tf.cast(i, tf.uint32))": "int32 [1, 2]",
    "n.cumsum(tf.cast(i, tf.int64))": "int64 [1, 3]",
    "n.cumsum(tf.cast(i, tf.uint64))": "float32 [1.0, 3.0]",
    "i / 2": "float64* [0.5, 1.0]",
    "i // 2": "int32* [0, 1]",
    "i % 2": "int32* [1, 0]",
    "f @ f": "InvalidArgumentError",
    "tf.ones([1, 1], tf.float16) @ [[2.0]]": "float16 [[2.0]]",
    "f == f": "bool [True, True]",
    "f == None": "False",
    "f != f": "bool [False, False]",
    "f < 2": "bool [True, False]",
    "-f": "float32* [-1.5, -2.5]",
    "abs(f)": "float32* [1.5, 2.5]",
    "~i": "int32* [-2, -3]",
    "+f": "float32* [1.5, 2.5]",
    "round(f)": "float32* [2.0, 2.0]",
    "b * i": "bool [True, False]",
    "2 * b": "bool [True, False]",
    "b & b": "bool [True, False]",
    "f[0]": "float32 1.5",
    "f[[1]]": "float32 [2.5]",
    "[str(x) for x in f][1]": "tf.Tensor(2.5, shape=(), dtype=float32, weak=True)",
    "f.T": "float32* [1.5, 2.5]",
    "f.reshape([2, 1])": "float32* [[1.5], [2.5]]",
    "f.reshape(2, 1)": "float32* [[1.5], [2.5]]",
    "f.max()": "float32* 2.5",
    "f.mean()": "float32* 2.0",
    "f.astype(tf.float16)": "float16 [1.5, 2.5]",
    "f.numpy().tolist()": "[1.5, 2.5]",
    "f.tolist()": "[1.5, 2.5]",
    "f.shape": "(2,)",
    "f.ndim": "1",
    "len(f), int(i[0]), bool(f[0])": "(2, 1, True)",
    "str(f[0] * 1)": "tf.Tensor(1.5, shape=(), dtype=float32)",
    "repr(tf.constant(5))": "<tf.Tensor: shape=(), dtype=int32, numpy=5, weak=True>",
    "str(tf.constant(5))": "tf.Tensor(5, shape=(), dtype=int32, weak=True)",
    "format(tf.constant(5), 'd')": "5 weakly typed",
    "f'{tf.constant(1.5):.2f}'": "1.50 weakly typed",
    "isinstance(f, tf.Tensor)": "False",
    "tf.is_tensor(f)": "True",
    "tf.identity(5)": "int32* 5",
    "tf.abs(-5)": "int32* 5",
    "tf.sqrt(4.0)": "float32* 2.0",
    "tf.reduce_sum([1, 2])": "int32* 3",
    "tf.reduce_sum(i, axis=0)": "int32* 3",
    "tf.zeros_like(f, dtype=tf.float16)": "float16 [0.0, 0.0]",
    "tf.add(1, 2)": "int32* 3",
    "tf.add(x=1, y=h)": "int16 4",
    "tf.add(np.int8(1), 1.5)": "float64* 2.5",
    "tf.math.add(1, 2.5)": "float32* 3.5",
    "tf.maximum(1, 2)": "int32 2",
    "tf.equal(1, 1.0)": "bool True",
    "tf.pow(2.0, h)": "float64* 8.0",
    "tf.divide(1, 2)": "float64* 0.5",
    "tf.matmul([[1]], [[1.5]])": "float32* [[1.5]]",
    "tf.linalg.matvec([[1.0]], [1])": "float32* [1.0]",
    "tf.math.scalar_mul(2, h)": "int16 6",
    "tf.clip_by_value(5, 1, 2)": "int32* 2",
    "tf.nn.relu(f)": "float32 [1.5, 2.5]",
    "tf.nn.gelu(1.0)": "float32* 0.8413447141647339",
    "tf.gather(f, [0])": "float32 [1.5]",
    "tf.where(True, f, 1.0)": "float32 [1.5, 2.5]",
    "tf.squeeze([[1.5]])": "float32* 1.5",
    "tf.cast(f, tf.float16)": "float16 [1.5, 2.5]",
    "tf.cast(f, tf.float32)": "float32 [1.5, 2.5]",
    "tf.ragged.constant([[1]]) + 1": "int32* <tf.RaggedTensor [[2]]>",
    "tf.ragged.constant([[1]]) + h": "InvalidArgumentError",
    "v + i": "float32 [2.5, 4.5]",
    "1.5 + v": "float32 [3.0, 4.0]",
    "v * f": "float32 [2.25, 6.25]",
    "v.assign([3, 4]).numpy().tolist()": "[3.0, 4.0]",
    "v.assign(f).numpy().tolist()": "[1.5, 2.5]",
    "v.assign(np.array([1.0, 2.0]))": "TypeError",
    "v.assign_add(k).numpy().tolist()": "[2.5, 4.5]",
    "v.assign_sub(tf.constant([1, 2], tf.float16)).numpy().tolist()": "[1.5, 2.5]",
    "k.assign(f)": "TypeError",
    "k.assign_add([1.5, 2])": "TypeError",
    "k.assign_add([h, h]).numpy().tolist()": "[4, 5]",
    "k.assign_sub(tf.constant([1, 2], tf.int64))": "TypeError",
    "tf.Variable(i).dtype.name": "int32",
    "tf.function(lambda a: a + 1)(i)": "int32* [2, 3]",
    "tf.function(lambda a: a + h)(i)": "int16 [4, 5]",
    "tf.nest.flatten(f)[0]": "float32* [1.5, 2.5]",
    "tf.nest.flatten(f, expand_composites=True)[0]": "float32 [1.5, 2.5]",
    "tf.get_static_value(f).tolist()": "[1.5, 2.5]",
    "f.to_tensor()": "float32 [1.5, 2.5]",
    "np.asarray(f).dtype.name": "float32",
    "hash(f)": "TypeError",
    "[1, 2, 3][tf.constant(1)]": "2",
    "__import__('copy').deepcopy(f)": "float32* [1.5, 2.5]",
    "n.sqrt(4)": "float32* 2.0",
    "n.sqrt(h)": "float32 1.7320507764816284",
    "n.add(i, h)": "int32 [4, 5]",
    "n.array([1, 2])": "int32* [1, 2]",
    "n.zeros(2)": "float32 [0.0, 0.0]",
    "n.sum([1, 2])": "int32* 3",
    "n.sum(h)": "int32 3",
    "n.mean(i)": "float32* 1.5",
    "n.result_type(i, h).name": "int16",
    "n.result_type(h, 1.5).name": "float64",
    "n.arange(3)": "int32* [0, 1, 2]",
    "n.argsort(f)": "int32 [0, 1]",
    "n.matmul(f, f)": "float32* 8.5",
    "n.less(i, h)": "bool [True, True]",
    "n.where(True, h, 1)": "int16 3",
    "tf.uint8.max + tf.constant(1, tf.uint8)": "uint8 0",
    "tf.constant(1, tf.uint64) + tf.constant(1, tf.int8)": "float64* 2.0",
    "tf.constant(1, tf.bfloat16) + tf.constant(1, tf.float16)": "float32 2.0",
    "tf.constant(1, tf.int32) + tf.constant(1.5, tf.float32)": "float32 2.5",
    "tf.cond(True, lambda: f, lambda: f)": "float32* [1.5, 2.5]",
    "tf.while_loop(lambda a: a < 3, lambda a: a + 1, [tf.constant(0)])[0]": "TypeError",
}
# The answers of the mode "safe" that differ.
SAFE = {
    "f + h": "TypeError",
    "tf.constant(np.array([1, 2]), tf.float32)": "TypeError",
    "h + 1.5": "TypeError",
    "h + (1.5,)": "TypeError",
    "[1.5] + h": "TypeError",
    "np.array([1, 2]) + f": "TypeError",
    "tf.add(np.int8(1), 1.5)": "TypeError",
    "tf.pow(2.0, h)": "TypeError",
    "v.assign_add(k).numpy().tolist()": "TypeError",
    "v.assign_sub(tf.constant([1, 2], tf.float16)).numpy().tolist()": "[0.5, 0.5]",
    "n.result_type(h, 1.5).name": "TypeError",
    "tf.constant(1, tf.uint64) + tf.constant(1, tf.int8)": "TypeError",
    "tf.constant(1, tf.bfloat16) + tf.constant(1, tf.float16)": "TypeError",
    "tf.constant(1, tf.int32) + tf.constant(1.5, tf.float32)": "TypeError",
}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, OPERATORS | SUBSCRIPTS | METHODS),
        thorough(({"prefer_float32": True}, SINGLE)),
        ({"dtype_conversion_mode": "off"}, OFF | SUBSCRIPTS),
        thorough(({"dtype_conversion_mode": "all"}, AUTOMATIC)),
        ({"dtype_conversion_mode": "safe"}, AUTOMATIC | SAFE),
    ],
    ids=["behaviour", "prefer_float32", "off", "all", "safe"],
)
def test_tensors_behave_as_arrays(options, wanted):
    given = json.dumps({"options": options, "expressions": list(wanted)})
    ran = forked.run(["-c", PROGRAM, given])
    assert ran.returncode == 0, ran.stderr
    assert dict(zip(wanted, json.loads(ran.stdout), strict=True)) == wanted


def test_a_mode_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="dtype_conversion_mode must be"):
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="?")
    assert not hasattr(tf.constant(1), "astype")


CONVERTING = """
import pickle
import tfcompat as tf
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
"""


def run(program):
    ran = forked.run(["-c", CONVERTING + program])
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split("\n")[:-1]


def test_gradients_for_weak_tensors_are_weak():
    found = run("""
x, a, h = tf.Variable([1.0, 2.0]), tf.constant([1.5, 2.5]), tf.constant([1.0, 2.0], tf.float16)
with tf.GradientTape(persistent=True) as tape:
    tape.watch([a, h])
    y, z, u = a * 3.0, x * a, h * x
for target, source in ((y, a), (z, a), (z, x), (u, h), (u, x)):
    print(repr(tape.gradient(target, source)))
""")
    assert found == [
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 3.], dtype=float32), weak=True>",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32), weak=True>",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1.5, 2.5], dtype=float32)>",
        "<tf.Tensor: shape=(2,), dtype=float16, numpy=array([1., 2.], dtype=float16)>",
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
    ]


def test_functions_take_and_return_weak_tensors():
    found = run("""
traces = []
@tf.function
def function(a):
    traces.append(1)
    return a * 2, a + tf.constant(1, tf.int16), tf.constant(5)
for a in (tf.constant(3), tf.constant(4), tf.convert_to_tensor(3)):
    print(function(a)[0], len(traces))
print(function(tf.constant(3))[1:])
""")
    assert found == [
        "tf.Tensor(6, shape=(), dtype=int32, weak=True) 1",
        "tf.Tensor(8, shape=(), dtype=int32, weak=True) 1",
        "tf.Tensor(6, shape=(), dtype=int32) 2",
        "(<tf.Tensor: shape=(), dtype=int16, numpy=4>, <tf.Tensor: shape=(), dtype=int32, numpy=5, weak=True>)",
    ]


@pytest.mark.thorough
def test_weak_tensors_are_pickled():
    assert run("print(pickle.loads(pickle.dumps(tf.constant(5))))") == [
        "tf.Tensor(5, shape=(), dtype=int32, weak=True)"
    ]


def test_the_mode_can_be_changed():
    found = run("""
i, h = tf.constant([1, 2]), tf.constant(3, tf.int16)
for mode in ("off", "legacy", "safe"):
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    print(repr(tf.constant(5)), tf.Variable(1).assign(2).numpy())
print(i + h)
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="legacy")
print(tf.constant(2) + h)
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="off")
try:
    tf.constant(2) + h
except tf.errors.InvalidArgumentError:
    print("refused")
""")
    assert found == [
        "<tf.Tensor: shape=(), dtype=int32, numpy=5> 2",
        "<tf.Tensor: shape=(), dtype=int32, numpy=5> 2",
        "<tf.Tensor: shape=(), dtype=int32, numpy=5, weak=True> 2",
        "tf.Tensor([4 5], shape=(2,), dtype=int16)",
        "tf.Tensor(5, shape=(), dtype=int32)",
        "refused",
    ]


def test_what_takes_part_in_no_conversion_is_taken_as_it_is():
    assert run("print(tf.ragged.constant([[1]]) * tf.constant(2))") == ["<tf.RaggedTensor [[2]]>"]
