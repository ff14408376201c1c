"""Assertions raise at once if the value is known, and by the next read inside a tape."""

from __future__ import annotations

import threading
import weakref

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.system.counter import counted
from tfcompat._ops.debugging import value_assertion
from tfcompat._ops.debugging.value_assertion import watch

X = tf.constant(5.0)


@pytest.mark.parametrize(
    "check",
    [
        lambda y: tf.debugging.assert_less(y, 3.0, message="words"),
        lambda y: tf.debugging.assert_equal(y, 3.0, message="words"),
        lambda y: tf.debugging.assert_non_positive(y, message="words"),
        lambda y: tf.debugging.check_numerics(y / 0.0, "words"),
        lambda y: tf.debugging.assert_near(y, 3.0, message="words"),
    ],
    ids=["less", "equal", "sign", "finite", "near"],
)
def test_broken_assertion_names_its_message(check):
    with pytest.raises(tf.errors.InvalidArgumentError, match="words"):
        check(X * 2.0)


def test_assertion_in_a_tape_costs_no_flush_and_is_raised_by_the_read():
    with tf.GradientTape() as tape:
        tape.watch(X)
        with counted() as counts:
            y = X * 2.0
            tf.debugging.assert_less(y, 3.0, message="too large")
        assert counts.flushes == 0
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"too large Condition x < y did not hold. .*test_debugging"
    ):
        y.numpy()
    assert (y.numpy() == 2.0 * X.numpy()).all()


def test_assertion_in_a_tape_that_holds_says_nothing():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * 2.0
        tf.debugging.assert_less(y, 30.0)
        tf.debugging.Assert(y > 1.0, [y])
        z = tf.debugging.check_numerics(y, "finite")
    assert tape.gradient(z, X).numpy() == 2.0


def test_assertions_are_forgotten_when_they_have_failed_or_their_thread_has_ended():
    waiting = []

    def doubled(bound):
        y = X * 2.0
        tf.debugging.assert_less(y, bound)
        waiting.append(weakref.ref(watch.waiting.outcomes[-1]))
        return y

    for _ in range(3):
        with tf.GradientTape(), pytest.raises(tf.errors.InvalidArgumentError):
            doubled(3.0).numpy()

    def ending():
        tf.GradientTape().__enter__()
        doubled(30.0)

    thread = threading.Thread(target=ending)
    thread.start()
    thread.join()
    with tf.GradientTape():
        doubled(30.0)
    assert [reference() is None for reference in waiting] == [True, True, True, True, False]


def test_very_many_messages_do_not_make_very_many_programs(monkeypatch):
    monkeypatch.setattr(value_assertion, "_MOST_MESSAGES", 16)
    watch.clear()
    for number in range(40):
        with tf.GradientTape():
            tf.debugging.assert_less(X * 2.0, 30.0, message=f"step {number}")
    assert len(watch.ops) <= 17
    watch.clear()


def test_several_elements_are_no_condition():
    with pytest.raises(ValueError, match="ambiguous"):
        tf.debugging.Assert(tf.constant([True, False]), [X])
    with pytest.raises(TypeError, match="list"):
        tf.debugging.Assert(X > 9.0, X)


def test_failed_condition_shows_its_data():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[1, 2\]"):
        tf.debugging.Assert(False, [tf.constant([1, 2, 3])], summarize=2)


def test_dtypes_must_agree():
    with pytest.raises(tf.errors.InvalidArgumentError, match="same dtype"):
        tf.debugging.assert_equal([1, 2], [1.0, 2.0])
    with pytest.raises(ValueError, match="floating or complex"):
        tf.debugging.assert_near([1], [1])


def test_infinities_are_not_near():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_near([np.inf], [np.inf])


def test_only_tensors_of_numbers_are_numeric():
    assert tf.debugging.is_numeric_tensor(X)
    assert not tf.debugging.is_numeric_tensor(1)
    assert not tf.debugging.is_numeric_tensor(tf.constant(True))


def test_assert_all_finite_refuses_nan():
    assert tf.debugging.assert_all_finite(tf.constant([1.0, 2.0]), "bad").numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        tf.debugging.assert_all_finite(tf.constant([1.0, float("nan")]), "bad").numpy()


@pytest.mark.parametrize(
    ("check", "sign"),
    [("assert_positive", ">"), ("assert_non_negative", ">="), ("assert_negative", "<"), ("assert_non_positive", "<=")],
)
def test_signs_are_compared_with_0(check, sign):

    def required(x):
        getattr(tf.debugging, check)(x, message="hello")
        return x

    for value in ([1.0, -1.0], [-1.0, 1.0]):
        for way in (required, tf.function(required)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=f"Condition x {sign} 0"):
                way(tf.constant(value))
