"""Training that was killed continues with the same losses, bit for bit, as training that was not."""

from __future__ import annotations

import signal

import pytest

import tfcompat as tf
from tests import forked
from tests.fuzz.oracle import ROOT
from tests.saved import continuing

STEPS = 11


@pytest.fixture
def hosting(monkeypatch):
    """Lets the host evaluate small code that runs once, also where all tests compile."""
    monkeypatch.setattr(tf.config.settings, "is_hosting", True)


def losses(kind, folder, *arguments):
    """The lines that the process has printed, and its exit status."""
    command = ["-m", "tests.saved.continuing", kind, str(folder), *map(str, arguments)]
    done = forked.run(command, cwd=ROOT, timeout=300)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.stdout.splitlines(), done.returncode


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.thorough) if kind != "undecorated" else kind for kind in continuing.KINDS],
)
def test_killed_training_goes_on_bit_for_bit(kind, tmp_path):
    expected, _ = losses(kind, tmp_path / "whole", STEPS)
    assert len({line.split()[1] for line in expected}) == STEPS
    first, status = losses(kind, tmp_path / "killed", STEPS, 5)
    assert status == -signal.SIGKILL
    assert first == expected[:5]
    # The last checkpoint is that of the third step.
    again, status = losses(kind, tmp_path / "killed", STEPS, 7)
    assert status == -signal.SIGKILL
    assert again == expected[3:7]
    assert losses(kind, tmp_path / "killed", STEPS)[0] == expected[6:]


@pytest.mark.usefixtures("hosting")
def test_training_steps_are_compiled_at_once_after_a_restore(tmp_path):
    """So they round as in the process before, which has compiled them. Other code is still evaluated by the host."""
    v, x = tf.Variable([1.0, 2.0]), tf.constant([0.5, 0.25])

    def step(factor):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.sin(v * x) * factor))
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return loss

    with tf.counted() as before:
        float(step(tf.constant([1.0, 2.0])))
    assert before.compiles == 0
    checkpoint = tf.train.Checkpoint(v=v)
    checkpoint.read(checkpoint.write(str(tmp_path / "ck"))).assert_consumed()
    with tf.counted() as after:
        float(step(tf.constant(3.0)))
    assert after.compiles > 0
    with tf.counted() as other:
        tf.reduce_sum(tf.cos(v) * 2.0).numpy()
    assert other.compiles == 0
    assert other.host_ops > 0
