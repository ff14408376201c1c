"""Values that are read while a tape is recording, or between its context and its gradient."""

from __future__ import annotations

import pytest

from tests.autodiff.reading import values
from tests.autodiff.subject import tf


def test_read_between_value_and_gradient():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x * x
    assert values(y) == 8.0
    assert values(tape.gradient(y, x)) == 12.0


def test_read_inside_the_context():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        m = x * x
        assert values(m) == 4.0
        y = m * x
        assert values(y) == 8.0
        z = y * m
    assert values(tape.gradient(z, [x, m, y])) == [80.0, 16.0, 4.0]


def test_read_decides_the_way():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x
        while y < 100.0:
            y = y * x
    assert values(y) == 128.0
    assert values(tape.gradient(y, x)) == 448.0


def test_read_of_a_variable_that_was_assigned():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        v.assign_add(1.0)
        assert values(v) == 3.0
        y = v * v
        assert v.numpy() == 3.0
        v.assign(y)
        assert v.numpy() == 9.0
        z = v * y
    assert values(tape.gradient(z, v)) == 63.0


def test_read_in_both_of_two_tapes():
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        m = x * x
        assert values(m) == 4.0
        with tf.GradientTape() as inner:
            y = m * x
            assert values(y) == 8.0
        g = inner.gradient(y, x)
        assert values(g) == 4.0
        z = g * x
        assert values(z) == 8.0
    assert values(outer.gradient(z, x)) == 12.0


def test_inner_tape_entered_after_a_read():
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        m = x * x
        assert values(m) == 4.0
        with tf.GradientTape() as inner:
            inner.watch(m)
            y = m * m * x
        g = inner.gradient(y, m)
        assert values(g) == 16.0
    assert values(outer.gradient(g, x)) == 24.0


def test_gradient_read_between_orders():
    x = tf.Variable(2.0)
    with tf.GradientTape() as a:
        with tf.GradientTape() as b:
            with tf.GradientTape() as c:
                y = x**5.0
            first = c.gradient(y, x)
            assert values(first) == 80.0
        second = b.gradient(first, x)
        assert values(second) == 160.0
    assert values(a.gradient(second, x)) == 240.0


def test_persistent_tape_with_reads_between_its_answers():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * x
    found = []
    for target in (y, z, y, z):
        found.append(values(tape.gradient(target, x)))
    assert found == [4.0, 12.0, 4.0, 12.0]


def test_print_of_the_loss_at_every_step():
    v = tf.Variable(2.0)
    seen = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = v * v
            seen.append(values(loss))
        v.assign_sub(0.25 * tape.gradient(loss, v))
    assert seen == [4.0, 1.0, 0.25, 0.0625]


def test_read_at_every_other_step():
    v = tf.Variable(2.0)
    for step in range(6):
        with tf.GradientTape() as tape:
            loss = v * v
            if step % 2:
                assert loss.numpy() == 4.0 / 4**step
        v.assign_sub(0.25 * tape.gradient(loss, v))
    assert values(v) == 2.0 / 2**6


def test_read_after_the_variable_moved_on():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v * v
    v.assign(100.0)
    assert values(v) == 100.0
    assert values(tape.gradient(y, v)) == 12.0
    assert values(y) == 8.0


def test_gradient_kept_unread_over_several_steps():
    v = tf.Variable(1.0)
    kept = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            y = v * v
        kept.append(tape.gradient(y, v))
        v.assign_add(1.0)
    assert [values(g) for g in kept] == [2.0, 4.0, 6.0, 8.0]


def test_error_in_a_value_inside_the_context():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.gather(x, [7])
        z = y * x
    assert values(tape.gradient(z, x)) == [3.0, 12.0]


def test_long_tape_is_cut_into_programs_unseen():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(2500):
            y = y + 0.5 * x
    assert values(y) == 1251.0
    assert values(tape.gradient(y, x)) == 1251.0
