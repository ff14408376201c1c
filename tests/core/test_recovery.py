"""After an error, an interrupt or a lack of memory every variable has its old value, and the next step works."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core import flush
from tfcompat._core.program import Program

FAILURES = [
    (RuntimeError("broken"), RuntimeError),
    (KeyboardInterrupt(), KeyboardInterrupt),
    (
        jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 8 bytes."),
        tf.errors.ResourceExhaustedError,
    ),
    (jax.errors.JaxRuntimeError("INTERNAL: something"), tf.errors.InternalError),
]
FAILURE_NAMES = ["error", "interrupt", "memory", "internal"]


class Training:
    """A line fitted with momentum: four variables and a counter."""

    def __init__(self):
        self.x = tf.constant(np.linspace(0.0, 1.0, 8, dtype=np.float32))
        self.w, self.b = tf.Variable(0.5), tf.Variable(0.0)
        self.velocities = [tf.Variable(0.0), tf.Variable(0.0)]
        self.count = tf.Variable(0)

    def step(self):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.w * self.x + self.b - 3.0 * self.x))
        for v, m, g in zip([self.w, self.b], self.velocities, tape.gradient(loss, [self.w, self.b])):
            m.assign(0.9 * m + g)
            v.assign_sub(0.1 * m)
        self.count.assign_add(1)
        return loss

    def values(self):
        return [float(v) for v in (self.w, self.b, *self.velocities, self.count)]


def failing(error):
    def call(*_args, **_kwargs):
        raise error

    return call


@pytest.mark.parametrize(("error", "raised"), FAILURES, ids=FAILURE_NAMES)
@pytest.mark.parametrize("steps", [0, 1, 4], ids=["first_step", "second_step", "later_step"])
def test_failed_program_leaves_variables_as_they_were(monkeypatch, error, raised, steps):
    training, undisturbed = Training(), Training()
    for _ in range(steps):
        training.step()
        undisturbed.step()
    before = training.values()
    tf.sync()
    with monkeypatch.context() as patch:
        patch.setattr(Program, "__call__", failing(error))
        patch.setattr(flush, "run_op_by_op", failing(error))
        loss = training.step()
        with pytest.raises(raised):
            loss.numpy()
    assert training.values() == before
    for _ in range(3):
        again, expected = training.step(), undisturbed.step()
    assert training.values() == undisturbed.values()
    assert float(again) == float(expected)


@pytest.mark.parametrize(("error", "raised"), FAILURES, ids=FAILURE_NAMES)
def test_failure_when_the_next_step_begins(monkeypatch, error, raised):
    training = Training()
    for _ in range(3):
        training.step()
    before = training.values()
    with monkeypatch.context() as patch:
        patch.setattr(Program, "__call__", failing(error))
        training.step()
        with pytest.raises(raised):
            training.step()
    assert training.values() == before
    training.step()
    assert training.values() != before


def test_tensor_of_a_failed_program_can_be_read_later(monkeypatch):
    training = Training()
    for _ in range(3):
        expected = training.step()
    loss = training.step()
    with monkeypatch.context() as patch:
        patch.setattr(Program, "__call__", failing(RuntimeError("broken")))
        with pytest.raises(RuntimeError):
            loss.numpy()
    assert 0.0 < float(loss) < float(expected)


def test_failure_in_the_middle_of_a_tape(monkeypatch):
    v = tf.Variable(2.0)

    def step():
        with tf.GradientTape() as tape:
            y = v * v
            y.numpy()
            z = y * v
        return tape.gradient(z, v).numpy()

    for _ in range(3):
        step()
    v.assign_add(1.0)
    with monkeypatch.context() as patch:
        patch.setattr(Program, "__call__", failing(RuntimeError("broken")))
        patch.setattr(flush, "run_op_by_op", failing(RuntimeError("broken")))
        with pytest.raises(RuntimeError):
            step()
    assert float(v) == 2.0
    assert step() == 12.0


def test_refused_op_leaves_what_was_recorded():
    v, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = v * x * 2.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            y + tf.ones([3]) * 7.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.matmul(y, 5.0 * x)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.reduce_sum(y, axis=4)
        z = tf.reduce_sum(y * 0.5)
    assert float(z) == 11.0
    assert tape.gradient(z, v).numpy().tolist() == [3.0, 4.0]


def test_refused_op_does_not_compile_a_loop_again():
    v = tf.Variable([1.0, 2.0])

    def step():
        with pytest.raises(tf.errors.InvalidArgumentError):
            v + tf.constant([1.0, 2.0, 3.0]) * 2.0
        v.assign(v * 0.5 + 1.0)
        return v.numpy()

    for _ in range(3):
        step()
    with tf.counted() as counts:
        for _ in range(5):
            step()
    assert counts.compiles == 0


def out_of_range(v, rows):
    """A step that reads rows which it computes."""
    places = tf.cast(rows, tf.int32) + 1
    picked = tf.gather(v, places)
    v.assign(v * 2.0)
    return tf.reduce_sum(picked)


@pytest.mark.parametrize("warm", [0, 1, 3])
def test_bad_value_in_a_program_raises_at_the_next_read_and_changes_nothing(warm):
    v, other = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(5.0)
    for _ in range(warm):
        out_of_range(v, tf.constant([0.0, 1.0])).numpy()
    before = v.numpy().tolist()
    bad = out_of_range(v, tf.constant([0.0, 7.0]))
    other.assign_add(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.gather: .*test_recovery.py:\d+"):
        bad.numpy()
    assert v.numpy().tolist() == before
    assert float(other) == 5.0
    assert float(out_of_range(v, tf.constant([0.0, 1.0]))) == before[1] + before[2]
    assert v.numpy().tolist() == [2.0 * x for x in before]


def test_bad_value_that_nobody_reads_raises_at_a_later_read():
    v = tf.Variable([1.0, 2.0, 3.0])
    for _ in range(2):
        out_of_range(v, tf.constant([0.0, 1.0])).numpy()
    before = v.numpy().tolist()
    out_of_range(v, tf.constant([0.0, 7.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.gather"):
        v.numpy()
    assert v.numpy().tolist() == before


def test_scatter_with_a_bad_computed_row_changes_nothing():
    v = tf.Variable([1.0, 2.0, 3.0])
    for row in (0.0, 1.0):
        v.scatter_add(tf.IndexedSlices([1.0], tf.cast(tf.constant([row]) * 1.0, tf.int32)))
        v.numpy()
    before = v.numpy().tolist()
    v.scatter_add(tf.IndexedSlices([1.0], tf.cast(tf.constant([9.0]) * 1.0, tf.int32)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"scatter"):
        v.numpy()
    assert v.numpy().tolist() == before


def test_interrupted_first_compilation_can_be_repeated(monkeypatch):
    v = tf.Variable(np.ones(5, np.float32))

    def step():
        v.assign(tf.sin(v) * 3.0)

    with monkeypatch.context() as patch:
        patch.setattr(jax, "jit", failing(KeyboardInterrupt()))
        step()
        step()
        with pytest.raises(KeyboardInterrupt):
            v.numpy()
    assert v.numpy().tolist() == [1.0] * 5
    step()
    np.testing.assert_allclose(v, 3.0 * np.sin(np.ones(5)), rtol=1e-6)


def far_too_large(value):
    """1.6 PB: no machine has an address for it."""
    column = tf.ones([20_000_000, 1]) * value
    return tf.matmul(column, tf.transpose(column))


def test_error_of_memory_names_the_largest_tensor():
    with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        far_too_large(2.0).numpy()
    line = far_too_large.__code__.co_firstlineno + 3
    assert f"tf.matmul at {__file__}:{line}: float32[20000000,20000000]" in str(caught.value)
    assert "1,600,000,000,000,000 bytes" in str(caught.value)


def test_what_was_pending_with_an_oversized_tensor_can_be_read():
    v, w = tf.Variable(tf.ones([3]) * 5.0), tf.Variable(tf.ones([4]) * 6.0)
    fits = v * 2.0
    too_large = far_too_large(3.0)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        fits.numpy()
    for _ in range(2):
        assert fits.numpy().tolist() == [10.0] * 3
        assert v.numpy().tolist() == [5.0] * 3
        with pytest.raises(tf.errors.ResourceExhaustedError, match="float32"):
            too_large.numpy()
    assert (w + 1.0).numpy().tolist() == [7.0] * 4


def test_training_goes_on_beside_an_oversized_tensor():
    training, undisturbed = Training(), Training()
    too_large = far_too_large(4.0)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        training.step()
    for _ in range(3):
        training.step()
        undisturbed.step()
    assert training.values() == undisturbed.values()
    del too_large


def test_oversized_tensor_within_a_tape_leaves_the_tape_usable():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        too_large = far_too_large(5.0)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            y.numpy()
        assert float(y) == 9.0
    gradient = tape.gradient(y, v)
    assert float(gradient) == 6.0
    assert float(v + gradient) == 9.0
    del too_large
