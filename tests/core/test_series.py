"""Small training steps that wait run as a loop, with the digits of steps that run one by one."""

from __future__ import annotations

import gc
import threading
import weakref

import jax
import numpy as np
import pytest

import tfcompat as tf
from tests.core.line import KNOWN, Line, after, single_runs
from tfcompat._core.system.config import settings
from tfcompat._core.tracing import series
from tfcompat._core.tracing.series import LONGEST, MOST_LEAVES, Series
from tfcompat._core.tracing.trace import here

OFTEN = 8
# After this number of steps the loop is known: a step that has not ended does not wait.
LOOPING = KNOWN + LONGEST + OFTEN


@pytest.fixture(autouse=True)
def loops(monkeypatch):
    """The lengths of the series that run as loops. A loop is compiled early."""
    monkeypatch.setattr(series, "_OFTEN", OFTEN)
    found = []
    run = Series.run

    def noted(self, traces):
        known = self._loops is not None and any(self._loops.runs.values())
        count = run(self, traces)
        if known:
            found.append(count)
        return count

    monkeypatch.setattr(Series, "run", noted)
    return found


@pytest.fixture
def single(monkeypatch):
    """The programs that run one by one."""
    return single_runs(monkeypatch)


def looping(line=None):
    """A line whose steps run as loops."""
    line = line or Line()
    for _ in range(LOOPING):
        line.step()
    tf.sync()
    return line


def test_steps_run_as_a_loop(loops, single):
    line = looping()
    del loops[:], single[:]
    for _ in range(2 * LONGEST + 1):
        line.step()
    assert (loops, single) == ([LONGEST, LONGEST], [])
    assert line.values() == after(LOOPING + 2 * LONGEST + 1)


def test_one_loop_serves_all_lengths(loops, single):
    line = looping()
    del loops[:], single[:]
    with tf.counted() as happened:
        for count in (5, 9, 12):
            for _ in range(count + 1):
                line.step()
            tf.sync()
    assert (loops, single, happened.compiles) == ([5, 9, 12], [], 0)
    assert line.values() == after(LOOPING + 5 + 9 + 12 + 3)


def test_a_loop_is_as_long_as_the_series_before_it(loops, single):
    line = Line()
    for count in (KNOWN, 21, 21):
        for _ in range(count):
            line.step()
        tf.sync()
    del loops[:], single[:]
    for _ in range(LONGEST + 1):
        line.step()
    assert (loops, single) == ([20, LONGEST - 20], [])
    assert line.values() == after(KNOWN + 21 + 21 + LONGEST + 1)


def test_a_loop_is_not_longer_than_steps_that_may_wait(loops):
    variables = [tf.Variable(float(k)) for k in range(20)]
    waiting = []
    for _ in range(80):
        with tf.GradientTape() as tape:
            total = tf.add_n([v * v for v in variables])
        for v, g in zip(variables, tape.gradient(total, variables)):
            v.assign_sub(0.25 * g)
        waiting.append(len(here.deferral.traces))
    (longest,) = set(loops)
    assert longest == max(waiting) + 1 == -(-MOST_LEAVES // 20)
    assert [float(v) for v in variables] == [k * 0.5**80 for k in range(20)]


def test_few_steps_run_one_by_one(loops, single):
    line = looping()
    del loops[:], single[:]
    line.steps(3)
    tf.sync()
    assert (loops, len(single)) == ([], 2)


def test_it_is_compiled_once_and_counted():
    line = Line()
    line.steps(KNOWN)
    with tf.counted() as happened:
        for _ in range(6 * LONGEST):
            line.step()
        tf.sync()
    assert (happened.compiles, happened.flushes) == (1, 6 * LONGEST + 1)


def test_values_of_all_steps_that_are_kept(loops, single):
    line = looping()
    line.steps(LONGEST + OFTEN)  # the loop that returns the losses of all steps
    tf.sync()
    start = LOOPING + LONGEST + OFTEN
    del loops[:], single[:]
    losses = line.steps(LONGEST + 6)
    found = [float(loss) for loss in losses]
    assert (loops, single) == ([LONGEST, 5], [])
    other = Line()
    assert found == [float(other.step()) for _ in range(start + LONGEST + 6)][start:]


def test_values_that_seemed_unneeded_are_computed_when_they_are_read(monkeypatch, loops, single):
    line = looping()
    monkeypatch.setattr(series._Loops, "needed", lambda *_: ())
    del single[:]
    losses = line.steps(12)
    values = line.values()
    assert (loops[-1], single) == (11, [])
    fourth = float(losses[3])
    assert not single  # one value at a time
    found = [float(loss) for loss in losses]
    other = Line()
    # A value that is computed alone rounds differently.
    assert found == pytest.approx([float(other.step()) for _ in range(LOOPING + 12)][LOOPING:])
    assert (fourth, values) == (found[3], line.values())


def test_such_values_are_computed_in_another_thread(monkeypatch):
    line = looping()
    monkeypatch.setattr(series._Loops, "needed", lambda *_: ())
    losses = line.steps(12)
    line.values()
    found = []
    thread = threading.Thread(target=lambda: found.extend(float(loss) for loss in losses))
    thread.start()
    thread.join()
    assert found == [float(loss) for loss in losses]
    assert len(set(found)) == 12


def test_such_values_as_inputs_of_further_steps(monkeypatch):
    line, total = looping(), tf.Variable(0.0)
    monkeypatch.setattr(series._Loops, "needed", lambda *_: ())
    losses = line.steps(12)
    tf.sync()
    total.assign(tf.add_n(losses))
    assert float(total) == float(sum(np.float32(loss) for loss in losses))


class Read:
    """Steps that read a variable that is large enough to be donated, and that others assign."""

    def __init__(self):
        self.read, self.w = tf.Variable(tf.fill([4096], 2.0)), tf.Variable(0.0)
        self.double = tf.function(lambda: self.read.assign(self.read * 2.0))
        self.double()
        self.reset()
        self.steps(LOOPING)
        self.reset()

    def reset(self):
        self.read.assign(tf.fill([4096], 2.0))
        self.w.assign(0.0)
        tf.sync()

    def steps(self, count):
        losses = []
        for _ in range(count):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(self.read) * self.w
            self.w.assign_add(tape.gradient(loss, self.w))
            losses.append(loss)
        return losses

    def train(self):
        for _ in range(3):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(self.read * self.read)
            self.read.assign_sub(0.25 * tape.gradient(y, self.read))

    def in_a_thread(self):
        thread = threading.Thread(target=lambda: (self.read.assign(self.read * 3.0), self.double()))
        thread.start()
        thread.join()

    def fail(self):
        assign = tf.function(lambda: self.read.assign(tf.debugging.check_numerics(self.read / 0.0, "")))
        with pytest.raises(tf.errors.InvalidArgumentError):
            float(assign()[0])

    def restore(self, path):
        checkpoint = tf.train.Checkpoint(variables=[self.read, self.w])
        checkpoint.restore(checkpoint.save(str(path / "saved")))


@pytest.mark.parametrize("change", ["double", "train", "in_a_thread", "fail", "restore", "steps"])
def test_such_values_after_what_they_depend_on_was_assigned(monkeypatch, tmp_path, change):
    model = Read()
    monkeypatch.setattr(series._Loops, "needed", lambda *_: ())
    losses = model.steps(12)
    tf.sync()
    assert sum(loss._array is None for loss in losses) == 10
    getattr(model, change)(*{"restore": (tmp_path,), "steps": (2 * LONGEST,)}.get(change, ()))
    model.w.assign(100.0)
    assert [float(loss) for loss in losses] == [4.0 * k for k in range(12)]


def test_a_value_that_a_variable_holds_is_needed(loops):
    first, second = tf.Variable(1.0), tf.Variable(1.0)
    last = LOOPING + 2 * OFTEN + 12
    for k in range(last + 1):
        read, written = (first, second) if k % 2 else (second, first)
        with tf.GradientTape() as tape:
            if k == last:
                break
            loss = read * 0.5
        written.assign(loss + tape.gradient(loss, read))
        if k in (LOOPING, LOOPING + OFTEN, LOOPING + 2 * OFTEN):
            tf.sync()
    del loops[:]
    here.deferral.start()
    assert loops == [11]
    assert first._held._array is not None
    assert second._held._array is not None
    assert float(first) == float(second) == 1.0


def test_nothing_keeps_the_steps_of_a_loop():
    line = looping()
    line.steps(1)
    traces = []
    line.on_begin = lambda: traces.append(weakref.ref(here.trace))
    gc.disable()
    try:
        for _ in range(LONGEST):
            line.step()
        assert len(here.deferral.traces) < LONGEST
        tf.sync()
        assert [trace() for trace in traces[:-1]] == [None] * (LONGEST - 1)
    finally:
        gc.enable()


def test_batches_and_rates_that_change(loops):
    batches = np.random.default_rng(0).normal(size=(200, 8)).astype(np.float32)

    def trained(reads):
        line = Line()
        for k, batch in enumerate(batches):
            # The same tensor in two steps: a leaf that does not change, until it does.
            loss = line.step(tf.constant(batches[0] if k < 40 and k % 8 < 4 else batch), 0.1 / (k + 1))
            if reads:
                float(loss)
        return line.values()

    found = trained(reads=False)
    assert loops.count(LONGEST) > 4
    assert found == trained(reads=True)


def test_variables_that_users_keep(loops):
    line, kept = looping(), []
    del loops[:]
    for _ in range(3 * LONGEST):
        line.step()
        kept.append(line.w._held)
    found = [float(value) for value in kept]
    assert max(loops) > 0
    other = Line()
    expected = []
    for _ in range(LOOPING + 3 * LONGEST):
        other.step()
        expected.append(float(other.w))
    assert found == expected[LOOPING:]


def test_assignments_between_steps():
    line, other = looping(), Line()
    for _ in range(LOOPING):
        float(other.step())
    for k in range(3 * LONGEST):
        line.step()
        float(other.step())
        if k == 20:
            line.w.assign(2.0)
            other.w.assign(2.0)
    assert line.values() == other.values()


def test_a_loop_with_other_digits_is_not_used(monkeypatch, loops, single):
    function = Series._function

    def other(self, layout, places):
        run = function(self, layout, places)
        return lambda *args: [jax.numpy.nextafter(x, x + 1) for x in run(*args)]

    monkeypatch.setattr(Series, "_function", other)
    line = looping()
    del single[:]
    for _ in range(2 * LONGEST):
        line.step()
    assert not loops
    assert len(single) == LONGEST
    assert line.values() == after(LOOPING + 2 * LONGEST)


@pytest.mark.parametrize("name", ["is_deterministic", "is_continuing"])
def test_no_loop_where_digits_are_promised(monkeypatch, loops, single, name):
    line = looping()
    del loops[:], single[:]
    monkeypatch.setattr(settings, name, True)
    for _ in range(LONGEST + 1):
        line.step()
    assert (loops, len(single)) == ([0], LONGEST)


def failing(error):
    def run(*_args):
        raise error

    return run


def replace_loops(monkeypatch, run):
    """Makes `run(loop, *args)` run each loop."""
    call = Series._runs
    monkeypatch.setattr(
        Series,
        "_runs",
        lambda self, loop, *args: call(self, lambda *given: run(loop, *given), *args),
    )


def test_the_steps_of_a_loop_that_fails_run_one_by_one(monkeypatch, single):
    line = looping()
    del single[:]
    replace_loops(monkeypatch, failing(jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory.")))
    for _ in range(LONGEST + 1):
        line.step()
    assert len(single) == LONGEST
    assert line.values() == after(LOOPING + LONGEST + 1)


@pytest.mark.parametrize("is_early", [True, False])
def test_an_interrupt_loses_no_step(monkeypatch, is_early):
    line = looping()
    for _ in range(8):
        line.step()
    with monkeypatch.context() as patch:
        if is_early:
            replace_loops(patch, failing(KeyboardInterrupt))
        else:
            patch.setattr(
                Series, "_runs", lambda *args, call=Series._runs: call(*args) and failing(KeyboardInterrupt)()
            )
        with pytest.raises(KeyboardInterrupt):
            float(line.loss)
    assert line.values() == after(LOOPING + 8)


def test_a_handler_that_reads_while_a_loop_starts(monkeypatch):
    line, read = looping(), []
    for _ in range(9):
        line.step()

    def handled(loop, *args):
        if not read:
            read.append(None)
            read.append(line.values())
        return loop(*args)

    replace_loops(monkeypatch, handled)
    values = line.values()
    assert values == after(LOOPING + 9)
    assert read[1] == values
    line.steps(9)
    assert line.values() == after(LOOPING + 18)


def test_a_handler_that_runs_the_steps_for_which_a_loop_is_compiled(monkeypatch, loops):
    line, interrupted = Line(), []
    run = Series._runs

    def handled(self, *args):
        if not interrupted:
            interrupted.append(None)
            line.values()  # as a signal handler does at the first instruction
        return run(self, *args)

    monkeypatch.setattr(Series, "_runs", handled)
    count = 0
    while not interrupted:
        line.step()
        count += 1
    line = looping(line)
    assert loops
    assert line.values() == after(count + LOOPING)


def test_a_program_that_is_dropped_is_compiled_again():
    line = looping()
    for _ in range(5):
        line.step()
    for trace in here.deferral.traces:
        trace.waiting.release()
    assert line.values() == after(LOOPING + 5)
    for _ in range(5):
        line.step()
    assert line.values() == after(LOOPING + 10)
