"""`tf.timestamp` outside and inside functions."""

from __future__ import annotations

import time

import pytest

import tfcompat as tf
from tfcompat._random import seed


def test_time_is_now():
    before = time.time()
    told = tf.timestamp()
    assert (told.dtype, told.shape) == (tf.float64, [])
    assert before <= told.numpy() <= time.time()


def test_what_was_called_before_is_computed_first():
    x = tf.constant([1.0]) + 1.0
    with tf.counted() as happened:
        _ = tf.timestamp()
    assert happened.flushes == 1
    assert x.numpy() == [2.0]


def test_each_call_of_a_function_has_its_time():
    @tf.function
    def now(x):
        return tf.timestamp(), x * 2.0

    first, _ = now(tf.constant(1.0))
    assert first.dtype is tf.float64
    while (between := time.time()) <= first.numpy():
        pass
    second, _ = now(tf.constant(1.0))
    assert first.numpy() < between <= second.numpy() <= time.time()
    assert now.experimental_get_tracing_count() == 1


def test_time_is_no_part_of_deterministic_programs(monkeypatch):
    monkeypatch.setattr(seed._seeds, "allows_chance", False)
    with pytest.raises(tf.errors.FailedPreconditionError, match="when determinism is enabled"):
        tf.timestamp()
