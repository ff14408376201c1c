"""Checkpoints, SavedModels and summaries in folders that cannot be written or have gone."""

from __future__ import annotations

import os
import shutil
import tempfile
import textwrap

import pytest

import tfcompat as tf
from tests import forked
from tests.fuzz.oracle import ROOT

NOBODY = 65534


@pytest.fixture
def folder():
    """A folder that other users can enter, unlike `tmp_path`."""
    path = tempfile.mkdtemp()
    os.chmod(path, 0o755)
    yield path
    for place, _, _ in os.walk(path):
        os.chmod(place, 0o755)
    shutil.rmtree(path)


def test_read_only_folder_keeps_its_files(folder):
    """In a process of a user who may not write everywhere."""
    code = f"""
    import os, sys
    import tfcompat as tf

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable([1.0, 2.0])

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def __call__(self, x):
            return x * self.v[1]

    def refused(function, *args):
        try:
            function(*args)
        except tf.errors.PermissionDeniedError:
            return
        raise AssertionError(function)

    folder, model = sys.argv[1], Model()
    checkpoint = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(checkpoint, folder + "/kept", 2)
    first = manager.save()
    tf.saved_model.save(model, folder + "/model")
    load = lambda: tf.saved_model.load(folder + "/model")(tf.constant([3.0])).numpy().tolist()
    load()  # imports all that it needs while all folders can be read
    for place, folders, files in os.walk(folder):
        for name in files:
            os.chmod(os.path.join(place, name), 0o444)
        os.chmod(place, 0o555)
    if os.getuid() == 0:
        os.setuid({NOBODY})
    model.v.assign([9.0, 9.0])
    refused(manager.save)
    refused(checkpoint.write, first)
    refused(checkpoint.save, folder + "/new/ck")
    refused(tf.saved_model.save, model, folder + "/model")
    refused(tf.saved_model.save, model, folder + "/other")
    refused(tf.summary.create_file_writer, folder + "/kept")
    assert tf.train.latest_checkpoint(folder + "/kept") == first == manager.latest_checkpoint
    assert manager.checkpoints == [first]
    checkpoint.restore(first).assert_consumed()
    print(model.v.numpy().tolist(), load())
    """
    done = forked.run(["-c", textwrap.dedent(code), folder], cwd=ROOT, timeout=200)
    assert done.stdout == "[1.0, 2.0] [6.0]\n", done.stderr


def test_folder_that_has_gone_is_made_again(tmp_path):
    folder = tmp_path / "kept"
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, folder, 2)
    first = manager.save()
    shutil.rmtree(folder)
    assert tf.train.latest_checkpoint(folder) is None
    with pytest.raises(tf.errors.NotFoundError):
        manager.restore_or_initialize()
    second, third = manager.save(), manager.save()
    assert manager.checkpoints == [second, third]
    assert first not in manager.checkpoints
    checkpoint.restore(tf.train.latest_checkpoint(folder)).assert_consumed()


def test_working_folder_that_has_gone(tmp_path, monkeypatch):
    model = tf.Module()
    model.v = tf.Variable(1.0)
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for save in (
        lambda: tf.train.Checkpoint(model=model).save("ck"),
        lambda: tf.saved_model.save(model, "model"),
        lambda: tf.summary.create_file_writer("logs"),
    ):
        with pytest.raises(tf.errors.NotFoundError):
            save()


@pytest.mark.parametrize("name", ["ck-1.index", "checkpoint"])
def test_folder_in_the_place_of_a_file(name, tmp_path):
    (tmp_path / name).mkdir()
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.train.Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "ck"))
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
