"""Buffers: references, donation to programs, and growth in long loops."""

from __future__ import annotations

import copy
import gc
import weakref

import jax
import numpy as np
import pytest

import tfcompat as tf

SIZE = 100_003


def live_buffers(size=SIZE):
    """The number of live arrays of `size` elements."""
    gc.collect()
    return sum(array.size == size for array in jax.live_arrays())


@pytest.fixture
def big():
    v = tf.Variable(np.ones(SIZE, np.float32))
    for _ in range(3):
        v.assign_add(tf.ones([SIZE]))
        tf.sync()
    return v


@pytest.mark.usefixtures("without_host")
def test_buffer_of_a_variable_is_taken_over(big):
    held = weakref.ref(big._tensor._array)
    address = big._tensor._array.unsafe_buffer_pointer()
    big.assign(big * 2.0 + 1.0)
    tf.sync()
    assert held() is None
    assert big._tensor._array.unsafe_buffer_pointer() == address


@pytest.mark.parametrize("keeps_gradient", [False, True], ids=["variables_alone", "gradient_alive"])
def test_each_of_several_variables_keeps_its_buffer(keeps_gradient):
    # In the order of their first use the buffers would rotate, and XLA would copy all of them.
    v, m, s = (tf.Variable(np.full(SIZE, k, np.float32)) for k in (3.0, 2.0, 1.0))
    held = []

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(v - 3.0))
        gradient = tape.gradient(loss, v)
        held[:] = [gradient] if keeps_gradient else []
        m.assign(0.9 * m + 0.1 * gradient)
        s.assign(0.99 * s + 0.01 * tf.square(gradient))
        v.assign_sub(0.1 * m / (tf.sqrt(s) + 1e-7))
        tf.sync()
        return [variable._tensor._array.unsafe_buffer_pointer() for variable in (v, m, s)]

    for _ in range(4):
        step()
    assert step() == step() == step()


def test_training_keeps_one_buffer_for_each_variable():
    before = live_buffers()
    v, m = tf.Variable(np.ones(SIZE, np.float32)), tf.Variable(np.zeros(SIZE, np.float32))

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(v - 3.0))
        m.assign(0.9 * m + tape.gradient(loss, v))
        v.assign_sub(0.1 * m)

    counts = []
    for _ in range(6):
        step()
        tf.sync()
        counts.append(live_buffers() - before)
    assert counts[-3:] == [2, 2, 2]


@pytest.mark.parametrize(
    "snapshot",
    [
        lambda v: v.read_value(),
        lambda v: v.value(),
        lambda v: tf.identity(v),
        lambda v: tf.convert_to_tensor(v),
        lambda v: copy.deepcopy(v),
        lambda v: v.numpy(),
        lambda v: np.asarray(v),
        lambda v: v.__jax_array__(),
    ],
    ids=["read_value", "value", "identity", "convert", "deepcopy", "numpy", "asarray", "jax"],
)
def test_snapshot_of_a_big_variable_stays_valid(big, snapshot):
    kept = snapshot(big)
    expected = np.asarray(big)[0]
    for _ in range(3):
        big.assign(big * 2.0)
        tf.sync()
    np.testing.assert_array_equal(np.asarray(kept)[:3], [expected] * 3)
    assert np.asarray(big)[0] == expected * 8.0


def test_snapshot_taken_at_some_steps_only(big):
    kept = []
    for i in range(6):
        if i % 2:
            kept.append(big.read_value())
        big.assign_add(tf.ones([SIZE]))
        tf.sync()
    assert [float(tensor[0]) for tensor in kept] == [5.0, 7.0, 9.0]
    assert float(big[0]) == 10.0


def test_two_variables_may_hold_the_same_array(big):
    other = tf.Variable(big.read_value())
    tf.sync()
    for _ in range(3):
        big.assign(big * 2.0)
        tf.sync()
    assert (float(other[0]), float(big[0])) == (4.0, 32.0)
    big.assign(other)
    for _ in range(3):
        other.assign(other * 3.0)
        tf.sync()
    assert (float(other[0]), float(big[0])) == (108.0, 4.0)


def test_data_is_never_taken_over():
    data = tf.constant(np.ones(SIZE, np.float32))
    v = tf.Variable(data)
    for _ in range(4):
        v.assign(v + data)
        tf.sync()
    assert (float(data[0]), float(v[0])) == (1.0, 5.0)


def test_gradient_of_what_was_read_before_an_assignment():
    v = tf.Variable(np.full(SIZE, 2.0, np.float32))
    for _ in range(3):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
            v.assign(v * 0.5)
        v.numpy()
        gradient = tape.gradient(y, v)
        assert float(gradient[0]) == 4.0 * float(v[0])


def test_dropped_step_leaves_no_buffers():
    before = live_buffers()
    v = tf.Variable(np.ones(SIZE, np.float32))
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.exp(v) * tf.sin(v))
        gradient = tape.gradient(loss, v)
        v.assign_sub(0.001 * gradient)
        tf.sync()
    del tape, loss, gradient
    tf.sync()
    assert live_buffers() - before == 1
    del v
    assert live_buffers() - before == 0


def test_long_loop_keeps_nothing():
    v = tf.Variable(tf.zeros([7, 11]))

    def step(i):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(v - float(i)))
        v.assign_sub(0.1 * tape.gradient(loss, v))

    for i in range(30):
        step(i)
    tf.sync()
    gc.collect()
    arrays, objects = len(jax.live_arrays()), len(gc.get_objects())
    for i in range(300):
        step(i)
    tf.sync()
    gc.collect()
    assert len(jax.live_arrays()) <= arrays + 2
    assert len(gc.get_objects()) <= objects + 200
