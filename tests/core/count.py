"""A small training step whose values are exact however they are rounded."""

from __future__ import annotations

import tfcompat as tf
from tests.core.line import KNOWN
from tfcompat._core.tracing.series import LONGEST

# The loops of `Count` are compiled after this number of steps (`series._OFTEN`).
OFTEN = 8


class Count:
    """Steps whose values are exact however they are rounded: after `n` steps `w` is n and `u` is the sum below n."""

    def __init__(self):
        self.w, self.u, self.extra = tf.Variable(0.0), tf.Variable(0.0), tf.Variable(0.0)
        for keeps in (False, True):
            self.reset()
            losses = [self.step() if keeps else self.step() and None for _ in range(KNOWN + 3 * LONGEST + OFTEN)]
            tf.sync()
            del losses

    def reset(self):
        for v in (self.w, self.u, self.extra):
            v.assign(0.0)
        self.losses = []

    def step(self, *, only_begins=False):
        with tf.GradientTape() as tape:
            # Where a step begins, the one before it ends.
            if only_begins:
                return None
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
