"""Protobuf is loaded only where it is used."""

from __future__ import annotations

import subprocess
import sys

from tfcompat._data.format.message import MESSAGES

SCRIPT = """
import sys
import tfcompat as tf
rows = [b"\\n\\x00"] * 30
tf.io.parse_example(rows, {"a": tf.io.VarLenFeature(tf.int64)})
assert hasattr(tf, "train") and tf.compat.v1.train and "Example" in dir(tf.train)
assert "google.protobuf" not in sys.modules
assert {names} <= set(dir(tf.train))
tf.train.Example()
assert "google.protobuf" in sys.modules
"""


def test_protobuf_is_loaded_when_a_message_is_used():
    subprocess.run([sys.executable, "-c", SCRIPT.replace("{names}", repr(set(MESSAGES)))], check=True)
