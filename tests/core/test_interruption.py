"""Signals at random moments: no variable is lost or partly assigned, and the next step works."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import signal
import subprocess
import sys

import jax
import numpy as np
import pytest

import tfcompat as tf
from tests import forked
from tests.repetition import count
from tfcompat._core.programs.program import Program
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.programs.replay import Plan
from tfcompat._core.system.config import settings
from tfcompat._core.tracing import flush
from tfcompat._core.tracing.trace import here
from tfcompat._jaxpr.postponement import postponed

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.soak
@pytest.mark.parametrize(
    "kind",
    [
        *("undecorated", "decorated"),
        *(pytest.param(kind, marks=pytest.mark.thorough) for kind in ("small", "threads", "op_by_op")),
    ],
)
def test_interrupted_loop_loses_nothing(kind):
    trials = count(300)
    run = forked.run(["-m", "tests.core.interrupted_loop", kind, str(trials), str(trials)], cwd=ROOT, timeout=900)
    assert run.stdout == f"{trials}\n", run.stdout + run.stderr


def test_postponed_handlers_run_at_the_end():
    def interrupt(*_):
        raise KeyboardInterrupt

    caught = []
    before = signal.signal(signal.SIGUSR1, interrupt), signal.signal(signal.SIGUSR2, lambda *_: caught.append("second"))
    try:
        with pytest.raises(KeyboardInterrupt), postponed():  # noqa: PT012  # all of it runs
            signal.raise_signal(signal.SIGUSR1)
            signal.raise_signal(signal.SIGUSR2)
            caught.append("first")
        assert caught == ["first", "second"]
        assert signal.getsignal(signal.SIGUSR1) is interrupt
    finally:
        signal.signal(signal.SIGUSR1, before[0])
        signal.signal(signal.SIGUSR2, before[1])


def test_interrupt_waits_until_a_trace_has_ended(monkeypatch):
    trace, ended = jax.make_jaxpr, []

    def traced(fn):
        def interrupted(*args):
            signal.raise_signal(signal.SIGINT)
            return fn(*args)

        def run(*structs):
            found = trace(interrupted)(*structs)
            ended.append(found)
            return found

        return run

    monkeypatch.setattr(jax, "make_jaxpr", traced)
    with pytest.raises(KeyboardInterrupt):
        tf.math.atanh(tf.zeros([13, 7, 5])).numpy()
    assert ended
    monkeypatch.undo()
    assert tf.math.atanh(tf.zeros([13, 7, 5])).numpy().sum() == 0


def test_no_handler_runs_while_jax_traces_or_compiles():
    run = forked.run(["-m", "tests.core.watched_tracing"], cwd=ROOT, timeout=200)
    assert run.stdout == "[]\n", run.stdout + run.stderr


@pytest.mark.parametrize("moment", ["imports", "backends"])
def test_handler_that_computes_during_late_imports_and_starts_of_backends_finds_all_it_needs(moment):
    run = subprocess.run(
        [sys.executable, str(ROOT / "tests/core/handled_import.py"), moment],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert run.stdout == "[([203.0, 203.0], 1.0)] True\n", run.stdout + run.stderr


def test_event_loop_gets_a_postponed_signal_once():
    def work():
        with postponed():
            signal.raise_signal(signal.SIGUSR1)

    async def run():
        caught = []
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, caught.append, "signal")
        loop.call_soon(work)
        for _ in range(5):
            await asyncio.sleep(0.01)
        return caught

    assert asyncio.run(run()) == ["signal"]


@pytest.mark.parametrize("way", ["op", "function", "gradient", "jacobian"])
def test_number_that_an_interrupt_left_behind_is_overwritten(way):
    cubed = tf.function(lambda x: (x * 2.0 + 1.0) ** 3.0, autograph=False)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        start = x * 3.0
        # An interrupt came after the number was taken in, and before the step was.
        here.trace.floats.append(99.0)
        here.trace.ints.append(99)
        y = (start * 2.0 + 1.0) ** 3.0 if way == "op" else cubed(start)
        z = y * 5.0
        here.trace.floats.append(99.0)
        here.trace.ints.append(99)
    if way == "gradient":
        assert tape.gradient(z, x).numpy().tolist() == [4410.0, 15210.0]
    elif way == "jacobian":
        assert tape.jacobian(z, x).numpy().tolist() == [[4410.0, 0.0], [0.0, 15210.0]]
    else:
        assert z.numpy().tolist() == [1715.0, 10985.0]


def test_signal_that_arrives_while_handlers_are_restored_does_not_hide_another():
    script = """
import signal
from tfcompat._jaxpr import postponement
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append("alarm"))
restore = postponement._restore
def restored(handlers):
    restore(handlers)
    signal.raise_signal(signal.SIGINT)
postponement._restore = restored
try:
    with postponement.postponed():
        signal.raise_signal(signal.SIGALRM)
except KeyboardInterrupt:
    seen.append("interrupt")
print(seen)
"""
    run = forked.run(["-c", script], timeout=100)
    assert run.stdout == "['alarm', 'interrupt']\n", run.stderr


@pytest.fixture
def handle():
    """Installs a handler of SIGUSR1; endless waits are interrupted."""

    def stop(*_):
        raise TimeoutError("the thread waits for itself")

    numbers = signal.SIGUSR1, signal.SIGALRM
    before = list(map(signal.getsignal, numbers))
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(120)
    yield lambda handler: signal.signal(signal.SIGUSR1, handler)
    signal.alarm(0)
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def signalling_once(function):
    """`function`, with a signal that arrives during its first call."""
    signals = [signal.SIGUSR1]

    def call(*args, **kwargs):
        if signals:
            signal.raise_signal(signals.pop())
        return function(*args, **kwargs)

    return call


MOMENTS = {
    "as_it_is_chosen": (flush, "_compiled"),
    "before": (Program, "_started"),
    "as_it_begins": (Program, "_compilable"),
    "while_jax_traces_it": (Plan, "evaluate"),
}


@pytest.mark.parametrize("kind", ["reads_its_result", "reads_another_variable", "computes", "needs_the_same_program"])
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.skipif(settings.is_checking, reason="a handler may come while the lock is held, which the check refuses")
def test_handler_that_computes_while_a_program_compiles_does_not_wait_for_itself(monkeypatch, handle, kind, moment):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([10.0, 20.0])

    def step(x):
        x.assign(x * x + 1.0)

    work = {
        "reads_its_result": lambda: v.numpy().tolist(),
        "reads_another_variable": lambda: w.numpy().tolist(),
        "computes": lambda: (w * w - 3.0).numpy().tolist(),
        "needs_the_same_program": lambda: step(w) or w.numpy().tolist(),
    }[kind]
    step(v)
    v.numpy()
    cache.clear()  # a structure that runs again is compiled
    step(v)
    found = []
    handle(lambda *_: found.append(work()))
    with monkeypatch.context() as patch, tf.counted() as counts:
        owner, name = MOMENTS[moment]
        patch.setattr(owner, name, signalling_once(getattr(owner, name)))
        assert v.numpy().tolist() == [5.0, 26.0]
    assert counts.compiles > 0
    expected = {
        "reads_another_variable": [10.0, 20.0],
        "computes": [97.0, 397.0],
        "needs_the_same_program": [101.0, 401.0],
    }
    assert found == [expected.get(kind, [5.0, 26.0])]
    step(v)
    assert v.numpy().tolist() == [26.0, 677.0]


@pytest.mark.usefixtures("without_host")
def test_interrupted_first_compilation_can_be_repeated(monkeypatch):
    v = tf.Variable(np.ones(59, np.float32))

    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    def step():
        v.assign(tf.sin(v) * 3.0)

    with monkeypatch.context() as patch:
        patch.setattr(jax, "jit", interrupted)
        step()
        step()
        with pytest.raises(KeyboardInterrupt):
            v.numpy()
    assert v.numpy().tolist() == [1.0] * 59
    step()
    np.testing.assert_allclose(v, 3.0 * np.sin(np.ones(59)), rtol=1e-6)


def test_interrupt_leaves_no_64_bit_types_behind(monkeypatch):
    class Interrupted(contextlib.AbstractContextManager):
        def __enter__(self):
            enabled(True).__enter__()

        def __exit__(self, *_):
            raise KeyboardInterrupt  # before the context ends

    enabled = jax.enable_x64
    x = tf.constant([1.0, 2.0])
    monkeypatch.setattr(jax, "enable_x64", lambda new: Interrupted() if new else enabled(new))
    with pytest.raises(KeyboardInterrupt):
        (x * 3.0 + 1.0).numpy()
    monkeypatch.undo()
    assert not jax.config.jax_enable_x64
    assert (x * 3.0 + 1.0).numpy().tolist() == [4.0, 7.0]


def test_signal_that_arrives_several_times_is_handled_once():
    caught = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: caught.append(number))
    try:
        with postponed():
            for _ in range(3):
                signal.raise_signal(signal.SIGUSR1)
        assert caught == [signal.SIGUSR1]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_handlers_are_restored_where_the_stack_ends():
    def handler(*_):
        raise AssertionError

    def deep(levels):
        if levels:
            deep(levels - 1)
        else:
            with postponed():
                pass

    before = signal.signal(signal.SIGUSR1, handler)
    refused = 0
    try:
        for levels in range(sys.getrecursionlimit() - 200, sys.getrecursionlimit()):
            try:
                deep(levels)
            except RecursionError:
                refused += 1
            assert signal.getsignal(signal.SIGUSR1) is handler
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert 0 < refused < 200
