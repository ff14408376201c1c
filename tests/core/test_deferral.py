"""Small training steps that are not read start together, with the values of steps that start one by one."""

from __future__ import annotations

import threading

import jax
import pytest

import tfcompat as tf
from tests.core.line import KNOWN, Line, after, single_runs
from tfcompat._core.programs.program import Program
from tfcompat._core.tracing.series import LONGEST
from tfcompat._core.tracing.trace import here


@pytest.fixture
def runs(monkeypatch):
    """The programs that run after they have waited."""
    return single_runs(monkeypatch)


def failing(error):
    def call(*_args, **_kwargs):
        raise error

    return call


def test_a_read_starts_the_steps_that_wait(runs):
    line = Line()
    line.steps(KNOWN)
    tf.sync()
    before = len(runs)
    losses = line.steps(5)
    assert len(runs) == before
    assert len(here.deferral.traces) == 4  # the fifth step has not ended
    first = float(losses[0])
    assert len(runs) == before + 4
    assert first != float(losses[4])
    assert len(runs) == before + 4  # the fifth step runs at once
    assert not here.deferral.traces
    assert line.values() == after(KNOWN + 5)


def test_a_bounded_number_of_steps_waits():
    line = Line()
    waiting = []
    for _ in range(3 * LONGEST):
        line.step()
        waiting.append(len(here.deferral.traces))
    assert 0 < max(waiting) < LONGEST
    assert line.values() == after(3 * LONGEST)


def test_fewer_steps_with_many_variables_wait():
    variables = [tf.Variable(float(k)) for k in range(100)]
    waiting = []
    for _ in range(12):
        with tf.GradientTape() as tape:
            total = tf.add_n([v * v for v in variables])
        for v, g in zip(variables, tape.gradient(total, variables)):
            v.assign_sub(0.25 * g)
        waiting.append(len(here.deferral.traces))
    assert max(waiting) == 2
    assert [float(v) for v in variables] == [k * 0.5**12 for k in range(100)]


def test_sync_starts_them():
    line = Line()
    line.steps(KNOWN + 3)
    assert here.deferral.traces
    tf.sync()
    assert not here.deferral.traces
    assert line.w._held._trace is None


@pytest.mark.parametrize("sync", [tf.sync, tf.test.experimental.sync_devices])
def test_sync_waits_for_their_results(monkeypatch, sync):
    line = Line()
    line.steps(KNOWN)
    tf.sync()
    losses = line.steps(5)
    assert len(here.deferral.traces) == 4
    awaited = []
    monkeypatch.setattr(jax, "block_until_ready", awaited.append)
    sync()
    values = [*losses, line.w._held]
    assert {id(value._array) for value in values} <= set(map(id, awaited))


def test_each_step_counts_as_a_flush():
    line = Line()
    line.steps(KNOWN)
    with tf.counted() as happened:
        line.steps(40)
    assert (happened.flushes, happened.cache_hits, happened.compiles) == (40, 40, 0)
    assert happened.causes["tape"] == 40


def test_another_thread_reads_them():
    line = Line()
    line.steps(KNOWN + 3)
    assert here.deferral.traces
    found = []
    thread = threading.Thread(target=lambda: found.append(line.values()))
    thread.start()
    thread.join()
    assert not here.deferral.traces
    # The thread computes values of the last step alone, and rounds differently.
    assert found == [pytest.approx(after(KNOWN + 3))]
    assert line.values() == pytest.approx(after(KNOWN + 3))


def test_another_thread_assigns_a_variable_that_waits():
    line = Line()
    line.steps(KNOWN + 3)
    thread = threading.Thread(target=lambda: line.w.assign_add(1.0))
    thread.start()
    thread.join()
    expected = after(KNOWN + 3)
    assert line.values() == [pytest.approx(expected[0] + 1.0), *expected[1:]]


def test_values_that_wait_are_assigned_and_copied():
    line, target = Line(), tf.Variable(0.0)
    for _ in range(KNOWN + 3):
        line.step()
        target.assign(line.w)
    copy, snapshot = tf.Variable(line.b), line.w.value()
    line.steps(2)
    expected = after(KNOWN + 3)
    assert [float(target), float(copy), float(snapshot)] == [expected[0], expected[1], expected[0]]
    assert line.values() == after(KNOWN + 5)


def test_a_decorated_function_uses_variables_that_wait():
    line = Line()

    @tf.function
    def double():
        line.w.assign(line.w * 2.0)
        return line.w + 0.0

    double()
    line.w.assign(0.5)
    line.steps(KNOWN + 3)
    doubled = double()
    assert float(doubled) == 2.0 * after(KNOWN + 3)[0]
    line.steps(KNOWN)
    assert float(line.w) != float(doubled)


def test_integers_do_not_wait():
    count, v = tf.Variable(0), tf.Variable(1.0)
    for _ in range(KNOWN + 3):
        with tf.GradientTape() as tape:
            y = v * v
        v.assign_sub(0.1 * tape.gradient(y, v))
        count.assign_add(1)
        assert not here.deferral.traces
    assert int(count) == KNOWN + 3


def test_a_value_that_waits_is_checked_at_once():
    line = Line()
    losses = line.steps(KNOWN + 3)

    def check():
        assert losses[-1]._trace in here.deferral.traces
        tf.debugging.assert_greater(losses[-1], 100.0)
        raise AssertionError

    line.on_begin = check
    with pytest.raises(tf.errors.InvalidArgumentError):
        line.step()
    assert line.values() == after(KNOWN + 3)


def test_large_variables_do_not_wait():
    v = tf.Variable(tf.zeros([2048]))
    for _ in range(KNOWN + 3):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        v.assign_sub(0.1 * tape.gradient(y, v))
        assert not here.deferral.traces


@pytest.mark.parametrize(("size", "waits"), [(1 << 10, True), (1 << 17, False)], ids=["small", "large"])
def test_steps_that_read_many_bytes_do_not_wait(size, waits):
    v, x = tf.Variable(1.0), tf.ones([size])
    tf.sync()
    for _ in range(KNOWN + 3):
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(v * x)
        v.assign_sub(0.25 * tape.gradient(y, v))
    assert bool(here.deferral.traces) == waits
    assert float(v) == 1.0 - 0.25 * (KNOWN + 3)


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory."), tf.errors.ResourceExhaustedError),
        (jax.errors.JaxRuntimeError("INTERNAL: something"), tf.errors.InternalError),
    ],
    ids=["memory", "internal"],
)
def test_a_failure_restores_the_values_before_the_first_step_that_failed(monkeypatch, error, raised):
    line = Line()
    line.steps(KNOWN)
    tf.sync()
    before = line.values()
    losses = line.steps(4)
    with monkeypatch.context() as patch:
        patch.setattr(Program, "run_brief", failing(error))
        with pytest.raises(raised):
            losses[2].numpy()
    assert not here.deferral.traces
    assert line.values() == before
    again = line.steps(4)
    assert line.values() == after(KNOWN + 4)
    assert [float(loss) for loss in losses] == pytest.approx([float(loss) for loss in again])


def test_a_failure_where_no_further_step_may_wait(monkeypatch):
    line = Line()
    line.steps(KNOWN)
    tf.sync()
    before = line.values()
    with monkeypatch.context() as patch:
        patch.setattr(Program, "run_brief", failing(jax.errors.JaxRuntimeError("INTERNAL: something")))
        with pytest.raises(tf.errors.InternalError):
            line.steps(LONGEST + 1)
    assert line.values() == before
    line.steps(2)
    assert line.values() == after(KNOWN + 2)


def test_a_trace_that_an_interrupt_kept_from_waiting_is_computed():
    line = Line()
    line.steps(KNOWN)
    tf.sync()
    losses = line.steps(4)
    del here.deferral.traces[1]
    assert float(losses[2]) != float(losses[1])
    assert line.values() == after(KNOWN + 4)


@pytest.mark.parametrize("place", [1, 2, 4])
def test_an_interrupt_loses_no_step(monkeypatch, place):
    line = Line()
    line.steps(KNOWN)
    tf.sync()
    losses = line.steps(5)
    call, calls = Program.run_brief, []

    def interrupted(self, *args, **rest):
        calls.append(self)
        if len(calls) == place:
            raise KeyboardInterrupt
        return call(self, *args, **rest)

    with monkeypatch.context() as patch:
        patch.setattr(Program, "run_brief", interrupted)
        with pytest.raises(KeyboardInterrupt):
            line.w.assign_add(0.0 * losses[4].numpy())
    assert line.values() == after(KNOWN + 5)


def test_a_handler_that_reads_while_they_start(monkeypatch):
    line = Line()
    line.steps(KNOWN)
    tf.sync()
    line.steps(5)
    call, read = Program.run_brief, []

    def handled(self, *args, **rest):
        if not read:
            read.append(None)
            read.append(line.values())  # as a signal handler does at the first instruction
        return call(self, *args, **rest)

    with monkeypatch.context() as patch:
        patch.setattr(Program, "run_brief", handled)
        values = line.values()
    assert values == after(KNOWN + 5)
    assert read[1] == values
