"""Memory that large ops have freed is given back before a program is compiled, and not otherwise."""

from __future__ import annotations

import pytest

import tfcompat as tf
from tfcompat._core.system.heap import heap


@pytest.fixture
def trims(monkeypatch):
    """The calls that give memory back."""
    calls: list[int] = []
    monkeypatch.setattr(heap, "_trim", calls.append)
    heap.clear()
    yield calls
    heap.clear()


def _steps(size, count):
    """The programs that `count` steps of a loop compile; the first step runs op by op."""
    v = tf.Variable(tf.zeros([size]))
    with tf.counted() as happened:
        for _ in range(count):
            v.assign(tf.sin(v) * 0.5 + 1.0)
            tf.sync()
    assert happened.op_by_op >= 1
    return happened.compiles


def test_large_values_are_given_back_before_and_after_compiling(trims):
    assert _steps(4 << 20, 3) >= 1
    assert trims == [0, 0]


def test_small_values_stay(trims):
    assert _steps(64, 3) >= 1
    assert trims == []


def test_the_library_of_the_system_gives_memory_back():
    assert heap._trim(0) in (0, 1, None)
