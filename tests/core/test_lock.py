"""Programs run without a lock: Python functions that they call may wait for other threads that compute."""

from __future__ import annotations

import os
import pathlib
import queue
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tfcompat as tf
from tests import forked
from tests.repetition import count

TIMEOUT = 300


def in_threads(*functions):
    """The results of `functions`, each in a new thread; fails if one does not end."""
    answers = [None] * len(functions)

    def call(k):
        answers[k] = functions[k]()

    threads = [threading.Thread(target=call, args=(k,), daemon=True) for k in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
    assert not any(thread.is_alive() for thread in threads), "a thread waits for ever"
    return answers


@pytest.mark.parametrize("kind", ["numpy_function", "py_function"])
def test_python_function_waits_for_a_thread_that_reads_its_own_tensors(kind):
    batches = queue.Queue()
    total = tf.Variable(0.0)

    def feed():
        for k in range(4):
            tensor = tf.fill([3], float(k)) * 2.0
            batches.put(tensor.numpy() + 1.0)

    @tf.function
    def step():
        spec = tf.TensorSpec([3], tf.float32)
        batch = getattr(tf, kind)(lambda: batches.get(timeout=TIMEOUT), [], spec)
        batch = tf.ensure_shape(batch, [3])
        total.assign_add(tf.reduce_sum(batch))
        return batch

    last = in_threads(feed, lambda: [step().numpy().tolist() for _ in range(4)])[1][-1]
    assert last == [7.0, 7.0, 7.0]
    assert float(total) == 48.0


def test_python_function_calls_a_new_function_while_another_thread_traces():
    v = tf.Variable(1.0)
    is_tracing, is_called = threading.Event(), threading.Event()
    doubled = tf.function(lambda x: x * 2.0)

    def python(x):
        is_called.set()
        assert is_tracing.wait(TIMEOUT)
        return doubled(x)

    @tf.function
    def calling(x):
        return tf.ensure_shape(tf.py_function(python, [x], tf.float32), [])

    @tf.function(autograph=False)
    def traced():
        is_tracing.set()
        assert is_called.wait(TIMEOUT)
        v.assign_add(1.0)
        return v * 10.0

    found = in_threads(lambda: float(calling(tf.constant(3.0))), lambda: float(traced()))
    assert found == [6.0, 20.0]
    assert float(v) == 2.0


def test_threads_trace_at_once_and_see_nothing_of_each_other():
    v = tf.Variable(1.0)
    both = threading.Barrier(2, timeout=TIMEOUT)

    def adding(amount):
        @tf.function(autograph=False)
        def function():
            v.assign_add(amount)
            both.wait()
            first = v * 1.0
            both.wait()
            v.assign_add(amount)
            both.wait()
            return first, v * 1.0

        return lambda: [float(x) for x in function()]

    small, large = in_threads(adding(1.0), adding(100.0))
    assert small[1] - small[0] == 1.0
    assert large[1] - large[0] == 100.0
    assert float(v) == 203.0


def test_function_that_is_traced_waits_for_a_thread_that_traces_another():
    inner = tf.function(lambda x: x + 1.0)

    @tf.function(autograph=False)
    def outer(x):
        seen.append(in_threads(lambda: float(inner(tf.constant(4.0))))[0])
        return inner(x)

    seen = []
    assert float(outer(tf.constant(1.0))) == 2.0
    assert seen == [5.0]


def test_signal_handler_reads_variables_while_a_decorated_step_runs():
    script = """
import faulthandler, signal, tfcompat as tf
faulthandler.dump_traceback_later(280, exit=True)
w = [tf.Variable(tf.zeros([64, 64])) for _ in range(4)]
seen = []
def save(*_):
    seen.append([float(v.numpy()[0, 0]) for v in w])
    signal.setitimer(signal.ITIMER_REAL, 0.003)
signal.signal(signal.SIGALRM, save)
@tf.function
def decorated():
    for v in w: v.assign_add(tf.ones([64, 64]))
for _ in range(3): decorated()  # while it is traced variables have no values, as in TensorFlow
signal.setitimer(signal.ITIMER_REAL, 0.003)
while len(seen) < 40 or seen[0] == seen[-1]: decorated()
assert all(before - after in (0.0, 1.0) for row in seen for before, after in zip(row, row[1:])), seen
assert seen == sorted(seen), seen
signal.setitimer(signal.ITIMER_REAL, 0)
print("saved")
"""
    run = forked.run(["-c", script], timeout=300)
    assert run.stdout == "saved\n", run.stderr


@pytest.mark.soak
def test_assignments_of_several_threads_all_count_undecorated_and_decorated():
    plain, decorated = tf.Variable(0.0), tf.Variable(tf.zeros([64, 64]))
    step = tf.function(lambda: decorated.assign_add(tf.ones([64, 64])), autograph=False)
    turns = count(1000)

    def work():
        for _ in range(turns):
            plain.assign_add(1.0)
            step()
            decorated.assign_add(tf.ones([64, 64]))

    in_threads(work, work, work)
    assert float(plain) == 3 * turns
    assert np.unique(decorated.numpy()).tolist() == [6.0 * turns]


def test_locks_are_taken_in_order():
    environment = {**os.environ, "TFCOMPAT_CHECK": "1"}
    script = """
import tfcompat as tf
from tfcompat._core.system.lock import binding
x = tf.constant([1.0]) + 1.0
try:
    with binding: x.numpy()
except AssertionError as error:
    print(error)
"""
    run = forked.run(["-c", script], timeout=120, environment=environment)
    assert run.stdout == "A thread compiles, runs or waits while it holds the lock `binding`.\n", run.stderr


@pytest.mark.soak
@pytest.mark.thorough
def test_eight_threads_get_the_results_of_the_same_work_done_in_turns():
    script = pathlib.Path(__file__).with_name("threaded_soak.py")
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(script), str(count(120))],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        # A first step that NumPy evaluates, alone or beside others, differs from a compiled one in the last digits.
        env={**os.environ, "PYTHONPATH": str(script.parent.parent.parent), "TFCOMPAT_HOST": "0"},
    )
    assert run.stdout.startswith("turns: "), run.stdout + run.stderr


def test_threads_run_one_program_with_numbers_of_their_own():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:

        def work(number):
            def run():
                x = tf.constant(np.ones(4, np.float32))
                found = set()
                for _ in range(count(20_000)):
                    found.add(float(((x * number + x) * number)[0]))
                return found

            return run

        few, many = in_threads(work(3.0), work(13.0))
    finally:
        sys.setswitchinterval(interval)
    assert (few, many) == ({12.0}, {182.0})


def test_python_function_is_called_once_though_another_thread_reads_what_it_feeds():
    v = tf.Variable(0.0)
    calls = []

    def following():
        calls.append(None)
        time.sleep(0.005)
        return np.float32(len(calls))

    @tf.function(autograph=False)
    def step():
        v.assign(tf.ensure_shape(tf.numpy_function(following, [], tf.float32), []))

    def steps():
        for _ in range(20):
            step()
        stop.set()

    def read():
        seen = []
        while not stop.is_set():
            seen.append(float(v))
        return seen

    stop = threading.Event()
    _, seen = in_threads(steps, read)
    assert len(calls) == 20
    assert seen == sorted(seen)
    assert float(v) == 20.0


@pytest.mark.parametrize("count_of_threads", [2, 12])
def test_python_function_runs_in_its_callers_thread_which_gets_its_error(count_of_threads):
    threads = []

    def fail(number):
        threads.append((int(number), threading.get_ident()))
        time.sleep(0.005)
        raise ValueError(f"<{number}>")

    @tf.function(autograph=False)
    def step(number):
        return tf.numpy_function(fail, [number], tf.TensorSpec([], tf.int64))

    def calling(first):
        def call():
            messages = []
            for number in range(first, first + 5):
                with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                    step(tf.constant(number, tf.int64))
                messages.append(f"<{number}>" in str(caught.value))
            return threading.get_ident(), messages

        return call

    found = in_threads(*[calling(100 * k) for k in range(count_of_threads)])
    assert [messages for _, messages in found] == [[True] * 5] * count_of_threads
    assert {(number, found[number // 100][0]) for number, _ in threads} == set(threads)


def test_assignments_beside_a_python_function_all_count():
    v = tf.Variable(0.0)

    def slow(x):
        time.sleep(0.001)
        return x

    @tf.function(autograph=False)
    def step():
        v.assign_add(tf.ensure_shape(tf.numpy_function(slow, [tf.ones([])], tf.float32), []))

    def decorated():
        for _ in range(20):
            step()

    def plain():
        for _ in range(20):
            v.assign_add(1.0)
            time.sleep(0.001)

    in_threads(decorated, decorated, plain)
    assert float(v) == 60.0
