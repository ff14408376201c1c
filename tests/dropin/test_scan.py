"""Which symbols of TensorFlow a file is seen to name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfcompat._dropin.scan import check, is_supported, uses_in


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
        ("import numpy as np\nnp.add", []),
        ("from . import tensorflow\ntensorflow.add", []),
        ("import tensorflow as tf\n@tf.function\ndef f(x: tf.Tensor): pass", [(2, "function"), (3, "Tensor")]),
        ("import tensorflow_probability as tfp\ntfp.distributions", []),
    ],
)
def test_uses(tmp_path, code, expected):
    assert symbols(tmp_path, code) == expected


@pytest.mark.parametrize(
    "symbol", ["", "add", "nn.relu", "float32.name", "errors.InvalidArgumentError", "GradientTape.gradient", "bool"]
)
def test_supported(symbol):
    assert is_supported(symbol)


@pytest.mark.parametrize(
    "symbol", ["keras.layers.Dense", "data", "nn.foo", "Variable.foo", "_core", "compat.v1.Session"]
)
def test_not_supported(symbol):
    assert not is_supported(symbol)


def test_file_that_is_no_python_is_told(tmp_path, capsys):
    (tmp_path / "broken.py").write_text("x = (")
    assert check([str(tmp_path)]) == 1
    assert "broken.py: cannot be read: '(' was never closed" in capsys.readouterr().out


def test_supported_program_passes(capsys):
    assert check([str(Path(__file__).resolve().parents[2] / "examples")]) == 0
    assert ", 0 of which tfcompat does not have." in capsys.readouterr().out
