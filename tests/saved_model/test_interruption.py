"""Signal handlers that raise while a program replaces a SavedModel."""

from __future__ import annotations

import os
import signal

import tfcompat as tf


class Interrupt(BaseException):
    pass


def test_interrupted_save_leaves_a_model(tmp_path, monkeypatch):
    def handler(*_):
        raise Interrupt

    def save(value):
        module = tf.Module()
        module.v = tf.Variable(value)
        tf.saved_model.save(module, str(tmp_path / "model"))

    def counted(call):
        def change(*args, **options):
            nonlocal left
            left -= 1
            try:
                return call(*args, **options)
            finally:
                if left == 0:
                    signal.raise_signal(signal.SIGUSR1)

        return change

    left = 0
    save(-1.0)
    for name in ("mkdir", "remove", "rename", "replace", "rmdir", "unlink"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        interrupted = 0
        for number in range(20):
            left = number + 1
            try:
                save(float(number))
            except Interrupt:
                interrupted += 1
            assert tf.saved_model.load(str(tmp_path / "model")).v.numpy() in (number - 1, number)
            left = 0
            save(float(number))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert interrupted > 5 or tf.__name__ == "tensorflow"
