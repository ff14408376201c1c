"""Fingerprints of SavedModels."""

from __future__ import annotations

import json
import subprocess

import pytest

import tfcompat as tf
from tests.fuzz.oracle import interpreter
from tests.saved_model import models
from tfcompat._saved_model.messages.fingerprint import fingerprint_bytes
from tfcompat._saved_model.messages.message import saved_model_of

Fingerprint, read_fingerprint = tf.saved_model.experimental.Fingerprint, tf.saved_model.experimental.read_fingerprint
HASHES = ["graph_def_program_hash", "signature_def_hash", "saved_object_graph_hash", "checkpoint_hash"]
# The hashes that TensorFlow computes of its own models.
RECORDED = {
    "plain": [813441882937588946, 712606312767766848, 11315930068377922244, 3153337614550055463],
    "control": [8122842894714131143, 99560737574998474, 4848901546419720105, 17013201710908067133],
}
PROGRAM = """
import json, sys
from tensorflow.core.protobuf import fingerprint_pb2
from tensorflow.python.saved_model.pywrap_saved_model import fingerprinting
found = fingerprint_pb2.FingerprintDef.FromString(fingerprinting.CreateFingerprintDef(sys.argv[1]))
print(json.dumps([getattr(found, name) for name in sys.argv[2:]]))
"""


def hashes(fingerprint):
    return [getattr(fingerprint, name) for name in HASHES]


def saved(folder, value=2.0):
    module = tf.Module()
    module.v = tf.Variable(value)
    module.f = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, folder)


@pytest.mark.parametrize("name", RECORDED)
def test_hashes_are_those_of_tensorflow(name, tmp_path):
    models.recorded(tmp_path, [name])
    model = saved_model_of((tmp_path / name / "saved_model.pb").read_bytes(), name)
    index = (tmp_path / name / "variables" / "variables.index").read_bytes()
    assert hashes(Fingerprint.from_proto(fingerprint_bytes(model, index))) == RECORDED[name]


def test_fingerprint_of_a_saved_model(tmp_path):
    for name, value in (("one", 2.0), ("other", 3.0)):
        saved(tmp_path / name, value)
    one, other = read_fingerprint(tmp_path / "one"), read_fingerprint(str(tmp_path / "other"))
    assert one != other
    assert hashes(one)[:3] == hashes(other)[:3]  # only the values of variables differ
    assert one.checkpoint_hash != other.checkpoint_hash
    assert one.version.producer == 4
    assert one.singleprint() == "/".join(map(str, hashes(one)))
    assert str(one).splitlines()[:2] == [
        "SavedModel Fingerprint",
        f"  saved_model_checksum: {one.saved_model_checksum}",
    ]
    assert repr(one).startswith(f"Fingerprint({one.saved_model_checksum}, {one.graph_def_program_hash}, ")


def test_fingerprint_is_replaced_with_its_model(tmp_path):
    (tmp_path / "fingerprint.pb").write_bytes(b"old")
    saved(tmp_path)
    first = read_fingerprint(tmp_path)
    saved(tmp_path, 5.0)
    assert read_fingerprint(tmp_path).checkpoint_hash != first.checkpoint_hash


def test_missing_and_broken_fingerprints(tmp_path):
    with pytest.raises(FileNotFoundError, match="SavedModel Fingerprint Error"):
        read_fingerprint(tmp_path)
    (tmp_path / "fingerprint.pb").write_bytes(b"\xff\xff")
    with pytest.raises(RuntimeError, match="SavedModel Fingerprint Error"):
        read_fingerprint(tmp_path)
    with pytest.raises(ValueError, match="could not be deserialized"):
        Fingerprint.from_proto(3)
    with pytest.raises(ValueError, match="invalid fingerprint values"):
        Fingerprint(1, 2, 3).singleprint()


@pytest.mark.thorough
@pytest.mark.skipif(interpreter() is None, reason="no TensorFlow: `make .venv-tensorflow/oracle`")
def test_tensorflow_computes_the_same_hashes_of_models_that_are_saved_here(tmp_path):
    saved(tmp_path)
    names = ["saved_model_checksum", *HASHES]
    done = subprocess.run([interpreter(), "-c", PROGRAM, tmp_path, *names], stdout=subprocess.PIPE, check=True)
    fingerprint = read_fingerprint(tmp_path)
    assert json.loads(done.stdout) == [getattr(fingerprint, name) for name in names]
