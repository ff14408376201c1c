"""Functions of strings, tables, ragged and sparse tensors, and of results whose sizes depend on values, are saved."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

import tfcompat as tf
from tests.fuzz.oracle import ROOT, interpreter
from tests.saved_model.staged_models import CASES, results, save, texts

NEEDS_TENSORFLOW = pytest.mark.skipif(interpreter() is None, reason="no TensorFlow: `make .venv-tensorflow/oracle`")


@pytest.mark.parametrize("name", CASES)
def test_saved_function_computes_the_same(name, tmp_path):
    module = save(name, str(tmp_path))
    assert results(name, tf.saved_model.load(str(tmp_path)).f) == results(name, module.f)


@pytest.mark.thorough
@NEEDS_TENSORFLOW
def test_tensorflow_computes_the_same(tmp_path):
    expected = {name: results(name, save(name, str(tmp_path / name)).f) for name in CASES}
    done = subprocess.run(
        [interpreter(), "-m", "tests.saved_model.staged_models", tmp_path],
        cwd=ROOT,
        env={**os.environ, "TFCOMPAT_SUBJECT": "tensorflow"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(expected, default=bytes.decode))


def test_tables_variables_and_signature(tmp_path):
    module = tf.Module()
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    module.table = tf.lookup.StaticHashTable(words, 2)
    module.rows = tf.Variable([[1.0], [2.0], [3.0]])
    module.calls = tf.Variable(0)

    @tf.function(input_signature=[texts(None)])
    def embedded(keys):
        module.calls.assign_add(1)
        return {"rows": tf.gather(module.rows, module.table.lookup(keys)), "keys": keys}

    module.f = embedded
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    loaded.rows.assign_add([[1.0]] * 3)
    found = loaded.signatures["serving_default"](keys=tf.constant(["b", "z"]))
    assert {key: value.numpy().tolist() for key, value in found.items()} == {
        "rows": [[3.0], [4.0]],
        "keys": [b"b", b"z"],
    }
    assert loaded.f(tf.constant(["a"]))["rows"].numpy().tolist() == [[2.0]]
    assert loaded.calls.numpy() == 2
    again = tf.saved_model.load(str(tmp_path))
    assert again.f(tf.constant(["a"]))["rows"].numpy().tolist() == [[1.0]]


def test_string_values_of_calls_are_arguments(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda s: tf.strings.upper(s))
    module.f(tf.constant("first"))
    tf.saved_model.save(module, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).f(tf.constant("other")).numpy() == b"OTHER"


def test_method_of_strings_is_saved(tmp_path):
    class Reader(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2.0)

        @tf.function(input_signature=[texts(None)])
        def __call__(self, texts):
            scale = self.scale
            if tf.size(texts) > 2:
                scale = scale + 1.0
            return tf.strings.to_number(texts) * scale

    reader = Reader()
    tf.saved_model.save(reader, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded(tf.constant(["1", "2"])).numpy().tolist() == [2.0, 4.0]
    assert loaded(tf.constant(["1", "2", "3"])).numpy().tolist() == [3.0, 6.0, 9.0]
