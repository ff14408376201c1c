"""Writers of summaries: files, default writers, default steps, flushes, and what happens after the end."""

from __future__ import annotations

import gc
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import tfcompat as tf
from tests.summary.event_reader import events, files, records, scalars


@pytest.fixture(autouse=True)
def no_default_writer():
    yield
    tf.summary.experimental.set_step(None)


def test_file_is_made_at_once_with_its_first_event(tmp_path):
    before = int(time.time())
    writer = tf.summary.create_file_writer(str(tmp_path / "new" / "folder"), filename_suffix=".mine")
    [path] = files(tmp_path / "new" / "folder")
    [first] = records(path)
    parts = path.name.removeprefix("events.out.tfevents.").split(".")
    assert before <= int(parts[0]) <= time.time()
    assert path.name.endswith(".mine")
    assert f".{socket.gethostname()}.{os.getpid()}." in path.name
    assert first.wall_time == int(first.wall_time)
    assert (first.step, first.content) == (
        0,
        b"\x1a\x0dbrain.Event:2\x52\x24\x0a\x22tensorflow.core.util.events_writer",
    )
    writer.close()


def test_writers_of_one_folder_have_files_of_their_own(tmp_path):
    writers = [tf.summary.create_file_writer(str(tmp_path)) for _ in range(3)]
    for k, writer in enumerate(writers):
        with writer.as_default():
            tf.summary.scalar("x", k, step=k)
    assert all(path.name.endswith(".v2") for path in files(tmp_path))
    assert scalars(tmp_path) == [("x", 0, 0.0), ("x", 1, 1.0), ("x", 2, 2.0)]


def test_time_of_an_event_is_that_of_the_call(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        before = time.time()
        tf.summary.scalar("x", tf.constant(1.0) + 1.0, step=0)
        after = time.time()
        time.sleep(0.05)
    [event] = events(tmp_path)
    assert before <= event.wall_time <= after


def test_default_writers_and_steps_are_nested(tmp_path):
    outer, inner = (tf.summary.create_file_writer(str(tmp_path / name)) for name in ("outer", "inner"))
    with outer.as_default(step=10) as given:
        assert given is outer
        tf.summary.scalar("a", 1.0)
        with inner.as_default(step=20):
            tf.summary.scalar("b", 2.0)
            with outer.as_default():
                tf.summary.scalar("c", 3.0)
        tf.summary.scalar("d", 4.0)
        tf.summary.experimental.set_step(11)
        tf.summary.scalar("e", 5.0)
    assert tf.summary.experimental.get_step() is None
    assert not tf.summary.should_record_summaries()
    assert scalars(tmp_path / "outer") == [("a", 10, 1.0), ("c", 20, 3.0), ("d", 10, 4.0), ("e", 11, 5.0)]
    assert scalars(tmp_path / "inner") == [("b", 20, 2.0)]


def test_default_writer_belongs_to_a_thread(tmp_path):
    found = []
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3):
        thread = threading.Thread(
            target=lambda: found.extend([tf.summary.experimental.get_step(), bool(tf.summary.scalar("x", 1.0, step=1))])
        )
        thread.start()
        thread.join()
    assert found == [None, False]
    assert scalars(tmp_path) == []


def test_noop_writer_leaves_the_default_writer(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=1):
        nothing = tf.summary.create_noop_writer()
        with nothing.as_default(step=2) as given:
            assert given is None
            assert tf.summary.scalar("x", 1.0)
        nothing.set_as_default()
        assert (nothing.init(), nothing.flush(), nothing.close()) == (None, None, None)
        assert isinstance(nothing, tf.summary.SummaryWriter)
    assert scalars(tmp_path) == [("x", 1, 1.0)]


def test_missing_step_is_an_error_only_where_something_is_recorded(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    assert not tf.summary.scalar("x", 1.0)
    with writer.as_default():
        with tf.summary.record_if(False):
            assert not tf.summary.scalar("x", 1.0)
        for call in (
            lambda: tf.summary.scalar("x", 1.0),
            lambda: tf.summary.write("x", lambda: tf.constant(1.0)),
            lambda: tf.summary.experimental.write_raw_pb(b""),
        ):
            with pytest.raises(ValueError, match="No step set"):
                call()


def test_lazy_value_is_computed_only_if_it_is_recorded(tmp_path):
    calls = []

    def value():
        calls.append(1)
        return tf.constant(2.0)

    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0):
        for condition in (False, tf.constant(False), lambda: tf.constant(False), lambda: tf.equal(0, 1), True):
            with tf.summary.record_if(condition):
                assert tf.summary.write("x", value).numpy() == (condition is True)
    assert len(calls) == 1
    assert scalars(tmp_path) == [("x", 0, 2.0)]


def in_thread(function):
    """Calls `function` in a thread, whose default writer ends with it."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(function).result()


def test_closed_writer_is_refused(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    def write():
        writer.set_as_default(step=0)
        tf.summary.scalar("x", 1.0)
        assert (writer.close(), writer.close(), writer.flush(), tf.summary.flush()) == (None, None, None, None)
        with pytest.raises(tf.errors.NotFoundError):
            tf.summary.scalar("x", 1.0)

    in_thread(write)
    for call in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="is already closed"):
            call()
    assert scalars(tmp_path) == [("x", 0, 1.0)]


def test_flush_makes_events_readable(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tf.summary.scalar("x", tf.constant(1.0) + 1.0, step=0)
        writer.flush()
        assert scalars(tmp_path) == [("x", 0, 2.0)]
        tf.summary.scalar("y", tf.Variable(3.0), step=1)
        tf.summary.flush()
        assert len(events(tmp_path)) == 2
        tf.summary.scalar("z", 4.0, step=2)
        tf.summary.flush(writer)
        assert len(events(tmp_path)) == 3
    with pytest.raises(ValueError, match="Invalid argument to flush"):
        tf.summary.flush(3)


def test_events_are_in_the_file_after_a_full_queue(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=2)
    with writer.as_default():
        for k in range(3):
            tf.summary.scalar("x", k, step=k)
        deadline = time.monotonic() + 60
        while len(events(tmp_path)) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_dropped_writer_writes_its_events(tmp_path):
    def write():
        tf.summary.create_file_writer(str(tmp_path)).set_as_default()
        tf.summary.scalar("x", 1.0, step=0)

    in_thread(write)
    gc.collect()
    deadline = time.monotonic() + 60
    while not events(tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert scalars(tmp_path) == [("x", 0, 1.0)]


def test_many_events_keep_their_order(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    x = tf.constant(0.5)
    with writer.as_default():
        for k in range(10_000):
            tf.summary.scalar("x", x * float(k) if k % 100 == 0 else float(k), step=k)
    found = scalars(tmp_path)
    assert [step for _, step, _ in found] == list(range(10_000))
    assert [number for _, _, number in found[200:202]] == [100.0, 201.0]


def test_threads_may_share_a_writer(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    def write(tag):
        with writer.as_default():
            for k in range(200):
                tf.summary.scalar(tag, tf.constant(float(k)) + 1.0, step=k)

    threads = [threading.Thread(target=write, args=(f"t{k}",)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    found = scalars(tmp_path)
    for k in range(4):
        assert [(step, number) for tag, step, number in found if tag == f"t{k}"] == [(i, i + 1.0) for i in range(200)]


@pytest.mark.parametrize(
    ("logdir", "options", "error"),
    [
        (None, {}, ValueError),
        (3, {}, TypeError),
        ("ok", {"filename_suffix": 3}, TypeError),
        ("ok", {"max_queue": 1.5}, TypeError),
        ("file", {}, tf.errors.FailedPreconditionError),
        ("file/below", {}, tf.errors.FailedPreconditionError),
    ],
)
def test_bad_arguments_are_refused(logdir, options, error, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(error):
        tf.summary.create_file_writer(str(tmp_path / logdir) if isinstance(logdir, str) else logdir, **options)


def test_folder_may_be_bytes_or_a_tensor(tmp_path):
    for folder in (os.fsencode(tmp_path), tf.constant(str(tmp_path))):
        tf.summary.create_file_writer(folder, max_queue=tf.constant(3), flush_millis=10).close()
    assert len(files(tmp_path)) == 2


def test_trackable_writer_is_an_attribute_that_is_not_saved(tmp_path):
    module = tf.Module()
    module.writer = tf.summary.create_file_writer(str(tmp_path / "logs"), experimental_trackable=True)
    module.value = tf.Variable(1.0)
    tf.train.Checkpoint(module=module).write(str(tmp_path / "saved"))
    assert len(tf.train.list_variables(str(tmp_path / "saved"))) == 2


def test_interface_has_no_writer():
    writer = tf.summary.SummaryWriter()
    for call in (writer.init, writer.flush, writer.close):
        with pytest.raises(NotImplementedError):
            call()


def test_scopes_are_parts_of_tags(tmp_path):
    scope = tf.summary.experimental.summary_scope
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0), tf.name_scope("outer"):
        tf.summary.scalar("a", 1.0)
        with scope("ä b", "default") as (tag, inner):
            assert (tag, inner) == ("outer/ä b", "outer/b/")
            assert tf.get_current_name_scope() == "outer/b"
            tf.summary.write(tag, 2.0)
        with scope("ä", "default", values=[1]) as (tag, inner):
            assert (tag, inner) == ("outer/ä", "outer/default/")
        with scope("") as (tag, inner):
            assert (tag, inner) == ("outer/summary", "outer/summary/")
    assert [event.tag() for event in events(tmp_path)] == ["outer/a", "outer/ä b"]


@pytest.mark.skipif(tf.__name__ == "tensorflow", reason="TensorFlow ends the process")
def test_image_without_pixels_is_refused(tmp_path):
    with (
        tf.summary.create_file_writer(str(tmp_path)).as_default(),
        pytest.raises(tf.errors.InvalidArgumentError, match="no pixels"),
    ):
        tf.summary.image("x", tf.zeros([1, 0, 4, 1]), step=0)


def test_metadata_may_be_a_tensor(tmp_path):
    metadata = b"\x0a\x05\x0a\x03foo"
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        for given in (metadata, tf.constant(metadata)):
            tf.summary.write("x", 1.0, step=0, metadata=given)
    first, second = [event.content for event in events(tmp_path)]
    assert metadata in first
    assert first == second
