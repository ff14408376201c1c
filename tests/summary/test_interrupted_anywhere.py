"""An interrupt at any place of a call that writes or flushes summaries reaches the user, and no event is lost."""

from __future__ import annotations

import time

import pytest

import tfcompat as tf
from tests import repetition
from tests.checkpoint import interrupted
from tests.summary.event_reader import events, scalars
from tfcompat._summary import channel
from tfcompat._summary.state import state

pytestmark = pytest.mark.soak

# `make soak` interrupts all of about 300 places.
STRIDE = 1 if repetition.count(10) == 10 else 7


def test_interrupted_flush(tmp_path):
    v, writer, number = tf.Variable(1.0), tf.summary.create_file_writer(str(tmp_path)), 0

    def prepare():
        nonlocal number
        number += 1
        with writer.as_default():
            tf.summary.scalar("x", v * number, step=number)
            tf.summary.scalar("pending", tf.reduce_sum(tf.fill([10], v * 2.0)), step=number)

    prepare()
    for is_raised in interrupted(writer.flush, 1, prepare):
        assert is_raised
    writer.close()
    assert [step for tag, step, _ in scalars(tmp_path) if tag == "x"] == list(range(1, number + 1))


def test_interrupted_step_with_a_summary(tmp_path):
    v, writer, number = tf.Variable(1.0), tf.summary.create_file_writer(str(tmp_path)), 0

    def step():
        nonlocal number
        number += 1
        v.assign_add(1.0)
        with writer.as_default(step=number):
            tf.summary.scalar("x", v * 2.0)
            tf.summary.histogram("h", tf.fill([3], v))
            tf.summary.flush()

    places = 0
    for is_raised in interrupted(step, STRIDE, lambda: None):
        assert is_raised
        places += 1
    writer.close()
    found = [event.step for event in events(tmp_path) if event.tag() == "x"]
    assert len(found) == len(set(found)) > places // 10


def test_events_after_an_interrupted_summary_are_written_without_a_flush(tmp_path, monkeypatch):
    monkeypatch.setattr(channel, "_PAUSE", 1e-3)
    monkeypatch.setattr(state, "writer", None)
    folders = []

    def prepare():
        folders.append(tmp_path / str(len(folders)))
        tf.summary.create_file_writer(str(folders[-1]), max_queue=0).set_as_default()

    def write():
        tf.summary.scalar("x", 1.0, step=0)

    places = 0
    for is_raised in interrupted(write, 1, prepare):
        assert is_raised
        places += 1
        tf.summary.scalar("y", 2.0, step=1)
        limit = time.monotonic() + 60
        while ("y", 1, 2.0) not in scalars(folders[-1]):
            assert time.monotonic() < limit
            time.sleep(1e-3)
    assert places > 20
