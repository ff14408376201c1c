"""The logger for warnings about tapes."""

from __future__ import annotations

import logging

import tfcompat as tf


def test_logger_is_called_tensorflow():
    assert tf.get_logger() is logging.getLogger("tensorflow")


def test_integers_watched_are_told(caplog):
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(3))
    assert [(record.name, record.levelname) for record in caplog.records] == [("tensorflow", "WARNING")]


def test_level_of_the_logger_decides(caplog):
    tf.get_logger().setLevel("ERROR")
    try:
        with tf.GradientTape() as tape:
            tape.watch(tf.constant(3))
    finally:
        tf.get_logger().setLevel(logging.NOTSET)
    assert caplog.records == []
