"""The TensorFlow symbols found in a file."""

from __future__ import annotations

import pytest

from tfcompat._dropin.scan import uses_in


def symbols(tmp_path, code):
    path = tmp_path / "program.py"
    path.write_text(code)
    return [(use.line, use.symbol) for use in uses_in(path)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import tensorflow as tf\ntf.nn.relu(tf.ones([2]))", [(2, "nn.relu"), (2, "ones")]),
        ("import tensorflow\ntensorflow.add(1, 2).numpy()", [(2, "add")]),
        ("import tfcompat as tf\ntf.add", [(2, "add")]),
        ("import tensorflow.compat.v2 as tf\ntf.add", [(2, "add")]),
        ("import tensorflow as tf\ntf.compat.v2.add", [(2, "add")]),
        ("import tensorflow.keras.layers as L\nL.Dense(3)", [(1, "keras.layers"), (2, "keras.layers.Dense")]),
        ("import tensorflow.nn\ntensorflow.nn.relu", [(1, "nn"), (2, "nn.relu")]),
        ("from tensorflow import nn as n\nn.relu", [(1, "nn"), (2, "nn.relu")]),
        ("from tensorflow.nn import relu\nrelu(x)", [(1, "nn.relu")]),
        ("from tensorflow.keras.layers import *", [(1, "keras.layers")]),
        ("from tensorflow import *", []),
        ("import numpy as np\nnp.add", []),
        ("from . import tensorflow\ntensorflow.add", []),
        ("import tensorflow as tf\n@tf.function\ndef f(x: tf.Tensor): pass", [(2, "function"), (3, "Tensor")]),
        ("import tensorflow_probability as tfp\ntfp.distributions", []),
    ],
)
def test_uses(tmp_path, code, expected):
    assert symbols(tmp_path, code) == expected
