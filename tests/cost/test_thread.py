"""Threads: each has its own trace, and a pending tensor may be read in another thread."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tfcompat as tf


def in_thread(function):
    """The result of `function` in a new thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result(timeout=300)


def train(start, steps):
    """A training loop; returns the losses and the value at the end."""
    v = tf.Variable(start)
    losses = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(v - 3.0))
        v.assign_sub(0.1 * tape.gradient(loss, v))
        losses.append(loss)
    return [float(loss) for loss in losses], float(v)


def test_threads_train_independently():
    starts = [0.0, 1.0, 5.0, -2.0]
    alone = [train(start, 20) for start in starts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda start: train(start, 20), starts))
    assert together == alone


def test_pending_tensor_is_read_in_another_thread():
    x = tf.constant([1.0, 2.0]) * 3.0
    assert in_thread(lambda: x.numpy().tolist()) == [3.0, 6.0]
    assert (x + 1.0).numpy().tolist() == [4.0, 7.0]


def test_pending_tensor_is_used_in_another_thread():
    x = tf.constant([1.0, 2.0]) * 3.0
    y = in_thread(lambda: x * 2.0)
    assert y.numpy().tolist() == [6.0, 12.0]
    assert x.numpy().tolist() == [3.0, 6.0]


def test_variable_assigned_in_another_thread():
    v = tf.Variable([1.0, 2.0])
    v.assign_add([1.0, 1.0])
    in_thread(lambda: v.assign_add([1.0, 1.0]))
    v.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [4.0, 5.0]


def test_ops_of_another_thread_are_not_on_the_tape():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = in_thread(lambda: v * v)
    assert tape.gradient(y, v) is None
    assert float(y) == 4.0


def test_finished_thread_leaves_its_tensors_readable():
    made = []
    thread = threading.Thread(target=lambda: made.append(tf.constant(np.ones(3, np.float32)) * 2.0))
    thread.start()
    thread.join()
    assert made[0].numpy().tolist() == [2.0, 2.0, 2.0]


def test_loader_thread_makes_batches():
    v = tf.Variable(0.0)
    batches = []

    def load():
        for i in range(10):
            batches.append(tf.constant([float(i), 1.0]) * 2.0)

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    for batch in batches:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * batch)
        v.assign_add(tape.gradient(loss, v))
    assert float(v) == sum(2.0 * i + 2.0 for i in range(10))


@pytest.fixture
def switching_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def in_threads(function, times=100, threads=3):
    """Calls `function` repeatedly in several threads at once."""

    def repeat():
        for _ in range(times):
            function()

    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(repeat) for _ in range(threads)]:
            future.result(timeout=300)


@pytest.mark.usefixtures("switching_often")
@pytest.mark.parametrize("shape", [(), (2000,)], ids=["scalar", "large"])
def test_assignments_of_several_threads_all_count(shape):
    v = tf.Variable(tf.zeros(shape))
    in_threads(lambda: v.assign_add(tf.ones(shape)))
    assert float(tf.reduce_max(v)) == float(tf.reduce_min(v)) == 300.0


@pytest.mark.usefixtures("switching_often")
def test_scattered_assignments_of_several_threads_all_count():
    v = tf.Variable(tf.zeros([3]))
    in_threads(lambda: v.scatter_nd_add([[1]], [1.0]), times=30)
    assert v.numpy().tolist() == [0.0, 90.0, 0.0]


@pytest.mark.usefixtures("switching_often")
@pytest.mark.parametrize("shape", [(), (2000,)], ids=["scalar", "large"])
def test_decorated_assignments_of_several_threads_all_count(shape):
    v = tf.Variable(tf.zeros(shape))

    @tf.function
    def step():
        v.assign_add(tf.ones(shape))

    in_threads(step)
    assert float(tf.reduce_max(v)) == float(tf.reduce_min(v)) == 300.0
    assert step.experimental_get_tracing_count() == 1


def test_tracing_is_not_seen_by_other_threads():
    v = tf.Variable(5.0)
    seen = []

    def look():
        seen.append(float(v))
        v.assign_add(10.0)
        seen.append(float(v))
        seen.append(float(tf.function(lambda: v * 2.0, autograph=False).python_function()))

    @tf.function(autograph=False)
    def step(x):
        v.assign_add(x)
        if not seen:
            in_thread(look)
        v.assign(v * 2.0)
        return v * 1.0

    # Assignments during tracing have no effect yet when the other thread reads.
    assert float(step(1.0)) == 32.0
    assert seen == [5.0, 15.0, 30.0]
    assert float(v) == 32.0


def test_settled_function_runs_while_another_thread_traces():
    v = tf.Variable(tf.zeros([2000]))
    calls = []

    @tf.function(autograph=False)
    def add():
        v.assign_add(tf.ones([2000]))

    @tf.function(autograph=False)
    def reset():
        v.assign(tf.fill([2000], 7.0))

    for _ in range(4):
        add()
        reset()

    @tf.function(autograph=False)
    def traced():
        v.assign(v * 3.0)
        if not calls:
            calls.append(in_thread(lambda: [add(), add(), reset(), add(), float(v[0])][-1]))

    traced()
    assert calls == [8.0]
    assert float(v[0]) == 24.0
