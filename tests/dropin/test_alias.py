"""`import tensorflow` after `install_as_tensorflow`."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import pickle
import sys
import types

import numpy as np
import pytest

import tfcompat
from tfcompat._dropin.alias import target_of


def forget_tensorflow():
    for name in [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]:
        del sys.modules[name]


@pytest.fixture
def alias(monkeypatch):
    """The alias, installed during a test."""
    forget_tensorflow()
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    tfcompat.install_as_tensorflow()
    yield
    forget_tensorflow()


@pytest.mark.usefixtures("alias")
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("import tensorflow as found", tfcompat),
        ("import tensorflow.math; found = tensorflow", tfcompat),
        ("import tensorflow.math as found", tfcompat.math),
        ("import tensorflow.config.experimental as found", tfcompat.config.experimental),
        ("import tensorflow.compat.v2 as found", tfcompat),
        ("import tensorflow.compat.v2.nn as found", tfcompat.nn),
        ("from tensorflow.compat import v2 as found", tfcompat),
        (
            "from tensorflow.compat.v2 import enable_v2_behavior as found; found()",
            tfcompat.compat.v1.enable_v2_behavior,
        ),
        ("from tensorflow import nn as found", tfcompat.nn),
        ("from tensorflow import reduce_sum as found", tfcompat.reduce_sum),
        ("from tensorflow.nn import relu as found", tfcompat.nn.relu),
    ],
)
def test_import_gives_what_stands_in_tfcompat(statement, expected):
    names = {}
    exec(statement, names)
    assert names["found"] is expected


@pytest.mark.usefixtures("alias")
def test_libraries_recognise_tensors_and_variables_by_their_modules():
    tensor, variable = tfcompat.constant(1.0), tfcompat.Variable(1.0)
    assert type(tensor).__module__ == "tensorflow.python.framework.ops"
    assert type(variable).__module__ == "tensorflow.python.ops.variables"
    for kind in (type(tensor), type(variable)):
        assert pickle.loads(pickle.dumps(kind)) is kind
    text = pickle.dumps([tensor, variable])
    assert [float(x) for x in pickle.loads(text)] == [1.0, 1.0]
    assert b"tensorflow" not in text  # a program without the alias can read it


@pytest.mark.usefixtures("alias")
def test_libraries_find_the_version_of_the_distribution():
    for name in ("tensorflow", "TensorFlow"):
        assert importlib.metadata.version(name) == tfcompat.__version__
    assert "tensorflow" in importlib.metadata.packages_distributions()["tensorflow"]
    assert importlib.metadata.version("numpy") == np.__version__
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("tensorflow-gpu")


@pytest.mark.usefixtures("alias")
def test_modules_keep_their_own_names_and_specs():
    for _ in range(2):
        assert importlib.util.find_spec("tensorflow").origin == tfcompat.__file__
        assert importlib.util.find_spec("tensorflow.nn").origin == tfcompat.nn.__file__
        found = importlib.import_module("tensorflow.nn")
        assert (found.__name__, found.__spec__.name) == ("tfcompat.nn", "tfcompat.nn")


@pytest.mark.usefixtures("alias")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tensorflow.no_such_name", "tfcompat has no tf.no_such_name yet; `python -m tfcompat guide supported` lists"),
        ("tensorflow.python.framework.no_such_name", "'tensorflow.python.framework.no_such_name': that is private"),
        ("tensorflow.lite.python.lite", "No module named 'tensorflow.lite.python'"),
        ("tensorflow._core.trace", "No module named 'tensorflow._core': that is private to TensorFlow"),
    ],
)
def test_module_that_is_missing_is_named(name, message):
    with pytest.raises(ModuleNotFoundError, match=message):
        importlib.import_module(name)


@pytest.mark.usefixtures("alias")
@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("from tensorflow import placeholder", "it is a name of TensorFlow 1, tf.compat.v1.placeholder$"),
        ("from tensorflow.nn import relu, no_such_name", "^tfcompat has no tf.nn.no_such_name yet; "),
        ("from tensorflow import reduce_summ", "^cannot import name 'reduce_summ' from 'tfcompat'"),
    ],
)
def test_import_of_a_missing_name_says_what_the_attribute_would(statement, message):
    with pytest.raises(ImportError, match=message):
        exec(statement, {})


@pytest.mark.usefixtures("alias")
def test_names_that_are_there_are_imported_from_tfcompat_as_before():
    names = {}
    exec("from tfcompat import nn, lite, autograph; import tfcompat.experimental.numpy", names)
    assert (names["nn"], names["lite"]) == (tfcompat.nn, tfcompat.lite)


@pytest.mark.usefixtures("alias")
def test_alias_goes_before_an_installed_tensorflow(tmp_path, monkeypatch):
    (tmp_path / "tensorflow.py").write_text("real = True")
    monkeypatch.syspath_prepend(tmp_path)
    assert importlib.import_module("tensorflow") is tfcompat


@pytest.mark.usefixtures("alias")
def test_installing_twice_is_installing_once():
    before = list(sys.meta_path)
    importlib.import_module("tensorflow")
    tfcompat.install_as_tensorflow()
    assert sys.meta_path == before


def test_imported_tensorflow_is_not_replaced(monkeypatch):
    real = types.ModuleType("tensorflow")
    real.__file__ = "/site-packages/tensorflow/__init__.py"
    monkeypatch.setitem(sys.modules, "tensorflow", real)
    before = list(sys.meta_path)
    with pytest.raises(ImportError, match="tensorflow has been imported already, from /site-packages/tensorflow"):
        tfcompat.install_as_tensorflow()
    assert sys.meta_path == before


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("tensorflow", "tfcompat"),
        ("tensorflow.nn", "tfcompat.nn"),
        ("tensorflow.compat.v2", "tfcompat"),
        ("tensorflow.compat.v2.nn", "tfcompat.nn"),
        ("tensorflow.compat.v20", "tfcompat.compat.v20"),
        ("tensorflow_probability", None),
        ("numpy", None),
    ],
)
def test_target_of_a_name(name, target):
    assert target_of(name) == target


def test_version_is_that_of_tensorflow():
    assert tfcompat.__version__ == tfcompat.version.VERSION == "2.21.0"
