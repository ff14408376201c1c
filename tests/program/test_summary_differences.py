"""Known differences of summaries; `migration_guide/differences.md` lists each."""

from __future__ import annotations

import sys
import time

import pytest

import tfcompat as tf
from tests.summary.event_reader import events, fields, scalars


def test_blocks_in_a_loop_do_not_wait(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    for k in range(3):
        x = tf.constant(float(k)) + 1.0
        with writer.as_default():
            tf.summary.scalar("x", x, step=k)
    assert len(events(tmp_path)) == 1
    writer.flush()
    assert scalars(tmp_path) == [("x", 0, 1.0), ("x", 1, 2.0), ("x", 2, 3.0)]


def test_removed_files_of_events_are_reported(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tf.summary.scalar("x", 1.0, step=0)
        next(tmp_path.glob("*")).unlink()
        with pytest.raises(tf.errors.NotFoundError):
            writer.flush()


def test_summaries_need_no_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    monkeypatch.setitem(sys.modules, "tensorboard.summary", None)
    monkeypatch.setitem(sys.modules, "tensorboard.summary.v2", None)
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0):
        tf.summary.scalar("x", 1.0)
        tf.summary.text("t", "a")
    assert len(events(tmp_path)) == 2


def test_graphs_of_summaries_have_recorded_steps(tmp_path):
    concrete = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([3]))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.graph(concrete)
    [event] = events(tmp_path)
    [graph] = fields(event.content)[4]
    assert [fields(node)[2] for node in fields(graph)[1]] == [[b"argument"], [b"multiply"]]


def test_writer_made_in_a_function_is_kept(tmp_path):
    @tf.function
    def inside(x):
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default(step=0):
            tf.summary.scalar("x", x)
        writer.close()

    inside(tf.constant(1.0))
    deadline = time.monotonic() + 60
    while not events(tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert scalars(tmp_path) == [("x", 0, 1.0)]
