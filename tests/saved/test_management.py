"""`tf.train.CheckpointManager` keeps the latest checkpoints of a folder, and the file `checkpoint` names them."""

from __future__ import annotations

import gc
import logging
import os
import time

import pytest

import tfcompat as tf


def manager(folder, v=None, **options):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(0) if v is None else v)
    return tf.train.CheckpointManager(checkpoint, str(folder), **{"max_to_keep": 2, **options})


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix == ".index")


def test_oldest_checkpoints_are_deleted(tmp_path):
    kept = manager(tmp_path)
    assert (kept.latest_checkpoint, kept.checkpoints, kept.directory) == (None, [], str(tmp_path))
    for number in (1, 2, 3):
        assert kept.save() == str(tmp_path / f"ckpt-{number}")
    assert kept.checkpoints == [str(tmp_path / "ckpt-2"), str(tmp_path / "ckpt-3")]
    assert names(tmp_path) == ["ckpt-2.index", "ckpt-3.index"]
    assert len(list(tmp_path.iterdir())) == 5
    assert kept.latest_checkpoint == tf.train.latest_checkpoint(tmp_path) == kept.checkpoints[-1]


def test_none_keeps_all(tmp_path):
    kept = manager(tmp_path, max_to_keep=None, checkpoint_name="model")
    for _ in range(4):
        kept.save()
    assert names(tmp_path) == [f"model-{number}.index" for number in (1, 2, 3, 4)]


def test_a_new_manager_continues_with_the_folder(tmp_path):
    v = tf.Variable(0)
    first = manager(tmp_path, v)
    for number in (1, 2):
        v.assign(number)
        first.save()
    v.assign(9)
    second = manager(tmp_path, v)
    assert second.checkpoints == first.checkpoints
    assert second.restore_or_initialize() == first.latest_checkpoint
    assert (v.numpy(), second.checkpoint.save_counter.numpy()) == (2, 2)
    second.save()
    assert names(tmp_path) == ["ckpt-2.index", "ckpt-3.index"]


def test_numbers_may_be_given(tmp_path):
    kept = manager(tmp_path)
    assert kept.save(checkpoint_number=7) == str(tmp_path / "ckpt-7")
    assert kept.save(checkpoint_number=tf.constant(7, tf.int64)) == str(tmp_path / "ckpt-7")
    assert kept.checkpoints == [str(tmp_path / "ckpt-7")]
    assert kept.checkpoint.read(kept.latest_checkpoint).assert_existing_objects_matched()


def test_some_checkpoints_are_kept_for_good(tmp_path, monkeypatch):
    now = [10_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    kept = manager(tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=0.5)
    for _ in range(8):
        now[0] += 600.0
        kept.save()
    assert kept.checkpoints == [str(tmp_path / "ckpt-8")]
    assert names(tmp_path) == ["ckpt-3.index", "ckpt-6.index", "ckpt-8.index"]


def test_interval_of_steps(tmp_path):
    step = tf.Variable(0)
    kept = manager(tmp_path, step, step_counter=step, checkpoint_interval=3)
    assert kept.checkpoint_interval == 3
    found = []
    for number in range(8):
        step.assign(number)
        found.append(kept.save() is not None)
    assert found == [number % 3 == 0 for number in range(8)]
    assert kept.save(check_interval=False) is not None
    assert kept.save(check_interval=False) is None
    again = manager(tmp_path, step, step_counter=step, checkpoint_interval=3)
    again.restore_or_initialize()
    step.assign(9)
    assert again.save() is None
    step.assign(10)
    assert again.save() is not None


def test_without_a_checkpoint_the_function_initialises(tmp_path):
    calls = []
    kept = manager(tmp_path, init_fn=lambda: calls.append(1))
    assert kept.restore_or_initialize() is None
    kept.save()
    assert kept.restore_or_initialize() == kept.latest_checkpoint
    assert calls == [1]


@pytest.mark.parametrize("options", [{"max_to_keep": 0}, {"checkpoint_interval": 3}])
def test_arguments_are_checked(tmp_path, options):
    with pytest.raises(ValueError, match=r"Expected a positive integer|`step_counter` should be passed"):
        manager(tmp_path, **options)


def test_state_of_a_folder(tmp_path):
    assert tf.train.get_checkpoint_state(str(tmp_path)) is None
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    kept = manager(tmp_path)
    kept.save()
    kept.save()
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert state.model_checkpoint_path == kept.latest_checkpoint
    assert list(state.all_model_checkpoint_paths) == kept.checkpoints
    assert len(state.all_model_checkpoint_timestamps) == 2
    assert 0 < state.last_preserved_timestamp < state.all_model_checkpoint_timestamps[0]


@pytest.mark.parametrize("text", ["model_checkpoint_path", 'other: "x"', "\0"])
def test_broken_state_is_ignored_with_a_warning(tmp_path, text, caplog):
    (tmp_path / "checkpoint").write_text(text)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert tf.train.latest_checkpoint(str(tmp_path)) is None
    assert "Checkpoint ignored" in caplog.text


def test_state_that_names_no_files(tmp_path):
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "ck-1"')
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    (tmp_path / "checkpoint").write_text('all_model_checkpoint_paths: "ck-1"')
    with pytest.raises(ValueError, match="Invalid checkpoint state"):
        tf.train.get_checkpoint_state(str(tmp_path))


def test_iterator_waits_for_checkpoints(tmp_path):
    kept = manager(tmp_path)
    kept.save()
    found = tf.train.checkpoints_iterator(str(tmp_path), timeout=0)
    assert next(found) == str(tmp_path / "ckpt-1")
    kept.save()
    assert next(found) == str(tmp_path / "ckpt-2")
    assert list(found) == []
    calls = []
    ended = tf.train.checkpoints_iterator(str(tmp_path), timeout=0, timeout_fn=lambda: bool(calls.append(1)) or True)
    assert list(ended) == [str(tmp_path / "ckpt-2")]
    assert calls == [1]


def test_interrupted_deletion_is_continued_by_the_next_save(tmp_path, monkeypatch):
    kept = manager(tmp_path)
    kept.save()
    kept.save()
    remove = os.remove

    def interrupted(path):
        remove(path)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "remove", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kept.save()
    monkeypatch.undo()
    kept.save()
    assert names(tmp_path) == ["ckpt-3.index", "ckpt-4.index"]
    assert not [*tmp_path.glob("ckpt-1*")]


def test_files_of_other_checkpoints_are_kept(tmp_path):
    """Also if their names begin like that of a checkpoint that is deleted, which has characters of patterns."""
    folder = tmp_path / "a[1]*"
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, folder, 1, checkpoint_name="ck[0-9]?")
    first = manager.save(checkpoint_number=1)
    other = checkpoint.write(first + "0")
    (folder / "ck[0-9]?-1.data-note").write_text("kept")
    second = manager.save(checkpoint_number=2)
    names = {path.name for path in folder.iterdir()}
    assert {name for name in names if name.endswith(".index")} == {
        f"{path}.index"[len(str(folder)) + 1 :] for path in (other, second)
    }
    assert "ck[0-9]?-1.data-note" in names
    checkpoint.read(other).assert_consumed()


def test_many_saves_keep_no_memory(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 2)

    def objects():
        for _ in range(30):
            manager.save()
        gc.collect()
        return len(gc.get_objects())

    objects()
    before = objects()
    assert objects() < before + 20
