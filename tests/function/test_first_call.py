"""First calls of decorated methods that several threads make at once: one trace for each kind of call, and no error."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import tfcompat as tf
from tfcompat._function.functions import function
from tfcompat._function.functions.function import Function

TIMEOUT = 120


class Counter:
    """A method that counts its calls in a variable, which it makes at its first one unless `has_variable`.

    Attributes:
      traced: the shapes that it was traced for.
    """

    def __init__(self, has_variable):
        self.count = tf.Variable(0.0) if has_variable else None
        self.traced = []
        self.while_traced = []

    @tf.function(autograph=False)
    def __call__(self, x):
        while self.while_traced:
            self.while_traced.pop()()
        self.traced.append(tuple(x.shape))
        if self.count is None:
            self.count = tf.Variable(0.0)
        self.count.assign_add(1.0)
        return x * 2.0


ARGUMENTS = [[1.0], [2.0], [[3.0], [4.0]], [[5.0], [6.0]]]


def require_calls_at_once(counter, has_variable):
    """Calls `counter` with each of ARGUMENTS in a thread of its own, and compares that with calls in turns."""
    alone = Counter(has_variable)
    expected = [alone(tf.constant(x)).numpy().tolist() for x in ARGUMENTS]
    with ThreadPoolExecutor(len(ARGUMENTS)) as pool:
        calls = [pool.submit(lambda x: counter(tf.constant(x)).numpy().tolist(), x) for x in ARGUMENTS]
        assert [call.result(TIMEOUT) for call in calls] == expected
    assert float(counter.count) == float(alone.count) == len(ARGUMENTS)
    assert set(counter.traced) == {(1,), (2, 1)}
    assert len(counter.traced) == len(alone.traced) == (2 if has_variable else 3)
    assert [counter(tf.constant(x)).numpy().tolist() for x in ARGUMENTS] == expected
    assert len(counter.traced) == len(alone.traced)


@pytest.mark.parametrize("has_variable", [False, True], ids=["makes_a_variable", "has_a_variable"])
def test_threads_that_ask_for_a_method_at_once_share_its_traces(monkeypatch, has_variable):
    everybody = threading.Barrier(len(ARGUMENTS), timeout=TIMEOUT)

    class Method(function.Method):
        """Each thread begins to make it before another one has: the barrier lets four pass together."""

        def __init__(self, *args):
            super().__init__(*args)
            if threading.current_thread() is not threading.main_thread():
                everybody.wait()

    monkeypatch.setattr(function, "Method", Method)
    require_calls_at_once(Counter(has_variable), has_variable)


@pytest.mark.parametrize("has_variable", [False, True], ids=["makes_a_variable", "has_a_variable"])
def test_threads_that_ask_for_a_trace_at_once_make_one_for_each_kind_of_call(monkeypatch, has_variable):
    counter = Counter(has_variable)
    asked = threading.Semaphore(0)

    def found(self, *args, find=Function._found, **options):
        if threading.current_thread() is not threading.main_thread():
            asked.release()
        return find(self, *args, **options)

    monkeypatch.setattr(Function, "_found", found)
    # The first trace continues when all threads have found no trace.
    counter.while_traced = [lambda: [asked.acquire(timeout=TIMEOUT) for _ in ARGUMENTS]]
    require_calls_at_once(counter, has_variable)
