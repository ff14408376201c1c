"""The variables that a tape watches, and their order."""

from __future__ import annotations

from tests.autodiff.reading import values
from tests.autodiff.subject import tf


def test_watched_variables_stand_in_the_order_in_which_they_were_made():
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        c * b
        b * a
    watched = tape.watched_variables()
    assert type(watched) is tuple
    assert [v is w for v, w in zip(watched, (a, b, c), strict=True)] == [True] * 3


def test_watched_variables_are_known_after_the_gradient():
    a = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = a * a
    tape.gradient(y, a)
    assert len(tape.watched_variables()) == 1


def test_watched_variables_before_the_tape_was_entered():
    assert tf.GradientTape().watched_variables() == ()


def test_variable_is_watched_by_numpy_and_by_assignments():
    a, b, c, d = (tf.Variable(1.0) for _ in range(4))
    with tf.GradientTape() as tape:
        a.numpy()
        b.assign(2.0)
        c.assign_add(2.0)
        d.read_value()
    assert [v is w for v, w in zip(tape.watched_variables(), (a, b, c, d), strict=True)] == [True] * 4


def test_variable_is_not_watched_by_its_shape_or_dtype():
    a = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        _ = a.shape, a.dtype, a.name, a.trainable, a
    assert tape.watched_variables() == ()


def test_variable_that_is_not_trainable_is_not_watched():
    a = tf.Variable(1.0, trainable=False)
    with tf.GradientTape() as tape:
        y = a * a
    assert tape.watched_variables() == ()
    assert tape.gradient(y, a) is None


def test_variable_that_is_not_trainable_can_be_watched():
    a = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = a * a
    assert len(tape.watched_variables()) == 1
    assert values(tape.gradient(y, a)) == 6.0


def test_without_watch_accessed_variables_only_watched_ones_count():
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(a)
        y = a * b
    assert len(tape.watched_variables()) == 1
    assert values(tape.gradient(y, [a, b])) == [3.0, None]


def test_integer_variable_is_watched_and_has_no_gradient():
    n = tf.Variable(3)
    with tf.GradientTape() as tape:
        y = tf.cast(n, tf.float32) * 2.0
    assert len(tape.watched_variables()) == 1
    assert tape.gradient(y, n) is None
