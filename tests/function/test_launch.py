"""Repeated calls interrupted by an exception, a handler or another thread: no value is lost, and later calls work."""

from __future__ import annotations

import inspect
import signal
import sys
import threading

import pytest

import tfcompat as tf
from tests.checkpoint import checkpoints
from tests.daily import thorough
from tfcompat._core.system.lock import CheckedLock, binding
from tfcompat._core.tracing import flush, trace
from tfcompat._function.running import launch
from tfcompat._function.running.claim import Claim
from tfcompat._function.running.execution import Execution
from tfcompat._function.running.launch import Launch

TIMEOUT = 120
WARM = 5


def in_thread(function, *args):
    """The result of `function(*args)` in a thread of its own; fails if it does not end."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(function(*args)), daemon=True)
    thread.start()
    thread.join(TIMEOUT)
    assert not thread.is_alive(), "a thread waits for ever"
    return answers[0]


@pytest.fixture
def alone(monkeypatch):
    """Lets a call find no other thread: it then claims nothing."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


@pytest.fixture(params=[False, True], ids=["alone", "among_threads"])
def has_threads(request, monkeypatch):
    """Whether a call finds other threads: it then claims the variables that it assigns."""
    monkeypatch.setattr(threading, "active_count", lambda: 1 + request.param)
    return request.param


@pytest.fixture
def flushed(monkeypatch):
    """The calls that were not launches."""
    calls = []
    monkeypatch.setattr(Execution, "_flush", lambda *args, flush=Execution._flush: calls.append(args) or flush(*args))
    return calls


class Settled:
    """A decorated step that counts itself in `a`, which it reads, and in `b` and `c`, which it only assigns."""

    def __init__(self):
        self.a, self.b, self.c = (tf.Variable(tf.zeros([4])) for _ in range(3))
        self.one = tf.ones([4])
        self._function = tf.function(self._counted, autograph=False)
        for _ in range(WARM):
            self.step()

    def _counted(self, x):
        self.a.assign_add(x)
        self.b.assign(self.a * 1.0)
        self.c.assign(self.a * 1.0)
        return tf.reduce_sum(self.a)

    def step(self):
        return self._function(self.one)

    def values(self):
        return [set(v.numpy().tolist()) for v in (self.a, self.b, self.c)]

    def steps(self, before):
        """How many steps were done: as many as `before`, or one more."""
        values = self.values()
        steps = values[0].pop()
        assert values == [set(), {steps}, {steps}]
        assert steps in (before, before + 1.0)
        return steps


def interrupt():
    raise KeyboardInterrupt


def test_launch_that_is_interrupted_anywhere_is_done_or_not_done(has_threads, flushed):
    settled = Settled()
    flushed.clear()
    steps, interrupts = float(WARM), 0
    for place in checkpoints(interrupt):
        try:
            with place:
                settled.step()
            assert not place.is_reached, "the interrupt was swallowed"
        except KeyboardInterrupt:
            interrupts += 1
        steps = in_thread(settled.steps, steps) if has_threads else settled.steps(steps)
        settled.step()
        steps += 1.0
        assert settled.values() == [{steps}] * 3
    assert interrupts > 50
    assert not flushed


@pytest.mark.usefixtures("alone")
def test_flush_that_is_interrupted_anywhere_is_done_or_not_done(flushed):
    settled = Settled()
    steps, interrupts = float(WARM), 0
    for place in checkpoints(lambda: signal.raise_signal(signal.SIGINT)):  # some code notes signals, and they wait
        flushed.clear()
        kept = settled.a.read_value()  # whose buffer no launch may take
        try:
            with place:
                settled.step()
            assert flushed
        except KeyboardInterrupt:
            interrupts += 1
        assert set(kept.numpy().tolist()) == {steps}
        steps = settled.steps(steps)
    assert interrupts > 50


@pytest.mark.usefixtures("alone")
def test_assignments_of_a_handler_that_comes_into_a_launch_are_kept():
    settled = Settled()
    variables = settled.a, settled.b, settled.c

    def assign():
        for v in variables:
            v.assign(tf.fill([4], 100.0))

    for place in checkpoints(assign):
        with place:
            settled.step()
        if place.is_reached:
            # The handler came after the step or before it.
            assert settled.values() in ([{100.0}] * 3, [{101.0}] * 3)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("stride", [7, thorough(1)])
def test_random_numbers_are_drawn_once_though_a_handler_assigns_a_variable_during_a_launch(stride):
    total = tf.Variable(0.0)

    @tf.function
    def drawn():
        number = tf.random.normal([])
        total.assign_add(number)
        return number

    def draws():
        tf.random.set_seed(3)
        return [float(drawn()), float(drawn()), float(tf.random.normal([]))]

    expected = draws()
    for place in checkpoints(lambda: total.assign_add(1.0), stride):
        total.assign(0.0)
        with place:
            found = draws()
        assert found == expected
        assert float(total) == pytest.approx(sum(expected[:2]) + place.is_reached, abs=1e-5)


def test_launch_that_runs_out_of_stack_anywhere_is_done_or_not_done(has_threads):
    settled = Settled()
    steps, refusals = float(WARM), 0
    depth = len(inspect.stack(0))
    before = sys.getrecursionlimit()
    for room in range(4, 40):
        try:
            sys.setrecursionlimit(depth + room)
            settled.step()
        except RecursionError:
            refusals += 1
        finally:
            sys.setrecursionlimit(before)
        steps = in_thread(settled.steps, steps) if has_threads else settled.steps(steps)
        settled.step()
        steps += 1.0
        assert settled.values() == [{steps}] * 3
    assert 5 < refusals < 30


class LaunchBeside:
    """A call of `step` in another thread, which halts in its launch until a thread waits for the buffers it has taken.

    Attributes:
      has_halted: whether it came to a launch.
    """

    def __init__(self, monkeypatch, step):
        self._step = step
        self._stands, self._goes_on = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._call, daemon=True)
        self._is_done = False
        self.has_halted = False
        run, wait = Launch._run, Claim.materialise
        monkeypatch.setattr(Launch, "_run", lambda *args: self._halt() or run(*args))
        monkeypatch.setattr(Claim, "materialise", lambda *args: self._awaited(*args, wait=wait))

    def begin(self):
        """Lets the call begin, unless this thread holds the lock that it needs, and waits until it has halted."""
        if not (binding.is_mine() if isinstance(binding, CheckedLock) else binding._is_owned()):
            self._thread.start()
            assert self._stands.wait(TIMEOUT)

    def end(self):
        """Lets the call end, and begin if it has not begun."""
        self._goes_on.set()
        if self._thread.ident is None:
            self._thread.start()
        self._thread.join(TIMEOUT)
        assert self._is_done

    def _call(self):
        self._step()
        self._is_done = True
        self._stands.set()

    def _awaited(self, claim, *args, wait):
        self._goes_on.set()
        wait(claim, *args)
        assert not claim._gate.locked(), "the launch has not ended"

    def _halt(self):
        if threading.current_thread() is self._thread:
            self.has_halted = True
            self._stands.set()
            assert self._goes_on.wait(TIMEOUT)


def readings(v):
    """Ways to read v + 0.5, by name."""
    decorated = tf.function(lambda: v + 0.5, autograph=False)
    return {"variable": lambda: v.numpy() + 0.5, "op": lambda: (v + 0.5).numpy(), "launch": lambda: decorated().numpy()}


@pytest.mark.parametrize("kind", readings(None))
def test_value_that_a_launch_of_another_thread_has_taken_is_waited_for_anywhere(monkeypatch, kind):
    v = tf.Variable(tf.zeros([4]))
    step = tf.function(lambda: v.assign_add(tf.ones([4])), autograph=False)
    read = readings(v)[kind]
    for _ in range(WARM):
        step()
        read()
    steps, launches = float(WARM), []
    for place in checkpoints(lambda: launches[-1].begin()):
        with monkeypatch.context() as patch:
            launches.append(LaunchBeside(patch, step))
            with place:
                found = read()
            launches[-1].end()
        assert set(found.tolist()) in ({steps + 0.5}, {steps + 1.5})
        steps += 1.0
        assert set(v.numpy().tolist()) == {steps}
    assert sum(beside.has_halted for beside in launches) > 2


class Hiding:
    """In the place of the lock `binding`: another thread's claim takes `tensor` as the `number`-th holder asks for it.

    Attributes:
      is_reached: whether there were that many.
    """

    def __init__(self, monkeypatch, tensor, number):
        self._tensor = tensor
        self._left = number
        self._claim = in_thread(Claim)
        self.is_reached = False
        for module in (trace, flush):
            monkeypatch.setattr(module, "binding", self)
        # The thread that waits for the claim allows it to end.
        monkeypatch.setattr(Claim, "materialise", lambda *args, wait=Claim.materialise: self.end() or wait(*args))

    def __enter__(self):
        if self._left == 0:
            self.is_reached = True
            self._claim.hide([self._tensor], [self._tensor._array], (), (), ())
        self._left -= 1
        return binding.__enter__()

    def __exit__(self, *raised):
        return binding.__exit__(*raised)

    def end(self):
        if self.is_reached:
            self._claim.end(has_results=False)


@pytest.mark.parametrize("is_of_another_thread", [False, True], ids=["own_trace", "trace_of_another_thread"])
def test_run_waits_for_a_leaf_that_a_claim_takes_as_it_is_chosen(monkeypatch, is_of_another_thread):
    v = tf.Variable(tf.zeros([4]))
    number, is_reached = 0, True
    while is_reached:
        v.assign_add(tf.ones([4]))
        tf.sync()
        tensor = in_thread(lambda: v + 0.5) if is_of_another_thread else v + 0.5
        with monkeypatch.context() as patch:
            place = Hiding(patch, v._held, number)
            assert set(tensor.numpy().tolist()) == {number + 1.5}
            place.end()
        assert set(v.numpy().tolist()) == {number + 1.0}
        number, is_reached = number + 1, place.is_reached
    assert number > 1


@pytest.mark.parametrize("is_late", [False, True], ids=["before_the_call", "in_the_call"])
def test_launch_that_gives_up_shows_the_old_value_of_a_variable_though_it_was_pending(monkeypatch, is_late):
    total, last = tf.Variable(tf.zeros([4])), tf.Variable(tf.zeros([4]))

    @tf.function(autograph=False)
    def step():
        total.assign_add(tf.ones([4]))
        last.assign(tf.ones([4]))

    for _ in range(WARM):
        step()
    begins, stands = threading.Event(), threading.Event()
    found, given_up = [], []

    def read():
        assert begins.wait(TIMEOUT)
        found.append(set(last.numpy().tolist()))
        stands.set()

    def reading(*args):
        """Lets the other thread read the tensors that the launch has just claimed."""
        given_up.append(None)
        begins.set()
        assert stands.wait(TIMEOUT)
        return are_shared(*args)

    def gathered(*args):
        arrays = gather(*args)
        if is_late:
            last.assign_add(tf.ones([4]))
        return arrays

    are_shared, gather, wait = launch.are_shared, Launch._gathered, Claim.materialise
    monkeypatch.setattr(launch, "are_shared", reading)
    monkeypatch.setattr(Launch, "_gathered", gathered)
    monkeypatch.setattr(Claim, "materialise", lambda *args: stands.set() or wait(*args))
    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    if not is_late:
        last.assign_add(tf.ones([4]))
    kept = total.read_value()  # whose buffer no program may take
    step()
    begins.set()
    thread.join(TIMEOUT)
    assert found == [{1.0} if is_late else {2.0}]
    assert bool(given_up) is not is_late
    assert [set(v.numpy().tolist()) for v in (kept, total, last)] == [{WARM}, {WARM + 1.0}, {1.0}]


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(("kind", "stride"), [("launch", 1), ("flush", 7), thorough(("flush", 1))])
def test_assignment_of_a_handler_that_raises_comes_before_a_step_or_behind_it(kind, stride):
    settled = Settled()
    steps = float(WARM)

    def handle(*_):
        settled.a.assign_add(tf.fill([4], 100.0))
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handle)
    interrupts = 0
    try:
        for place in checkpoints(lambda: signal.raise_signal(signal.SIGINT), stride):
            kept = settled.a.read_value() if kind == "flush" else None  # whose buffer no launch may take
            try:
                with place:
                    settled.step()
            except KeyboardInterrupt:
                interrupts += 1
            if place.is_reached:
                [a], [b], [c] = settled.values()
                assert (a - 100.0, b) == (c, c), f"{a - 100.0}, {b}, {c} after {steps} steps"
                assert c in (steps, steps + 1.0)
            for v in (settled.a, settled.b, settled.c):
                v.assign(tf.fill([4], steps))
            del kept
            settled.step()
            steps += 1.0
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupts * stride > 50
