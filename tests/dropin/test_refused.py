"""Unsupported symbols exist, and name an alternative when they are used."""

from __future__ import annotations

import sys
from typing import Optional

import pytest

import tfcompat as tf
from tests import oracle
from tfcompat._dropin.refused import Refused, refused
from tfcompat._dropin.support import support_of
from tfcompat._dropin.way_out import WAYS_OUT


@pytest.mark.parametrize("path", WAYS_OUT)
def test_refused_symbol_names_itself_and_the_way_out(path):
    found = tf
    for name in path.split("."):
        assert hasattr(found, name)
        found = getattr(found, name)
    assert isinstance(found, Refused)
    with pytest.raises(NotImplementedError) as caught:
        found(1, name="x")
    assert str(caught.value) == f"tf.{path} is not supported. {WAYS_OUT[path]}"
    assert WAYS_OUT[path].endswith((".", "?"))


def test_attribute_of_a_refused_symbol_is_refused():
    with pytest.raises(NotImplementedError, match=r"tf\.lite\.TFLiteConverter\.from_keras_model is not supported\. "):
        tf.lite.TFLiteConverter.from_keras_model(None)
    assert not hasattr(tf.lite.TFLiteConverter, "from_keras_model")


def test_refused_class_has_no_subclasses_and_no_instances():
    with pytest.raises(NotImplementedError, match=r"tf\.Graph is not supported"):

        class Graph(tf.Graph):
            pass

    assert not isinstance(tf.constant(1.0), tf.Graph)
    assert not isinstance(tf.constant(1.0), (str, tf.Operation))
    assert not issubclass(tf.Tensor, tf.Operation)


def test_refused_class_can_be_written_in_annotations():
    assert (tf.Graph | None) == Optional[tf.Graph]  # noqa: UP045
    assert (None | tf.Graph) == Optional[tf.Graph]  # noqa: UP045


def test_refused_namespace_has_only_tensorflows_names():
    assert not hasattr(tf.lite, "no_such_name")
    with pytest.raises(AttributeError, match=r"TensorFlow has no tf\.lite\.experimental\.no_such_name"):
        _ = tf.lite.experimental.no_such_name


def test_refused_namespace_can_be_imported(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("lite", "tpu"):
        monkeypatch.setitem(vars(tf), name, getattr(tf, name))
    tf.install_as_tensorflow()
    import tensorflow.tpu.experimental as experimental
    from tensorflow.lite import TFLiteConverter

    assert experimental is tf.tpu.experimental
    assert TFLiteConverter is tf.lite.TFLiteConverter
    with pytest.raises(ImportError, match="no_such_name"):
        from tensorflow.lite import no_such_name  # noqa: F401


def test_refused_symbols_are_tensorflows():
    known = oracle.signatures().keys()
    # TensorFlow loads these at the first access.
    late = ("compat.v1.layers.", "security.", "tools.")
    assert [path for path in WAYS_OUT if path not in known and not path.startswith(late)] == []


def test_refused_symbol_is_one_object():
    assert refused("Graph") is tf.Graph
    assert repr(tf.Graph) == "<tf.Graph, not supported>"


def test_refused_symbols_are_not_supported():
    assert support_of("newaxis").status == "supported"
    found = support_of("lite.TFLiteConverter.from_keras_model")
    assert found == ("refused", "lite", WAYS_OUT["lite.TFLiteConverter"], "")
