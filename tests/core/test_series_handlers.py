"""Signal handlers at every place of the end of steps that wait: each step runs once, or continues to wait."""

from __future__ import annotations

import itertools

import pytest

import tfcompat as tf
from tests.checkpoint import Checkpoint
from tests.core.count import OFTEN, Count, after
from tests.daily import thorough
from tfcompat._core.tracing import series
from tfcompat._core.tracing.series import LONGEST, Series
from tfcompat._core.tracing.trace import here

WAITING = 7
# One of this number of places is tried.
STRIDE = pytest.mark.parametrize("stride", [19, thorough(1)])


@pytest.fixture
def loops(monkeypatch):
    """The lengths of the series that ran as loops."""
    found = []
    run = Series.run
    monkeypatch.setattr(Series, "run", lambda self, traces: found.append(run(self, traces)) or found[-1])
    return found


@pytest.fixture(scope="module")
def counted():
    before = series._OFTEN
    series._OFTEN = OFTEN
    yield Count()
    series._OFTEN = before


class Interrupted(Exception):
    """Raised by a handler."""


def interrupt(_):
    raise Interrupted


def read(count):
    count.values()


def read_in_the_middle(count):
    for k, loss in enumerate(count.losses[2:5], 2):
        assert float(loss) == k


def assign(count):
    count.extra.assign_add(1.0)


def other_steps(count):
    for _ in range(3):
        with tf.GradientTape() as tape:
            y = count.extra * 2.0
        count.extra.assign_add(0.5 * tape.gradient(y, count.extra))


def same_steps(number):
    def run(count):
        count.steps(number)

    return run


# Each with the number of steps that it adds, and the number that it adds to the other variable.
HANDLERS = {
    "reads": (read, 0, 0),
    "reads_in_the_middle": (read_in_the_middle, 0, 0),
    "assigns": (assign, 0, 1),
    "other_steps": (other_steps, 0, 3),
    "same_steps": (same_steps(3), 3, 0),
    "many_steps": (same_steps(LONGEST + 2), LONGEST + 2, 0),
    "interrupts": (interrupt, 0, 0),
}


def places(act, stride):
    for number in itertools.count(0, stride):
        place = Checkpoint(number, act)
        yield place
        if not place.is_reached:
            return


@STRIDE
@pytest.mark.parametrize("keeps", [False, True], ids=["dropped", "kept"])
@pytest.mark.parametrize("name", HANDLERS)
def test_a_handler_while_steps_run(counted, loops, name, keeps, stride):
    act, added, extra = HANDLERS[name]
    reached = 0
    for place in places(lambda: act(counted), stride):
        counted.reset()
        counted.losses = counted.steps(WAITING) if keeps else counted.steps(WAITING)[:0]
        try:
            with place:
                float(counted.w)
        except Interrupted:
            assert place.is_reached
        expected = WAITING + added * place.is_reached
        if name == "interrupts" and counted.values() != after(expected):
            expected -= 1  # the last step did not wait: it is undone
        assert counted.values() == after(expected), reached
        assert [float(loss) for loss in counted.losses] == list(range(len(counted.losses)))
        assert float(counted.extra) == extra * place.is_reached
        counted.steps(WAITING)
        assert counted.values() == after(expected + WAITING)
        reached += place.is_reached
    assert reached * stride > 100
    assert loops.count(WAITING - 1) > reached // 2


@STRIDE
@pytest.mark.parametrize("waiting", [0, thorough(3), LONGEST - 1])
@pytest.mark.parametrize("name", HANDLERS)
def test_a_handler_while_a_step_begins_to_wait(counted, name, waiting, stride):
    act, added, extra = HANDLERS[name]
    reached = 0
    for place in places(lambda: act(counted), stride):
        counted.reset()
        counted.losses = counted.steps(waiting + 1)
        try:
            with place:
                counted.step(only_begins=True)
        except Interrupted:
            assert place.is_reached
        expected = waiting + 1 + added * place.is_reached
        if name == "interrupts" and counted.values() != after(expected):
            expected -= 1
        assert counted.values() == after(expected), reached
        assert [float(loss) for loss in counted.losses] == list(range(len(counted.losses)))
        assert float(counted.extra) == extra * place.is_reached
        counted.steps(WAITING)
        assert counted.values() == after(expected + WAITING)
        assert not any(trace.waiting is None for trace in here.deferral.traces)
        reached += place.is_reached
    assert reached * stride > 40
