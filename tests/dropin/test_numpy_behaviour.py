"""NumPy's behaviour of tensors: it stays, so each test is a process. The answers are TensorFlow's."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import tfcompat as tf

PROGRAM = """
import json, sys
import numpy as np
import tfcompat as tf

def told(expression):
    try:
        found = eval(expression)
        value = np.array(found).tolist() if tf.is_tensor(found) else found
    except Exception as error:
        return type(error).__name__
    return f"{found.dtype.name} {value}" if tf.is_tensor(found) else str(found)

given = json.loads(sys.argv[1])
for _ in range(2):
    tf.experimental.numpy.experimental_enable_numpy_behavior(**given["options"])
i, f, b = tf.constant([1, 2]), tf.constant([1.5, 2.5]), tf.constant([True, False])
m, v, n = tf.reshape(tf.range(12), (3, 4)), tf.Variable([1.5, 2.5]), tf.experimental.numpy
print(json.dumps([told(expression) for expression in given["expressions"]]))
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


@pytest.mark.parametrize(
    ("options", "wanted"),
    [({}, OPERATORS | SUBSCRIPTS | METHODS), ({"prefer_float32": True}, SINGLE)],
    ids=["behaviour", "prefer_float32"],
)
def test_tensors_behave_as_arrays(options, wanted):
    given = json.dumps({"options": options, "expressions": list(wanted)})
    ran = subprocess.run([sys.executable, "-c", PROGRAM, given], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert dict(zip(wanted, json.loads(ran.stdout), strict=True)) == wanted


@pytest.mark.parametrize(
    ("mode", "error"), [("safe", NotImplementedError), ("off", NotImplementedError), ("?", ValueError)]
)
def test_other_modes_of_conversion_are_refused(mode, error):
    with pytest.raises(error, match="dtype_conversion_mode must be"):
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    assert not hasattr(tf.constant(1), "astype")
