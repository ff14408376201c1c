"""TensorFlow's SavedModels are loaded here, and those that are written here are loaded by TensorFlow."""

from __future__ import annotations

import json
import math
import os
import pathlib
import subprocess

import pytest

from tests.daily import thorough, without
from tests.fuzz.oracle import ROOT, interpreter
from tests.saved_model import models

OWN = models.PROGRAMS
NEEDS_TENSORFLOW = pytest.mark.skipif(interpreter() is None, reason="no TensorFlow: `make .venv-tensorflow/oracle`")


def require_close(found, expected):
    """Results that are equal, numbers up to their last digits."""
    assert type(found) is type(expected), (found, expected)
    if isinstance(expected, dict):
        found, expected = [[each for _, each in sorted(one.items())] for one in (found, expected)]
    if isinstance(expected, list):
        assert len(found) == len(expected), (found, expected)
        for one, other in zip(found, expected, strict=True):
            require_close(one, other)
    elif isinstance(expected, float):
        assert math.isclose(found, expected, rel_tol=2e-4, abs_tol=2e-6), (found, expected)
    else:
        assert found == expected


LONG = {"cnn", "lstm", "stateless_truncated", "stateless_integers", "stateless_uniform", "vectorized"}


@pytest.mark.parametrize("name", without(LONG, models.KINDS))
def test_recorded_model_of_tensorflow_computes_the_same(name, tmp_path):
    expected = models.recorded(tmp_path, [name])[name]
    require_close(models.load(tmp_path, [name])[name], expected)


@pytest.mark.parametrize("name", without(LONG | {"functional"}, OWN))
def test_saved_model_computes_the_same(name, tmp_path):
    """Without its class, and with TensorFlow's results: values and gradients."""
    models.save(tmp_path, [name])
    require_close(models.load(tmp_path, [name])[name], models.recorded(tmp_path / "recorded", [])[name])


@pytest.mark.parametrize("name", ["plain", "tree", thorough("control")])
def test_loaded_model_is_saved_again(name, tmp_path):
    models.recorded(tmp_path, [name])
    models.tf.saved_model.save(models.tf.saved_model.load(str(tmp_path / name)), str(tmp_path / "again"))
    require_close(models.load(tmp_path, [name])[name], models.recorded(tmp_path / "recorded", [])[name])
    found = models.results(name, models.tf.saved_model.load(str(tmp_path / "again")))
    require_close(found, models.recorded(tmp_path / "recorded", [])[name])


@pytest.mark.thorough
@NEEDS_TENSORFLOW
def test_tensorflow_and_tfcompat_load_each_other_s_models(tmp_path):
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    by_tensorflow("save", theirs, list(models.KINDS))
    expected = by_tensorflow("load", theirs, list(models.KINDS))
    require_close(models.load(theirs, list(models.KINDS)), expected)
    models.save(ours, OWN)
    require_close(by_tensorflow("load", ours, OWN), {name: expected[name] for name in OWN})
    require_close(by_tensorflow("serve", ours, [])["plain"], expected["plain"][0])


def by_tensorflow(way: str, folder: pathlib.Path, names: list[str]) -> dict[str, list[object]]:
    done = subprocess.run(
        [interpreter(), "-m", "tests.saved_model.models", way, folder, *names],
        cwd=ROOT,
        env={**os.environ, "TFCOMPAT_SUBJECT": "tensorflow"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return json.loads(done.stdout or "{}")
