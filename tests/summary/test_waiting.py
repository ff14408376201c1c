"""Summaries do not break loops into more programs and do not wait for values; nothing is lost in silence."""

from __future__ import annotations

import signal
import subprocess
import textwrap
import threading
import time
from pathlib import Path

import pytest

import tfcompat as tf
from tests import forked
from tests.summary.event_reader import events, scalars
from tfcompat._summary import channel


def train(weights, inputs):
    """A step of gradient descent; the loss."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.linalg.matvec(inputs, weights) - 1.0))
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return loss


@pytest.mark.parametrize("is_block", [False, True], ids=["one block", "a block for each step"])
@pytest.mark.parametrize("is_conditional", [False, True], ids=["always", "record_if"])
def test_loop_with_summaries_is_one_program_a_step(is_block, is_conditional, tmp_path):
    weights, inputs = tf.Variable(tf.zeros([2])), tf.ones([5, 2])
    count = tf.Variable(0, dtype=tf.int64)
    writer = tf.summary.create_file_writer(str(tmp_path))

    def step():
        loss = train(weights, inputs)
        count.assign_add(1)
        with tf.summary.record_if((lambda: tf.equal(count % 2, 0)) if is_conditional else True):
            if is_block:
                with writer.as_default():
                    tf.summary.scalar("loss", loss, step=count)
            else:
                tf.summary.scalar("loss", loss, step=count)

    outer = tf.summary.create_noop_writer() if is_block else writer
    with outer.as_default():
        for _ in range(10):
            step()
        with tf.counted() as counts:
            for _ in range(20):
                step()
        assert (counts.flushes, counts.causes["tape"]) == (20, 20)
        assert counts.compiles == 0
    writer.close()
    found = scalars(tmp_path)
    assert [step for _, step, _ in found] == list(range(2 if is_conditional else 1, 31, 1 + is_conditional))
    losses = [loss for _, _, loss in found]
    assert losses == sorted(losses, reverse=True)


def forward(weights, inputs, step):
    """A step without a tape, which writes two summaries, one of them twice."""
    outputs = tf.linalg.matvec(inputs, weights)
    tf.summary.scalar("mean", tf.reduce_mean(outputs), step=step)
    weights.assign(weights * 0.9)
    tf.summary.scalar("largest", tf.reduce_max(weights), step=step)
    tf.summary.scalar("mean", tf.reduce_mean(weights), step=step)


def rate_only(weights, inputs, step):
    """A step whose summary is a number that no program computes."""
    weights.assign(tf.linalg.matvec(inputs, weights)[:2] * 0.5)
    tf.summary.scalar("rate", 0.5, step=step)


@pytest.mark.parametrize("body", [forward, rate_only])
@pytest.mark.parametrize("counting", ["number", "variable"])
def test_loop_that_reads_nothing_is_one_program_a_step(body, counting, tmp_path):
    weights, inputs = tf.Variable(tf.ones([2])), tf.ones([5, 2])
    count = tf.Variable(0, dtype=tf.int64)
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        for number in range(30):
            if number == 10:
                before = tf.counters()
            if counting == "variable":
                count.assign(number)
            body(weights, inputs, count if counting == "variable" else number)
        counts = tf.counters()
        assert (counts.flushes - before.flushes, counts.compiles - before.compiles) == (20, 0)
        assert counts.causes["summary"] - before.causes["summary"] == 20
    values = [value for tag, _, value in scalars(tmp_path) if tag == "largest"]
    assert values == pytest.approx([0.9**k for k in range(1, 31)] if body is forward else [])


def test_summaries_under_a_tape_do_not_break_its_trace(tmp_path):
    x = tf.Variable(2.0)
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.sync()
        with tf.counted() as counts:
            with tf.GradientTape() as tape:
                y = x * 1.0
                for k in range(5):
                    y = y * x
                    tf.summary.scalar("y", y, step=k)
            assert tape.gradient(y, x).numpy() == 6 * 2.0**5
        assert counts.flushes == 1


def test_summaries_of_numbers_flush_nothing(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default(), tf.counted() as counts:
        for k in range(20):
            tf.summary.scalar("x", 1.0, step=k)
    assert counts.flushes == 0


def test_labels_that_never_recur_do_not_pile_up(tmp_path):
    x = tf.Variable(1.0)
    with tf.summary.create_file_writer(str(tmp_path)).as_default(), tf.counted() as counts:
        for k in range(1000):
            x.assign_add(1.0)
            tf.summary.scalar(f"x/{k}", x, step=0)
    assert 3 <= counts.flushes <= 4


def test_first_block_waits_and_blocks_of_known_values_wait(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tf.summary.scalar("x", tf.constant(1.0) + 1.0, step=0)
    assert scalars(tmp_path) == [("x", 0, 2.0)]
    for k in range(1, 5):
        with writer.as_default():
            tf.summary.scalar("x", float(k), step=k)
        assert len(events(tmp_path)) == k + 1


def test_pending_value_is_written_after_the_flush_interval(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path), flush_millis=50)
    with writer.as_default():
        tf.summary.scalar("x", tf.constant(1.0) + 1.0, step=0)
        deadline = time.monotonic() + 60
        while not events(tmp_path):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert scalars(tmp_path) == [("x", 0, 2.0)]


def test_calls_wait_while_too_many_records_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(channel, "MOST_RECORDS", 10)
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=1000)
    with writer.as_default():
        for k in range(11):
            tf.summary.scalar("x", tf.constant(float(k)) + 1.0, step=0)
        assert len(events(tmp_path)) == 11
    monkeypatch.setattr(channel, "MOST_BYTES", 100)
    with writer.as_default():
        tf.summary.histogram("h", tf.zeros([10]) + 1.0, step=0)
        assert len(events(tmp_path)) == 11
        tf.summary.histogram("h", tf.zeros([100]) + 1.0, step=0)
        assert len(events(tmp_path)) == 13


def test_error_of_a_program_is_raised_by_the_flush(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    index = tf.Variable(7)
    with writer.as_default():
        tf.summary.scalar("good", 1.0, step=0)
        bad = tf.gather(tf.constant([1.0, 2.0]) * 2.0, index + 1)
        tf.summary.scalar("bad", bad, step=0)
        tf.summary.scalar("later", 2.0, step=0)
        with pytest.raises(tf.errors.InvalidArgumentError):
            writer.flush()
    assert [event.tag() for event in events(tmp_path)] == ["good", "later"]


def test_error_in_a_block_is_not_replaced(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path / "logs"))

    def write():
        with writer.as_default():
            tf.summary.scalar("x", 1.0, step=0)
            next((tmp_path / "logs").glob("*")).unlink()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    writer.close()


def test_removed_file_is_an_error(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path / "logs"))
    with writer.as_default():
        tf.summary.scalar("x", 1.0, step=0)
        next((tmp_path / "logs").glob("*")).unlink()
        with pytest.raises(tf.errors.NotFoundError, match="1 events are lost"):
            writer.flush()
        tf.summary.scalar("x", 2.0, step=1)
        with pytest.raises(tf.errors.NotFoundError):
            writer.close()


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Runs a program that writes to `folder`."""
    return forked.run(["-c", textwrap.dedent(code), str(folder)], timeout=300)


HEAD = """
import os, signal, sys
import tfcompat as tf

writer = tf.summary.create_file_writer(sys.argv[1])
writer.set_as_default()
"""


def test_everything_is_written_at_the_end_of_the_program(tmp_path):
    found = run(
        tmp_path,
        HEAD + "for k in range(3):\n    tf.summary.scalar('x', tf.constant(1.0) + 1.0, step=k)\nraise SystemExit(3)",
    )
    assert (found.returncode, found.stderr) == (3, "")
    assert scalars(tmp_path) == [("x", k, 2.0) for k in range(3)]


def test_full_disk_is_an_error_and_leaves_whole_events(tmp_path):
    code = """
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    tf.summary.scalar('before', 1.0, step=0)
    writer.flush()
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, 1000))
    for k in range(10):
        tf.summary.scalar('lost', 1.0, step=k)
    try:
        writer.flush()
    except tf.errors.OpError as error:
        print(type(error).__name__)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    tf.summary.scalar('after', 1.0, step=0)
    writer.close()
    """
    found = run(tmp_path, HEAD + textwrap.dedent(code))
    assert (found.stdout, found.stderr) == ("OutOfRangeError\n", "")
    assert [event.tag() for event in events(tmp_path)] == ["before", "after"]


def test_error_at_the_end_of_the_program_is_logged(tmp_path):
    found = run(
        tmp_path, HEAD + "tf.summary.scalar('x', 1.0, step=0)\nos.unlink(tf.io.gfile.glob(sys.argv[1] + '/*')[0])"
    )
    assert found.returncode == 0
    assert "Summaries were not written" in found.stderr
    assert "removed" in found.stderr


def test_without_a_thread_events_are_written_by_the_flush(tmp_path, monkeypatch):
    def refused(_thread):
        raise RuntimeError("can't start new thread")

    start = threading.Thread.start
    monkeypatch.setattr(channel, "_scribe", channel._Scribe())
    monkeypatch.setattr(threading.Thread, "start", refused)
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        tf.summary.scalar("x", tf.constant(1.0) + 1.0, step=0)
    assert scalars(tmp_path) == [("x", 0, 2.0)]
    monkeypatch.setattr(threading.Thread, "start", start)
    with writer.as_default():
        tf.summary.scalar("x", 3.0, step=1)
    writer.close()
    assert scalars(tmp_path) == [("x", 0, 2.0), ("x", 1, 3.0)]


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs POSIX signals")
def test_child_process_writes_a_file_of_its_own(tmp_path):
    code = """
    tf.summary.scalar('before', tf.constant(1.0) + 1.0, step=0)
    child = os.fork()
    if not child:
        tf.summary.scalar('child', 2.0, step=1)
        writer.flush()
        os._exit(0)
    os.waitpid(child, 0)
    tf.summary.scalar('parent', 3.0, step=2)
    """
    found = run(tmp_path, HEAD + "import warnings\nwarnings.simplefilter('ignore')\n" + textwrap.dedent(code))
    assert (found.returncode, found.stderr) == (0, "")
    assert sorted(scalars(tmp_path)) == [("before", 0, 2.0), ("child", 1, 2.0), ("parent", 2, 3.0)]
    assert len(list(tmp_path.glob("*"))) == 2


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")
def test_interrupts_leave_whole_events_in_order(tmp_path):
    code = """
    count, signals = 0, []

    def interrupt(number, _):
        signals.append(number)
        raise KeyboardInterrupt

    def write(attempt):
        global count
        signal.setitimer(signal.ITIMER_REAL, 0.0002 + attempt % 20 * 0.0005)
        while len(signals) == attempt:  # Python loses an exception that is raised in a callback of its collector
            with writer.as_default():
                tf.summary.scalar('x', tf.constant(float(count)) + 1.0, step=count)
                tf.summary.histogram('h', [1.0, count], step=count)
            tf.sync()
            count += 1

    signal.signal(signal.SIGALRM, interrupt)
    for attempt in range(60):
        try:
            write(attempt)
        except KeyboardInterrupt:
            count += 1
    print(count)
    """
    found = run(tmp_path, HEAD + textwrap.dedent(code))
    assert found.returncode == 0, found.stderr
    steps = [event.step for event in events(tmp_path)]
    assert steps == sorted(steps)
    # An interrupt loses at most the step that it hits.
    assert len(set(steps)) >= int(found.stdout) - 60
