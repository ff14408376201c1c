"""Signal handlers at every place of the end of steps that wait: each step runs once, or continues to wait."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests import checkpoint
from tests.checkpoint import checkpoints
from tfcompat._core import deferral
from tfcompat._core.deferral import Deferral
from tfcompat._core.trace import here

KNOWN = 3  # after this number of steps the program is compiled
WAITING = 7


class Count:
    """Steps whose values are exact however they are rounded: after `n` steps `w` is n and `u` is the sum below n."""

    def __init__(self):
        self.w, self.u = tf.Variable(0.0), tf.Variable(0.0)
        self.steps(KNOWN)
        self.reset()

    def reset(self):
        for v in (self.w, self.u):
            v.assign(0.0)

    def step(self):
        with tf.GradientTape() as tape:
            loss = 1.0 * self.w + 0.0 * self.u
        (g,) = tape.gradient(loss, [self.w])
        self.u.assign_add(loss)
        self.w.assign_add(g)
        return loss

    def steps(self, count):
        return [self.step() for _ in range(count)]

    def values(self):
        return float(self.w), float(self.u)


def after(count):
    return float(count), count * (count - 1) / 2.0


@pytest.fixture(scope="module")
def counted():
    return Count()


def test_a_handler_that_reads_between_the_steps_that_start(monkeypatch, counted):
    monkeypatch.setattr(checkpoint, "is_watched", lambda filename: filename == deferral.__file__)
    for place in checkpoints(counted.values):
        counted.reset()
        counted.steps(WAITING + 1)
        with place:
            assert float(counted.w) == WAITING + 1
        assert counted.values() == after(WAITING + 1)


def test_a_handler_that_runs_steps_before_the_one_that_waits_is_added(monkeypatch, counted):
    counted.reset()
    counted.steps(WAITING)
    tf.sync()
    counted.step()
    add, added = Deferral.add, []

    def interrupted(self, trace):
        if not added:
            added.append(trace)
            counted.steps(3)
        add(self, trace)

    with monkeypatch.context() as patch:
        patch.setattr(Deferral, "add", interrupted)
        counted.step()
    traces = list(here.deferral.traces)
    assert traces[2:] == added != []
    assert all(trace.awaits(trace.leaves[0]) for trace in traces[:2])
    assert counted.values() == after(WAITING + 5)
