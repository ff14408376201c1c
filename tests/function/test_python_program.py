"""Programs that call Python functions: the threads that run them, and those that wait for them."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system import python_program


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs POSIX signals")
@pytest.mark.parametrize("can_start", [True, False], ids=["interrupted", "no thread"])
def test_thread_that_is_interrupted_while_it_starts_or_cannot_start(can_start, monkeypatch):
    """Its program ends, and no program waits for Python code that is never called."""
    calls, count, start = [], tf.Variable(0), threading.Thread.start

    @tf.function
    def function(x):
        count.assign_add(1)
        return tf.numpy_function(lambda y: calls.append(1) or y, [x @ x], tf.TensorSpec([2, 2], tf.float32))

    def started(thread):
        monkeypatch.undo()
        if not can_start:
            raise RuntimeError("can't start new thread")
        start(thread)
        signal.raise_signal(signal.SIGALRM)

    def interrupt(*_):
        raise RuntimeError

    for _ in range(3):
        function(tf.ones([2, 2])).numpy()
    before = signal.signal(signal.SIGALRM, interrupt)
    monkeypatch.setattr(python_program, "_idle", [])  # else a thread that has run a program runs this one
    monkeypatch.setattr(threading.Thread, "start", started)
    try:
        with pytest.raises(RuntimeError):
            function(tf.ones([2, 2])).numpy()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not python_program._waiting.get(threading.get_ident())
    assert function(tf.ones([2, 2])).numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert (count.numpy(), len(calls)) == (4 + can_start, 4 + can_start)


def test_threads_of_programs_serve_again_and_end_when_they_are_idle(monkeypatch):
    function = tf.function(lambda x: tf.numpy_function(lambda y: y + 1, [x], tf.TensorSpec([], tf.float32)))

    def runners():
        return {thread for thread in threading.enumerate() if thread.name == "tfcompat_program"}

    monkeypatch.setattr(python_program, "_idle", [])
    monkeypatch.setattr(python_program, "_IDLE", 0.2)
    before = runners()
    assert [float(function(tf.constant(float(k)))) for k in range(20)] == [k + 1.0 for k in range(20)]
    (runner,) = runners() - before
    runner.join(30)
    assert not runner.is_alive()
    assert python_program._idle == []
    assert float(function(tf.constant(3.0))) == 4.0


def test_a_python_function_waits_for_a_thread_that_calls_the_same_function(monkeypatch):
    monkeypatch.setattr(python_program, "_PATIENCE", 0.2)
    ready, spec = threading.Event(), tf.TensorSpec([], tf.float32)

    def awaited(x):
        if x > 0:
            assert ready.wait(60)
        return np.float32(x)

    @tf.function
    def doubled(x):
        return 2.0 * tf.numpy_function(awaited, [x], spec)

    def release():
        doubled(tf.constant(0.0))
        ready.set()

    for _ in range(3):
        ready.clear()
        other = threading.Thread(target=release, daemon=True)
        other.start()
        assert float(doubled(tf.constant(1.0))) == 2.0
        other.join(60)


def test_several_threads_call_the_same_program():
    def doubled(x):
        if x < 0.0:
            raise ValueError("negative")
        return 2.0 * x

    function = tf.function(lambda x: tf.numpy_function(doubled, [x], tf.TensorSpec([], tf.float32)) + 1.0)
    found, failed = {}, []

    def work(first):
        for value in range(first, first + 40):
            found[value] = float(function(tf.constant(float(value))))
        with pytest.raises(tf.errors.OpError, match="negative"):
            function(tf.constant(-1.0)).numpy()
        failed.append(first)

    function(tf.constant(0.0))
    threads = [threading.Thread(target=work, args=(first,), daemon=True) for first in range(0, 240, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == {value: 2.0 * value + 1.0 for value in range(240)}
    assert len(failed) == len(threads)
