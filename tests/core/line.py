"""A small training step whose program may wait for those of the next steps, and its values without waiting."""

from __future__ import annotations

import numpy as np

import tfcompat as tf
from tfcompat._core.programs.program import Program

KNOWN = 3  # after this number of steps the program is compiled


class Line:
    """A line fitted with momentum: four floating variables. It refers to the loss of the last step."""

    def __init__(self):
        self.x = tf.constant(np.linspace(0.0, 1.0, 8, dtype=np.float32))
        self.w, self.b = tf.Variable(0.5), tf.Variable(0.0)
        self.velocities = [tf.Variable(0.0), tf.Variable(0.0)]
        self.loss = None
        self.on_begin = lambda: None

    def step(self, x=None, rate=0.1):
        x = self.x if x is None else x
        with tf.GradientTape() as tape:
            self.on_begin()
            loss = tf.reduce_mean(tf.square(self.w * x + self.b - 3.0 * x))
        for v, m, g in zip([self.w, self.b], self.velocities, tape.gradient(loss, [self.w, self.b])):
            m.assign(0.9 * m + g)
            v.assign_sub(rate * m)
        self.loss = loss
        return loss

    def steps(self, count):
        return [self.step() for _ in range(count)]

    def values(self):
        return [float(v) for v in (self.w, self.b, *self.velocities)]


def after(count):
    """The values after `count` steps, each of which is read."""
    line = Line()
    for _ in range(count):
        float(line.step())
    return line.values()


def single_runs(monkeypatch):
    """The programs that run one by one, after they have waited."""
    found = []
    call = Program.run_brief
    monkeypatch.setattr(
        Program, "run_brief", lambda self, *args, **rest: found.append(self) or call(self, *args, **rest)
    )
    return found
