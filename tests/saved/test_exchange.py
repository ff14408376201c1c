"""TensorFlow's checkpoints are restored here, and those that are written here are restored by TensorFlow."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest

import tfcompat as tf
from tests.fuzz.oracle import ROOT, interpreter
from tests.saved import objects


@pytest.mark.parametrize("name", objects.OBJECTS)
def test_recorded_checkpoint_of_tensorflow_is_restored(name, tmp_path):
    expected = objects.restored(tmp_path)[name]
    assert objects.load(tmp_path, [name])[name] == expected


@pytest.mark.parametrize("name", objects.OBJECTS)
def test_saved_objects_are_restored(name, tmp_path):
    expected = objects.save(tmp_path, [name])[name]
    assert objects.load(tmp_path, [name])[name] == expected


@pytest.mark.parametrize("name", objects.OBJECTS)
def test_names_of_tensors_are_those_of_tensorflow(name, tmp_path):
    objects.restored(tmp_path)
    expected = {each for each, _ in tf.train.list_variables(str(tmp_path / f"{name}-1"))}
    saved = objects.OBJECTS[name][0](3).save(str(tmp_path / "own"))
    assert {each for each, _ in tf.train.list_variables(saved)} == expected


def test_models_of_tensorflow_continue_to_train(tmp_path):
    """With the losses of a model that was not saved."""
    objects.restored(tmp_path)
    checkpoint = objects.keras(1)
    checkpoint.restore(str(tmp_path / "keras-1")).assert_consumed()
    rates = [optimizer.iterations.numpy() for optimizer in (checkpoint.adam, checkpoint.sgd)]
    assert rates == [3, 3]
    own = objects.keras(3)
    assert objects.trained(checkpoint, 1)[0] == pytest.approx(objects.trained(own, 1)[0], rel=1e-5)


@pytest.mark.thorough
@pytest.mark.skipif(interpreter() is None, reason="no TensorFlow: `make .venv-tensorflow/oracle`")
def test_tensorflow_and_tfcompat_restore_each_other_s_checkpoints(tmp_path):
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    saved = _by_tensorflow("save", theirs)
    assert objects.load(theirs, list(objects.OBJECTS)) == saved
    saved = objects.save(ours, list(objects.OBJECTS))
    assert _by_tensorflow("load", ours) == saved


def _by_tensorflow(way: str, folder: pathlib.Path) -> dict[str, list[object]]:
    done = subprocess.run(
        [interpreter(), "-m", "tests.saved.objects", way, folder],
        cwd=ROOT,
        env={**os.environ, "TFCOMPAT_SUBJECT": "tensorflow"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return json.loads(done.stdout)
