"""Keras 2, the package tf_keras, trains on tfcompat as on TensorFlow 2.21, which has printed these numbers."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("keras_2_program.py")
# Losses, metrics and predictions of the functions of the program.
EXPECTED = {
    "sequential": [4.659939765930176, 4.580468654632568, 4.535260200500488, 1.6551969051361084, 0.27842503786087036],
    "functional": [1.1926649808883667, 0.4345407783985138, 0.34514859318733215, 0.2738480269908905],
    "subclassed": [3.60380220413208, 3.568037986755371],
    "weights": [-0.1830887347459793],
    "loop": [3.8899643421173096, 3.7445530891418457, 3.6109507083892822, 3.7484893798828125],
    "vectorization": [3, 4],
    "saved_models": [-0.3422667384147644, 0.694568395614624, 0.0009634746238589287, 0.9369879364967346],
    "lists": [8.0, 8.0, 0.800000011920929, 1.0, 4.0, 15.0, 0.0, 0.0, -2.0, 2.0, 4.0, 32.0],
    "numbers": [0.0, -3.0, 2.0, 8.0, 3.0, 0.75, 2.0, 16.0, 3.0, 2.0, 3.0, 2.0],
}


@pytest.mark.skipif(importlib.util.find_spec("tf_keras") is None, reason="tf_keras is not installed")
def test_models_train_as_on_tensorflow():
    command = [sys.executable, "-m", "tfcompat", str(PROGRAM)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == 0, done.stderr
    found = dict(map(json.loads, done.stdout.splitlines()))
    assert list(found) == list(EXPECTED)
    for name, values in EXPECTED.items():
        assert found[name] == pytest.approx(values, rel=1e-5), name
