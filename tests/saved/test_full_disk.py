"""A checkpoint for which the disk has no room."""

from __future__ import annotations

import os
import resource

import numpy as np
import pytest

import tfcompat as tf


def test_a_checkpoint_without_room_raises_and_keeps_the_last_one(tmp_path):
    """The part of a checkpoint that fits is removed, so that there is room again."""
    saved = tf.train.Checkpoint(v=tf.Variable(np.ones(100_000, np.float32)))
    manager = tf.train.CheckpointManager(saved, tmp_path, 3)
    first = manager.save()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(tf.errors.OutOfRangeError):
            manager.save()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert tf.train.latest_checkpoint(tmp_path) == first
    assert not [path.name for path in tmp_path.glob("ckpt-2*") if path.is_file()]


def test_a_model_without_room_raises_and_keeps_the_one_before(tmp_path):
    model = tf.Module()
    model.v = tf.Variable(np.ones(10, np.float32))
    tf.saved_model.save(model, tmp_path / "model")
    larger = tf.Module()
    larger.v = tf.Variable(np.ones(100_000, np.float32))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        for name in ("model", "other"):
            with pytest.raises(tf.errors.OutOfRangeError):
                tf.saved_model.save(larger, tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert tf.saved_model.load(tmp_path / "model").v.shape == [10]
    assert not tf.saved_model.contains_saved_model(tmp_path / "other")
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) < 200_000


def test_a_checkpoint_without_a_descriptor_for_its_index_is_removed(tmp_path):
    """The last descriptor is that of the data file."""
    saved = tf.train.Checkpoint(v=tf.Variable(1.0))
    saved.save(tmp_path / "first")
    before = sorted(os.listdir(tmp_path))
    last = os.dup(0)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (last + 1, hard))
    os.close(last)
    try:
        with pytest.raises(tf.errors.ResourceExhaustedError):
            saved.save(tmp_path / "second")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert sorted(os.listdir(tmp_path)) == before
