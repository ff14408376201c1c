"""Tapes that several threads ask and enter; the gradients are TensorFlow's."""

from __future__ import annotations

import threading

import tfcompat as tf


def in_another_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_persistent_tape_answers_in_another_thread_and_back():
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    ask = lambda: float(tape.gradient(y, v))  # noqa: E731
    assert [in_another_thread(ask), ask(), in_another_thread(ask), ask()] == [6.0] * 4


def test_persistent_tape_goes_on_after_it_was_asked_in_another_thread():
    v, x = tf.Variable(3.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = v * x

    def work():
        with tape:
            w = y * y * x
        return w, tape.gradient(w, [v, x, y])

    w, first = in_another_thread(work)
    with tape:
        u = w * y
    gradients = [*first, *tape.gradient(u, [v, x, y, w]), *tape.gradient(w, [v, x, y])]
    assert [float(gradient) for gradient in gradients] == [48, 108, 24, 432, 864, 216, 6, 48, 108, 24]


def test_gradient_of_what_another_thread_still_records():
    v = tf.Variable(3.0)
    tape = tf.GradientTape(persistent=True)

    def work():
        tape.__enter__()
        return v * v

    y = in_another_thread(work)
    assert float(tape.gradient(y, v)) == 6.0
