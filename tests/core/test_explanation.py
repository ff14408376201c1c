"""The log of flushes while `is_explaining` is set: the user's line, and only one entry without compilation."""

from __future__ import annotations

import re

import pytest

import tfcompat as tf
from tfcompat._core.structure import explanation


@pytest.fixture
def told(monkeypatch, capsys):
    """A function that returns the log since its last call, without the names of files."""
    monkeypatch.setattr(tf.config.settings, "is_explaining", True)
    explanation.clear()

    def lines():
        return [re.sub(r" at \S*:\d+", "", line) for line in capsys.readouterr().err.splitlines() if "flush at" in line]

    return lines


def test_flush_is_told_with_its_cause_its_steps_and_how_it_ran(told):
    v = tf.Variable([[1.25, 2.0]])
    for _ in range(4):
        (tf.sin(v) * 3.0).numpy()
    assert told() == [
        "tfcompat: flush (read): 2 steps, ran op by op",
        "tfcompat: flush (read): 2 steps, compiled",
        "tfcompat: flush (read): 2 steps, ran again",
    ]


def test_flush_in_the_middle_of_a_tape_counts_the_steps_since(told):
    v = tf.Variable([[1.25], [2.0]])
    for _ in range(300):
        with tf.GradientTape() as tape:
            y = tf.sin(v) * 3.0
            y.numpy()
            z = y + 1.0
        tape.gradient(z, v).numpy()
    tf.sync()
    said = told()
    assert "tfcompat: flush (read): 2 steps, ran again" in said
    assert len([line for line in said if "ran again" in line]) == 2


def test_flush_of_varying_structures_is_told_to_run_op_by_op(told):
    x = tf.Variable(1.0)
    for length in (9, 10, 11, 12, 13, 14):
        y = x
        for _ in range(length):
            y = tf.sin(y) * 0.5
        y.numpy()
    assert "tfcompat: flush (read): 28 steps, ran op by op" in told()


def test_flush_names_the_line_that_cut(monkeypatch, capsys):
    monkeypatch.setattr(tf.config.settings, "is_explaining", True)
    explanation.clear()
    x = tf.Variable([1.0, 2.0]) * 2.5
    float(x[0])
    assert f"flush at {__file__}:{test_flush_names_the_line_that_cut.__code__.co_firstlineno + 4} " in (
        capsys.readouterr().err
    )


def test_nothing_is_told_by_default(capsys):
    (tf.Variable([1.0, 2.0]) * 2.5).numpy()
    assert capsys.readouterr().err == ""
