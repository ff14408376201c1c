"""Signal handlers that raise while a program restores a checkpoint."""

from __future__ import annotations

import contextlib
import signal
import textwrap
import threading

import pytest

import tfcompat as tf
from tests import forked, repetition
from tests.checkpoint import Checkpoint
from tfcompat._data.format.bundle_writer import BundleWriter
from tfcompat._saved import nesting

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")

# One of this many places, at which a save may be interrupted, is tested.
STRIDE = 1 if repetition.count(10) == 10 else 17

HEAD = """
import signal, time
import tfcompat as tf

class Interrupt(BaseException):
    pass

def handler(*_):
    raise Interrupt

def interrupted(call, seconds):
    "Whether a signal has interrupted `call`."
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        call()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Interrupt:
        return True
    return False

def no_more_signals():
    "Handles those that have arrived, and ignores those that come later."
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)

def duration(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start

signal.signal(signal.SIGALRM, handler)
variables = [tf.Variable(tf.fill([100, 100], 1.0)) for _ in range(30)]
"""


def run(tmp_path, code):
    done = forked.run(["-c", HEAD + textwrap.dedent(code), str(tmp_path)], timeout=400)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_interrupted_restore_changes_all_variables_or_none(tmp_path):
    code = """
    import sys
    checkpoint = tf.train.Checkpoint(variables=variables)
    path = checkpoint.write(sys.argv[1] + "/ck")
    restore = lambda: checkpoint.read(path).expect_partial()
    restore()
    whole, attempt, count, mixed = min(duration(restore) for _ in range(3)), 0, 0, 0
    while count < 150:
        attempt += 1
        for v in variables:
            v.assign(tf.zeros([100, 100]))
        if interrupted(restore, whole * (attempt % 60 + 1) / 60):
            count += 1
        else:  # a restore takes less time now
            whole *= 0.98
        mixed += len({float(tf.reduce_max(v)) for v in variables}) > 1
    print(mixed)
    """
    assert run(tmp_path, code) == ["0"]


def test_forked_process_leaves_writing_to_its_parent(tmp_path):
    code = """
    import os, sys, warnings
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(tf.ones([2_000_000])))
    checkpoint.save(sys.argv[1] + "/ck", tf.train.CheckpointOptions(enable_async=True))
    child = os.fork()
    if not child:
        signal.alarm(30)
        checkpoint.sync()
        os._exit(0)
    checkpoint.sync()
    print(os.waitpid(child, 0)[1], tf.train.latest_checkpoint(sys.argv[1]) is not None)
    """
    assert run(tmp_path, code) == ["0", "True"]


def test_handler_that_saves_while_a_program_saves_ends(tmp_path):
    """Both kinds of checkpoints are whole, whatever the moment: each holds the values of one step."""
    code = """
    import sys
    step = tf.Variable(0)
    own = tf.train.Checkpoint(variables=variables, step=step)
    inner = tf.train.Checkpoint(variables=variables, step=step)
    folder, saved, depth, deepest = sys.argv[1], [], 0, 0

    def save(*_):
        global depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        saved.append(inner.save(folder + "/inner"))
        depth -= 1

    @tf.function
    def advance():
        for v in variables:
            v.assign(v + 1.0)
        step.assign_add(1)

    for _ in range(3):  # the programs are compiled before signals come
        save()
        advance()
        own.save(folder + "/outer")
    signal.signal(signal.SIGALRM, save)
    pause = max(0.02, 4 * max(duration(save) for _ in range(3)))
    signal.setitimer(signal.ITIMER_REAL, pause, pause)
    end = time.monotonic() + 300.0
    while len(saved) < 60 or sum("/inner-" in path for path in saved) < 15:
        assert time.monotonic() < end
        advance()
        saved.append(own.save(folder + "/outer"))
    no_more_signals()
    mixed = 0
    for path in saved:
        inner.read(path).expect_partial()
        found = {float(each) for v in variables for each in (tf.reduce_min(v), tf.reduce_max(v))}
        mixed += found != {float(step) + 1.0}
    print(sum("/inner-" in path for path in saved), len(saved), mixed, deepest)
    """
    inner, every, mixed, deepest = map(int, run(tmp_path, code))
    assert inner >= 15
    assert every > inner
    assert mixed == 0
    assert deepest < 20


def test_handler_that_takes_longer_than_the_time_between_its_signals(tmp_path):
    """It does not interrupt itself without end, all its checkpoints are whole, and the program continues."""
    code = """
    import sys
    step, folder, saved, depth, deepest, others = tf.Variable(0), sys.argv[1], [], 0, 0, []
    own = tf.train.Checkpoint(variables=variables, step=step)
    inner = tf.train.Checkpoint(variables=variables, step=step)

    def save(*_):
        global depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        if len(saved) >= 12 and not others:
            signal.raise_signal(signal.SIGUSR1)
        saved.append(inner.save(folder + "/inner", options))
        depth -= 1

    def note(*_):
        others.append(len(saved))

    options = tf.train.CheckpointOptions(experimental_write_callbacks=[lambda: time.sleep(0.04)])
    def train():
        own.save(folder + "/outer")
        for v in variables:
            v.assign_add(tf.ones([100, 100]))
        step.assign_add(1)

    for _ in range(3):  # the programs are compiled before signals come
        save()
        train()
    signal.signal(signal.SIGALRM, save)
    signal.signal(signal.SIGUSR1, note)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    end = time.monotonic() + 300.0
    while len(saved) < 30 or step < 5 or not others:
        assert time.monotonic() < end
        train()
    no_more_signals()
    mixed = 0
    for path in saved:
        inner.read(path).expect_partial()
        # A handler may have come in the middle of the step.
        mixed += not {float(v[0, 0]) - float(step) - 1.0 for v in variables} <= {0.0, 1.0}
    print(mixed, deepest)
    """
    mixed, deepest = map(int, run(tmp_path, code))
    assert mixed == 0
    assert deepest < 20


@pytest.mark.parametrize(
    ("method", "owner", "begin"),
    [("save", tf.train.Checkpoint, "_advance"), ("write", BundleWriter, "end_data")],
    ids=["save", "write"],
)
def test_handler_that_saves_under_the_same_name_as_the_program(method, owner, begin, tmp_path, monkeypatch):
    """At places from `begin` on: each path that was returned has a whole checkpoint, and two saves have two paths."""
    saved, places, begun = [], [], getattr(owner, begin)

    def save():
        saved.append(getattr(checkpoint, method)(tmp_path / str(number)))

    def observed(*args):
        if places:
            place = places.pop()
            place.__enter__()
            left.callback(place.__exit__)
        return begun(*args)

    monkeypatch.setattr(owner, begin, observed)
    before = signal.signal(signal.SIGUSR1, lambda *_: save())
    try:
        for number in range(0, 180, 3):
            saved.clear()
            checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
            place = Checkpoint(number, lambda: signal.raise_signal(signal.SIGUSR1))
            places.append(place)
            with contextlib.ExitStack() as left:
                save()
            assert place.is_reached
            assert (len(saved), len(set(saved))) == (2, 1 if method == "write" else 2)
            for path in saved:
                checkpoint.read(path).expect_partial()
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("is_asynchronous", [False, True], ids=["at_once", "asynchronous"])
def test_interrupted_first_save_can_be_repeated(is_asynchronous, tmp_path):
    def interrupt():
        signal.raise_signal(signal.SIGUSR1)

    def handler(*_):
        raise KeyboardInterrupt

    options = tf.train.CheckpointOptions(enable_async=is_asynchronous)
    before, number, interrupts = signal.signal(signal.SIGUSR1, handler), 0, 0
    try:
        while True:
            folder = tmp_path / str(number)
            checkpoint = tf.train.Checkpoint(tf.Module(), v=tf.Variable([1.0, 2.0]))
            manager = tf.train.CheckpointManager(checkpoint, folder, 2)
            place = Checkpoint(number, interrupt)
            try:
                with place:
                    manager.save(options=options)
            except KeyboardInterrupt:
                interrupts += 1
            if not place.is_reached:
                break
            path = manager.save(options=options)
            manager.sync()
            assert tf.train.latest_checkpoint(folder) == path
            checkpoint.restore(path).assert_consumed()
            number += STRIDE
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert interrupts > 140 // STRIDE


@pytest.mark.parametrize("is_replaced", [False, True])
def test_signals_that_are_put_off_go_only_to_the_handler_that_they_had(is_replaced, monkeypatch):
    """By default most signals end the process, so one must not be raised after the program has given it up."""
    first, second = [], []

    def handler(*_):
        first.append(True)

    monkeypatch.setattr(nesting, "_PAUSE", 3600.0)
    before, threads = signal.signal(signal.SIGUSR1, handler), set(threading.enumerate())
    try:
        nesting._raise_later({signal.SIGUSR1: handler})
        [timer] = set(threading.enumerate()) - threads
        timer.cancel()
        timer.join()
        if is_replaced:
            signal.signal(signal.SIGUSR1, lambda *_: second.append(True))
        timer.function()  # at the end of the pause
        assert (len(first), len(second)) == (0 if is_replaced else 1, 0)
    finally:
        signal.signal(signal.SIGUSR1, before)
