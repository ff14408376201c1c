"""TensorBoard's reader finds the summaries that are written here."""

from __future__ import annotations

import base64
import functools
import io
import json
import subprocess
import wave

import numpy as np
import pytest

import tfcompat as tf
from tests.fuzz.oracle import ROOT, interpreter


@functools.cache
def has_tensorboard() -> bool:
    """Whether the interpreter of TensorFlow has the package tensorboard."""
    if interpreter() is None:
        return False
    looked = [str(interpreter()), "-c", "import importlib.util as u; raise SystemExit(not u.find_spec('tensorboard'))"]
    return subprocess.run(looked, check=False).returncode == 0


pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not has_tensorboard(), reason="no tensorboard: `make .venv-tensorflow/oracle`"),
]


def read(folder):
    command = [interpreter(), "-m", "tests.summary.tensorboard_reader", folder]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)


def content(values):
    return [base64.b64decode(value) for value in values]


def test_every_kind_is_read_back(tmp_path):
    @tf.function
    def traced(x):
        return tf.reduce_sum(x * 2.0)

    pixels = np.arange(2 * 3 * 4 * 3, dtype=np.uint8).reshape(2, 3, 4, 3)
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        for step in range(3):
            tf.summary.scalar("loss", tf.constant(1.5) * step, step=step, description="the *loss*")
        tf.summary.histogram("weights", [0.0, 1.0, 1.0, 4.0], step=5, buckets=4)
        tf.summary.image("pixels", pixels, step=6, max_outputs=1)
        tf.summary.audio("sound", tf.zeros([1, 8, 1]), 8000, step=7)
        tf.summary.text("words", ["one", "two"], step=8)
        tf.summary.write("plain", tf.constant([[1, 2]]), step=9)
        tf.summary.experimental.write_raw_pb(b"\x0a\x08\x0a\x01q\x15\x00\x00\x00\x40", step=10)
        tf.summary.graph(traced.get_concrete_function(tf.TensorSpec([2], tf.float32)))
    writer.close()

    found = read(tmp_path)
    assert [found[kind] for kind in ("scalars", "histograms", "images", "audio", "text")] == [
        *(["loss"], ["weights"], ["pixels"], ["sound"], ["words"]),
    ]
    assert found["descriptions"]["loss"] == "the *loss*"
    assert found["graph"] > 1
    tensors = found["tensors"]
    assert tensors["loss"] == [[0, 0.0], [1, 1.5], [2, 3.0]]
    assert tensors["weights"] == [[5, [[0.0, 1.0, 1.0], [1.0, 2.0, 2.0], [2.0, 3.0, 0.0], [3.0, 4.0, 1.0]]]]
    [[step, (width, height, picture)]] = [[step, content(value)] for step, value in tensors["pixels"]]
    assert (step, width, height) == (6, b"4", b"3")
    assert tf.io.decode_png(picture).numpy().tolist() == pixels[0].tolist()
    [[step, (sound, _)]] = [[step, content(value)] for step, value in tensors["sound"]]
    with wave.open(io.BytesIO(sound)) as clip:
        assert (step, clip.getframerate(), clip.getnframes()) == (7, 8000, 8)
    assert [[step, content(value)] for step, value in tensors["words"]] == [[8, [b"one", b"two"]]]
    assert tensors["plain"] == [[9, [[1, 2]]]]
    assert found["old scalars"] == {"q": [2.0]}


def test_events_of_a_function_are_read_back_in_order(tmp_path):
    @tf.function
    def step(count):
        tf.summary.scalar("count", count, step=tf.cast(count, tf.int64))

    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        for k in range(200):
            step(tf.constant(float(k)))
    writer.close()
    assert read(tmp_path)["tensors"]["count"] == [[k, float(k)] for k in range(200)]
