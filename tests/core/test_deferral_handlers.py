"""Signal handlers at every place of the end of steps that wait: each step runs once, or continues to wait."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tests import checkpoint
from tests.checkpoint import checkpoints
from tests.core.count import Count, after
from tfcompat._core.tracing import deferral, trace
from tfcompat._core.tracing.deferral import Deferral
from tfcompat._core.tracing.trace import here

WAITING = 7


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


def test_a_handler_that_runs_steps_while_sync_collects_those_that_wait(monkeypatch, counted):
    monkeypatch.setattr(checkpoint, "is_watched", lambda filename: filename == trace.__file__)
    for place in checkpoints(lambda: counted.steps(3)):
        counted.reset()
        counted.steps(WAITING)
        with place:
            tf.sync()
        assert counted.values() == after(WAITING + 3 * place.is_reached)


def test_a_handler_that_runs_steps_before_the_one_that_waits_is_added(monkeypatch, counted):
    counted.reset()
    counted.steps(WAITING)
    tf.sync()
    counted.step()
    add, added = Deferral.add, []

    def interrupted(self, recording):
        if not added:
            added.append(recording)
            counted.steps(3)
        add(self, recording)

    with monkeypatch.context() as patch:
        patch.setattr(Deferral, "add", interrupted)
        counted.step()
    traces = list(here.deferral.traces)
    assert traces[2:] == added != []
    assert all(each.awaits(each.leaves[0]) for each in traces[:2])
    assert counted.values() == after(WAITING + 5)
