"""Checkpoints are written by a thread while the program continues."""

from __future__ import annotations

import inspect
import threading

import pytest

import tfcompat as tf
from tfcompat._saved.background import Background

Options = tf.train.CheckpointOptions


def test_values_are_those_of_the_call(tmp_path):
    v = tf.Variable([1.0])
    checkpoint = tf.train.Checkpoint(v=v)
    paths = []
    for _ in range(5):
        paths.append(checkpoint.save(str(tmp_path / "ck"), Options(enable_async=True)))
        v.assign_add([1.0])
    checkpoint.sync()
    assert paths == [str(tmp_path / f"ck-{number}") for number in (1, 2, 3, 4, 5)]
    found = [tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")[0] for path in paths]
    assert found == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert tf.train.latest_checkpoint(str(tmp_path)) == paths[-1]
    checkpoint.restore(paths[1], Options(enable_async=True)).assert_consumed()
    assert v.numpy() == [2.0]


def test_manager_notes_checkpoints_when_they_are_written(tmp_path):
    kept = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1)), str(tmp_path), 2)
    options = Options(experimental_enable_async_checkpoint=True)
    for _ in range(3):
        kept.save(options=options)
    kept.sync()
    assert kept.checkpoints == [str(tmp_path / "ckpt-2"), str(tmp_path / "ckpt-3")]
    assert kept.latest_checkpoint == kept.checkpoints[-1]


def test_error_of_writing_is_raised_by_the_next_call():
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))
    options = Options(enable_async=True)
    errors = []
    for _ in range(3):
        try:
            checkpoint.save("/proc/no/ck", options)
        except tf.errors.NotFoundError as error:
            errors.append(error.message)
    assert errors
    assert all("/proc/no" in message for message in errors)


def test_thread_that_cannot_start_leaves_nothing_to_wait_for(tmp_path, monkeypatch):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))

    def refused(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        checkpoint.save(str(tmp_path / "ck"), Options(enable_async=True))
    monkeypatch.undo()
    checkpoint.sync()
    path = checkpoint.save(str(tmp_path / "ck"), Options(enable_async=True))
    checkpoint.sync()
    assert tf.train.latest_checkpoint(str(tmp_path)) == path


def test_checkpoint_of_a_signal_handler_between_the_wait_and_the_start_is_waited_for(monkeypatch):
    background, done, is_begun = Background(), [], threading.Event()
    wait = background.wait

    def write():
        assert is_begun.wait(60)
        done.append("handler")

    def waited():
        wait()
        monkeypatch.undo()
        background.submit(write)

    monkeypatch.setattr(background, "wait", waited)
    background.submit(lambda: done.append("program"))
    is_begun.set()
    background.wait()
    assert done == ["handler", "program"]


def test_callbacks_are_called_with_the_prefix(tmp_path):
    calls = []
    options = Options(experimental_write_callbacks=[lambda: calls.append("none"), calls.append])
    path = tf.train.Checkpoint(v=tf.Variable(1)).save(str(tmp_path / "ck"), options)
    assert calls == ["none", path]
    assert len(options.experimental_write_callbacks) == 2
    with pytest.raises(AssertionError):
        Options(experimental_write_callbacks=[divmod])


def test_options_are_checked():
    assert next(iter(inspect.signature(Options).parameters)) == "experimental_io_device"
    assert Options(enable_async=True).experimental_enable_async_checkpoint
    for device in ("/job:localhost", "/job:localhost/replica:0/task:0/device:CPU:0", "/GPU:0", "CPU"):
        assert Options(experimental_io_device=device).experimental_io_device == device
    with pytest.raises(ValueError, match="of type ShardingCallback"):
        Options(experimental_sharding_callback=3)


def test_written_checkpoints_have_a_counter(tmp_path):
    """Those of `write` have none otherwise."""
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1))
    path = checkpoint.write(str(tmp_path / "ck"), Options(enable_async=True))
    checkpoint.sync()
    assert tf.train.load_variable(path, "save_counter/.ATTRIBUTES/VARIABLE_VALUE") == 0
    other = tf.train.Checkpoint(v=tf.Variable(0))
    with pytest.raises(AssertionError):
        other.read(path).assert_consumed()
    other.restore(path).assert_consumed()
    assert [int(other.v), int(other.save_counter)] == [1, 0]
