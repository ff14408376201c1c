"""A signal handler that computes, at every place where Python may run it, changes nothing for the code around it."""

from __future__ import annotations

import itertools
import signal

import numpy as np
import pytest

import tfcompat as tf
from tests.checkpoint import Checkpoint, checkpoints
from tfcompat._core.structure.node import tree

FIRST = np.linspace(0.1, 0.9, 9, dtype=np.float32).reshape(3, 3)
INPUTS = np.arange(6, dtype=np.float32).reshape(2, 3) / 7


def loss_of(w, x):
    y = tf.nn.softmax(tf.tanh(x @ w) * 1.5 + 2.0)
    first, second = tf.split(y, [1, 2], axis=1)
    return tf.reduce_sum(y * tf.exp(y)) + tf.reduce_mean(first * second)


class Training:
    """Variables, and ways to train them."""

    def __init__(self):
        self.x = tf.constant(INPUTS)
        self.w, self.total = tf.Variable(FIRST), tf.Variable(0.0)
        self.count = tf.Variable(0)
        self.decorated = tf.function(self.undecorated)
        self.loss = tf.function(loss_of)

    def reset(self):
        self.w.assign(FIRST)
        self.total.assign(0.0)
        self.count.assign(0)
        tf.sync()

    def undecorated(self):
        with tf.GradientTape() as tape:
            loss = loss_of(self.w, self.x)
        self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
        self.total.assign_add(loss)
        self.count.assign_add(1)
        return loss

    def read_inside(self):
        with tf.GradientTape(persistent=True) as tape:
            loss = loss_of(self.w, self.x)
            scale = 1.0 + float(loss)
            loss = loss * scale
        self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
        self.total.assign_add(loss)
        self.count.assign_add(1)
        return loss

    def function_in_a_tape(self):
        with tf.GradientTape() as tape:
            loss = self.loss(self.w, self.x)
        self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
        self.total.assign_add(loss)
        self.count.assign_add(1)
        return loss

    def values(self):
        return [self.w.numpy(), self.total.numpy()]


def agree(found, expected):
    return all(np.allclose(one, other, rtol=1e-5) for one, other in zip(found, expected, strict=True))


WAYS = ("undecorated", "decorated", "read_inside", "function_in_a_tape")


@pytest.mark.parametrize(
    ("way", "reads", "stride"),
    [
        pytest.param("undecorated", True, 7, id="undecorated-reading-7"),
        *[
            pytest.param(
                way,
                reads,
                1,
                id=f"{way}-{'reading' if reads else 'recording'}",
                marks=() if way == "decorated" else pytest.mark.thorough,
            )
            for reads in (True, False)
            for way in WAYS
        ],
    ],
)
def test_handler_computes_at_any_place(way, reads, stride):
    training, own = Training(), tf.Variable([1.0, 2.0])
    step = getattr(training, way)

    def handler(*_):
        own.assign(own * 0.5 + 3.0)
        training.count.assign_add(1)
        if reads:
            (own * 2.0).numpy()

    def whole():
        step()
        return training.values()

    for _ in range(4):
        training.reset()
        expected = whole()
    before = signal.signal(signal.SIGUSR1, handler)
    failed = []
    try:
        for number, place in enumerate(checkpoints(lambda: signal.raise_signal(signal.SIGUSR1), stride)):
            training.reset()
            due = own.numpy() * 0.5 + 3.0
            with place:
                found = whole()
            if place.is_reached and not (agree(found, expected) and agree([own.numpy()], [due])):
                failed.append(number)
            if int(training.count) != 1 + place.is_reached:
                failed.append(number)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert number * stride > 100
    assert failed == []


def test_handler_makes_a_trace_wait_in_the_middle_of_a_step():
    """The program that waits does not compute the ops that the step adds to the trace afterwards."""
    total, w, own = tf.Variable(0.0), tf.Variable(tf.ones([3])), tf.Variable(1.0)

    def handler(*_):
        with tf.GradientTape() as tape:
            y = own * own
        tape.gradient(y, own)

    def train():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * 2.0) ** 2)
        w.assign_sub(0.0 * tape.gradient(loss, w))
        total.assign_add(1.0)

    for reads in (True, False):  # so that the programs are known
        for _ in range(8):
            total.assign_add(1.0)
            train()
            if reads:
                float(total)
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        for number in itertools.count():
            for _ in range(3):
                count = float(total)
                total.assign_add(1.0)
                with Checkpoint(number, lambda: signal.raise_signal(signal.SIGUSR1)) as place:
                    total.assign_add(1.0)
                train()
                train()
                assert (float(total), float(own), w.numpy().tolist()) == (count + 4.0, 1.0, [1.0, 1.0, 1.0])
            if not place.is_reached:
                break
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert number > 20


def test_handler_records_while_a_jacobian_is_recorded_for_the_first_time():
    """Its steps are neither among those for all rows nor stored with them."""
    w, own = tf.Variable([1.0, 2.0]), tf.Variable(0.0)

    def jacobian():
        with tf.GradientTape() as tape:
            y = w**2
        return tape.jacobian(y, w)

    before = signal.signal(signal.SIGUSR1, lambda *_: own.assign_add(1.0))
    try:
        for number in itertools.count(0, 40):
            own.assign(0.0)
            tree.clear()
            tf.sync()  # the next trace is one of the empty tree
            with Checkpoint(number, lambda: signal.raise_signal(signal.SIGUSR1)) as place:
                jacobian()
            if not place.is_reached:
                break
            assert jacobian().numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]
            assert own.numpy() == 1.0
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert number > 400
