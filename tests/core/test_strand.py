"""Interrupts and exceptions while replicas run in threads of their own, which take turns."""

from __future__ import annotations

import random
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.tracing import strand

D = tf.distribute


class Interrupted(BaseException):
    """Raised by a signal handler."""


class Alarm:
    """A signal whose handler raises `Interrupted`.

    Attributes:
      has_rung: whether the handler has run since the alarm was set.
    """

    def __init__(self) -> None:
        self.has_rung = False

    def set(self, seconds: float) -> None:
        """Raises the signal after `seconds`."""
        self.has_rung = False
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def ring(self, *_: object) -> None:
        """The handler."""
        self.has_rung = True
        raise Interrupted


@pytest.fixture
def alarm():
    """An alarm whose handler is installed."""
    made = Alarm()
    before = signal.signal(signal.SIGALRM, made.ring)
    yield made
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Threads that have nothing to do end at once."""
    monkeypatch.setattr(strand, "_PATIENCE", 0.0)


@pytest.fixture
def strategy():
    return D.MirroredStrategy([f"CPU:{number}" for number in range(4)])


def threads_end(before: set[threading.Thread]) -> bool:
    """Whether all threads but those of `before` end within a minute."""
    limit = time.monotonic() + 60.0
    while set(threading.enumerate()) - before:
        if time.monotonic() > limit:
            return False
        time.sleep(0.01)
    return True


def number() -> tf.Tensor:
    return D.get_replica_context().replica_id_in_sync_group


def endless() -> None:
    while True:
        pass


def waiting() -> None:
    if int(number()) == 2:
        endless()
    D.get_replica_context().merge_call(lambda _: None)


@pytest.mark.parametrize("step", [endless, waiting])
def test_an_interrupt_ends_all_replicas(strategy, alarm, step: Callable[[], None]):
    before = set(threading.enumerate())

    def interrupted() -> None:
        alarm.set(0.05)
        strategy.run(step)

    with pytest.raises(Interrupted):
        interrupted()
    assert threads_end(before)
    assert (D.has_strategy(), D.in_cross_replica_context()) == (False, False)
    assert strategy.reduce("SUM", strategy.run(number), axis=None).numpy() == 6


def test_threads_that_wait_late_are_resumed(strategy, monkeypatch):
    wait = strand.Strand._wait

    def late(self) -> None:
        while not self._is_running:
            time.sleep(0.001)
        wait(self)

    monkeypatch.setattr(strand.Strand, "_wait", late)
    for _ in range(2):
        assert strategy.run(lambda: D.get_replica_context().merge_call(lambda _: 1)) == 1


def test_the_caller_waits_once_for_a_turn_of_all_replicas(strategy, monkeypatch):
    woken: list[strand.Strand | None] = []
    wake = strand.Turns.wake

    def noted(self, following: strand.Strand | None) -> None:
        woken.append(following)
        wake(self, following)

    monkeypatch.setattr(strand.Turns, "wake", noted)
    order: list[int] = []

    def step() -> None:
        order.append(int(number()))
        D.get_replica_context().merge_call(lambda _: order.append(-1))
        order.append(int(number()))

    strategy.run(step)
    assert order == [0, 1, 2, 3, -1, 0, 1, 2, 3]
    assert [following is None for following in woken] == 2 * [False, False, False, True]


def test_threads_that_end_late_hold_no_results(strategy, monkeypatch):
    goes_on, wake = threading.Event(), strand.Turns.wake

    def late(self, following: strand.Strand | None) -> None:
        wake(self, following)
        goes_on.wait(60)

    monkeypatch.setattr(strand.Turns, "wake", late)
    try:
        result = strategy.run(lambda: tf.ones([2]) + 1.0)
        kept = list(map(weakref.ref, result.values))
        del result
        assert [each() for each in kept] == [None] * 4
    finally:
        goes_on.set()


def test_the_contexts_of_ended_replicas_are_left(strategy):
    left: list[int] = []

    def step() -> None:
        try:
            if int(number()) == 3:
                raise ValueError("the last replica fails")
            D.get_replica_context().merge_call(lambda _: None)
        finally:
            left.append(int(number()))

    with pytest.raises(ValueError, match="the last replica fails"):
        strategy.run(step)
    assert sorted(left) == [0, 1, 2, 3]


# Python loses an exception that a signal handler raises in the callback of a weak reference.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interrupts_at_random_moments_leave_components_equal(strategy, alarm):
    with strategy.scope():
        weights = tf.Variable(tf.ones([64, 64]))
        steps = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(weights @ weights))
        gradient = D.get_replica_context().all_reduce("SUM", tape.gradient(loss, weights))
        steps.assign_add(tf.ones([]))
        weights.assign_sub(1e-4 * gradient)

    for _ in range(20):  # compiles, and imports what JAX imports late
        strategy.run(step)
    before, chance, hits = set(threading.enumerate()), random.Random(7), 0

    def interrupted() -> None:
        """A function of its own, since Python 3.13 does not guard the end of a loop's turn by a `try` around it."""
        alarm.set(0.0005 + 0.02 * chance.random())
        while not alarm.has_rung:
            strategy.run(step)

    for _ in range(30):
        try:
            interrupted()
        except Interrupted:
            hits += 1
        assert len({component.numpy() for component in steps.values}) == 1
        assert all(np.isfinite(component.numpy()).all() for component in weights.values)
    assert hits > 0
    assert threads_end(before)


def test_a_signal_handler_reads_variables_while_replicas_run(strategy):
    with strategy.scope():
        variable = tf.Variable(1.0)
    read: list[float] = []
    main = threading.main_thread().ident
    assert main is not None

    def handler(*_: object) -> None:
        if not read:
            read.append(float(variable.values[3].numpy()))

    def step() -> None:
        variable.assign_add(1.0)
        if int(number()) == 2:
            limit = time.monotonic() + 60.0
            while not read and time.monotonic() < limit:
                # Again, because a signal that comes just before the main thread waits does not wake it.
                signal.pthread_kill(main, signal.SIGALRM)
                time.sleep(0.001)

    before = signal.signal(signal.SIGALRM, handler)

    try:
        strategy.run(step)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert read == [1.0]
    assert [component.numpy() for component in variable.values] == [2.0] * 4


def test_a_run_in_another_thread(strategy):
    results: list[float] = []

    def work() -> None:
        total = strategy.run(lambda: D.get_replica_context().all_reduce("SUM", tf.cast(number(), tf.float32)))
        results.append(float(total.values[0]))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == [6.0] * 3


def is_interrupted_at(strategy: D.Strategy, place: int) -> bool:
    """Whether a run reaches the line of `threading` with this number in time, where it is interrupted."""
    lines = 0

    def local(_: object, event: str, __: object) -> object:
        nonlocal lines
        lines += event == "line"
        if event == "line" and lines == place:
            signal.raise_signal(signal.SIGALRM)
        return local

    tracing = sys.gettrace()
    try:
        sys.settrace(lambda frame, *_: local if frame.f_code.co_filename == threading.__file__ else None)
        strategy.run(lambda: D.get_replica_context().merge_call(lambda _: 1))
    except Interrupted:
        pass
    finally:
        sys.settrace(tracing)
    return lines >= place


@pytest.mark.usefixtures("alarm")
def test_an_interrupt_while_threads_start_leaves_none(strategy):
    before, place = set(threading.enumerate()), 1
    while is_interrupted_at(strategy, place):
        assert threads_end(before), f"interrupted at line {place}"
        place += 1
    assert place > 10, "the trace function has missed the starts"
    assert strategy.reduce("SUM", strategy.run(number), axis=None).numpy() == 6
