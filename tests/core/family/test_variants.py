"""Loops whose sizes vary run by few padded programs, and compute the same as exact ones."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import signal
import weakref

import numpy as np
import pytest

import tfcompat as tf
from tests import forked
from tests.daily import thorough
from tfcompat._core.programs.family import programs, variants
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.system.config import settings

pytestmark = pytest.mark.usefixtures("without_host")
SIZES = (9, 12, 7, 14, 11, 12, 19, 10)


def normal(*shape):
    return np.random.default_rng(shape).normal(0, 0.3, shape).astype(np.float32)


class Dense:
    """A classifier of batches of any size, with momentum."""

    def __init__(self, width):
        self.weights = [tf.Variable(normal(*shape)) for shape in ((5, width), (width,), (width, 3))]
        self.momenta = [tf.Variable(np.zeros(w.shape, np.float32)) for w in self.weights]

    def loss(self, size):
        w, b, u = self.weights
        logits = tf.nn.relu(tf.constant(normal(size, 5)) @ w + b) @ u
        labels = tf.constant(np.arange(size, dtype=np.int32) % 3)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def step(self, size):
        with tf.GradientTape() as tape:
            loss = self.loss(size)
        for w, m, g in zip(self.weights, self.momenta, tape.gradient(loss, self.weights), strict=True):
            m.assign(0.9 * m + g)
            w.assign_sub(0.1 * m)
        return float(loss)


class Attention(Dense):
    """Attention with a softmax over the length, and a layer norm."""

    def __init__(self, width):
        self.weights = [tf.Variable(normal(width, width)) for _ in range(3)]
        self.momenta = [tf.Variable(np.zeros(w.shape, np.float32)) for w in self.weights]

    def loss(self, size):
        query, key, value = self.weights
        x = tf.constant(normal(3, size, query.shape[0]))
        mixed = tf.nn.softmax(tf.matmul(x @ query, x @ key, transpose_b=True)) @ (x @ value)
        x = x + mixed
        centred = x - tf.reduce_mean(x, -1, keepdims=True)
        x = centred * tf.math.rsqrt(tf.reduce_mean(centred**2, -1, keepdims=True) + 1e-5)
        return tf.reduce_mean(tf.square(tf.reduce_max(x, 1) - 1.0))


def trained(model, sizes=SIZES):
    """The losses of all steps, the parameters at the end, and the counts of events, compiled from scratch."""
    cache.clear()
    variants.clear()
    with tf.counted() as counts:
        losses = [model.step(size) for size in sizes]
        values = [w.numpy() for w in model.weights]
    return losses, values, counts


@pytest.mark.parametrize(("model", "width"), [thorough((Dense, 41)), (Attention, 6)], ids=["batch", "length"])
def test_loop_equals_one_of_exact_programs(monkeypatch, model, width):
    losses, values, counts = trained(model(width))
    assert counts.padded >= 4
    assert 1 <= counts.compiles <= 4
    monkeypatch.setattr(settings, "is_padding", False)
    expected, exact, counts = trained(model(width))
    assert (counts.padded, counts.compiles) == (0, len(set(SIZES)))
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for value, wanted in zip(values, exact, strict=True):
        np.testing.assert_allclose(value, wanted, atol=1e-5)


# Prints the losses of padded programs.
OPTIMISED = """
import tfcompat as tf
from tests.core.family.test_variants import SIZES, Attention

tf.config.settings.is_hosting = False
model = Attention(6)
print(*[model.step(size) for size in SIZES])
assert tf.counters().padded >= 4
"""


@pytest.mark.thorough
def test_maximum_is_found_again_in_its_derivative_by_programs_that_xla_optimises():
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    done = forked.run(["-c", OPTIMISED], environment=environment)
    assert done.returncode == 0, done.stderr
    expected = (0.435599, 0.360976, 0.294246, 0.600219, 0.380816, 0.354519, 0.442632, 0.423565)
    np.testing.assert_allclose(list(map(float, done.stdout.split())), expected, rtol=1e-5)


def test_small_loop_is_padded_once_the_host_has_worked_enough(monkeypatch):
    monkeypatch.setattr(settings, "is_hosting", True)
    monkeypatch.setattr(variants, "_FAMILY", 0.0)
    monkeypatch.setattr(programs, "_MASKED", 0.0)
    losses, _, counts = trained(Dense(42))
    assert counts.op_by_op >= 1
    assert counts.padded >= 1
    monkeypatch.setattr(settings, "is_padding", False)
    expected, _, counts = trained(Dense(42))
    assert counts.padded == 0
    np.testing.assert_allclose(losses, expected, rtol=1e-5)


def test_two_sizes_that_vary_share_a_program():
    kernel = tf.Variable(normal(43, 43))
    kernel.numpy()
    with tf.counted() as counts:
        for rows, length in ((5, 11), (6, 9), (4, 12), (8, 12), (7, 10)):
            x = normal(rows, length, 43)
            found = tf.reduce_sum(tf.reshape(x @ kernel, [rows, length * 43]), 1).numpy()
            np.testing.assert_allclose(found, (x @ kernel.numpy()).sum((1, 2)), rtol=1e-4, atol=1e-4)
    assert counts.padded >= 3
    assert counts.compiles <= 3


def test_buffers_of_variables_are_taken_over():
    v = tf.Variable(tf.ones([10_007]))

    def step(size):
        v.assign_add(tf.ones([10_007]) * tf.reduce_mean(tf.ones([size, 3])))
        tf.sync()

    for size in (5, 6, 7, 8, 10, 11):
        step(size)
    gc.collect()  # JAX's tracing leaves cycles that hold frames, and with them the latest values
    step(9)
    held, address = weakref.ref(v._tensor._array), v._tensor._array.unsafe_buffer_pointer()
    with tf.counted() as counts:
        step(12)
        step(3)
    assert counts.padded == 2
    assert held() is None
    assert v._tensor._array.unsafe_buffer_pointer() == address
    assert (v.numpy() == 10.0).all()


def test_failed_check_raises_and_keeps_variables():
    table = tf.Variable(normal(5, 44))

    def step(size, row):
        rows = tf.cast(tf.ones([size]) * row, tf.int32)
        found = tf.gather(table, rows)
        table.assign_add(tf.ones([5, 44]) * tf.reduce_mean(found))
        return found

    for size in (5, 6, 7):
        found = step(size, 2.0).numpy()
        np.testing.assert_array_equal(found[0], found[size - 1])
    before = table.numpy()
    with tf.counted() as counts:
        found = step(8, 7.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.gather.*test_variants\.py:\d+"):
            found.numpy()
    assert counts.padded == 1
    np.testing.assert_array_equal(table.numpy(), before)
    assert step(9, 1.0).shape == (9, 44)
    assert not np.array_equal(table.numpy(), before)


def test_bad_row_behind_the_end_is_no_error():
    table = tf.Variable(normal(9, 45))
    table.numpy()
    with tf.counted() as counts:
        for size in (5, 7, 9, 6, 8):
            # The position of an element: behind the end there are larger ones than 8.
            rows = tf.cast(tf.cumsum(tf.ones([size])), tf.int32) - 1
            np.testing.assert_array_equal(tf.gather(table, rows).numpy(), table.numpy()[:size])
    assert counts.padded >= 3
    assert classes() == [[(8,), (12,)]]


@pytest.mark.parametrize("size", [0, 1])
def test_sizes_of_0_and_1_run_exactly(size):
    kernel = tf.Variable(normal(46, 3))

    def step(n):
        x = tf.constant(normal(n, 46))
        return tf.reduce_sum(x @ kernel, 0).numpy()

    for n in (5, 6, 7):
        step(n)
    with tf.counted() as counts:
        found = step(size)
    assert (counts.padded, counts.compiles) == (0, 1)
    np.testing.assert_allclose(found, (normal(size, 46) @ kernel.numpy()).sum(0), atol=1e-5)
    with tf.counted() as counts:
        step(8)
    assert counts.padded == 1


def test_structure_without_a_rule_runs_exactly(capfd, monkeypatch):
    monkeypatch.setattr(settings, "is_explaining", True)
    found = []
    for is_padding in (True, False):
        monkeypatch.setattr(settings, "is_padding", is_padding)
        kernel = tf.Variable(normal(3, 3, 2, 4))
        with tf.counted() as counts:
            for size in (8, 9, 11, 12):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(
                        tf.nn.conv2d(tf.image.resize(normal(2, size, size, 2), [8, 8]), kernel, 2, "VALID") ** 2
                    )
                kernel.assign_sub(0.001 * tape.gradient(loss, kernel))
        assert counts.padded == 0
        found.append(kernel.numpy())
    np.testing.assert_array_equal(*found)
    assert capfd.readouterr().err.count("no padded program for the flush at") == 1


def answers(width, sizes):
    """The value for each of the sizes, in their order."""
    variants.clear()
    kernel = tf.Variable(normal(width, width))
    return {n: tf.reduce_sum(tf.tanh(tf.constant(normal(n, width)) @ kernel)).numpy() for n in sizes}


def classes():
    """The sizes of all padded programs, skeleton by skeleton."""
    return [
        [tuple(known.largest.values()) for known in served._classes]
        for found in variants._known.values()
        for served in found._programs.values()
    ]


def test_classes_follow_from_sizes_alone_where_results_must_repeat(monkeypatch):
    monkeypatch.setattr(settings, "is_deterministic", True)
    answers(47, (5, 6, 30, 21, 7, 22))
    (rising,) = classes()
    answers(48, (5, 6, 7, 22, 30))
    (other,) = classes()
    assert sorted(rising) == sorted(other) == [(8,), (32,)]


def test_classes_without_determinism_have_room_for_what_came():
    answers(49, (5, 30, 6, 7, 60))
    assert classes() == [[(32,), (72,)]]


def test_shape_that_returns_gets_its_exact_program():
    kernel = tf.Variable(normal(50, 50))

    def step(n):
        with tf.counted() as counts:
            tf.reduce_sum(tf.constant(normal(n, 50)) @ kernel).numpy()
        return counts.padded, counts.compiles

    for n in (5, 6):
        step(n)
    steps = [step(7) for _ in range(40)]
    # The first step is forgotten, and 32 run before there is a program.
    assert {padded for padded, _ in steps[:33]} == {1}
    assert steps[33:] == [(0, 1), *[(0, 0)] * 6]


@pytest.mark.parametrize("is_many", [False, True])
def test_shapes_that_return_after_many_others_compile_nothing(is_many, monkeypatch):
    monkeypatch.setattr(settings, "is_hosting", True)
    width, sizes = (54, range(5, 15)) if is_many else (57, (5, 6))
    kernel = tf.Variable(normal(width, width))
    with tf.counted() as counts:
        for n in (*sizes, *sizes):
            tf.reduce_sum(tf.constant(normal(n, width)) @ kernel).numpy()
    assert (counts.op_by_op, counts.padded, counts.compiles) == ((20, 0, 0) if is_many else (2, 0, 2))


def test_forward_accumulators_run_padded():
    kernel = tf.Variable(normal(55, 55))
    with tf.counted() as counts:
        for n in (5, 9, 7, 12, 11):
            x = tf.constant(normal(n, 55))
            with tf.autodiff.ForwardAccumulator(kernel, tf.ones([55, 55])) as accumulator:
                value = tf.reduce_sum(tf.tanh(x @ kernel))
            found = accumulator.jvp(value).numpy()
            slope = 1 - np.tanh(normal(n, 55) @ normal(55, 55)) ** 2
            np.testing.assert_allclose(found, (slope * normal(n, 55).sum(1, keepdims=True)).sum(), rtol=1e-4)
    assert counts.padded >= 4


def test_room_for_shapes_that_came_before_the_first_program(monkeypatch):
    monkeypatch.setattr(settings, "is_hosting", True)
    monkeypatch.setattr(programs, "_MASKED", 0.0)
    monkeypatch.setattr(variants, "_FAMILY", 1e9)  # there is a family once a shape returns
    kernel = tf.Variable(normal(56, 56))
    for n in (40, 30, 20, 10, 20):
        found = tf.reduce_sum(tf.tanh(tf.constant(normal(n, 56)) @ kernel)).numpy()
    assert classes() == [[(48,)]]
    np.testing.assert_allclose(found, np.tanh(normal(20, 56) @ normal(56, 56)).sum(), rtol=1e-4)


def test_size_that_equals_another_by_chance_leaves_the_programs_in_place():
    _, _, counts = trained(Attention(16), (9, 14, 16, 10, 11, 13))
    # An exact program for the first size and for the one that equals the width, a padded one for the others.
    assert (counts.padded, counts.compiles) == (4, 3)


def test_number_of_classes_is_bounded():
    answers(51, (1500, 1400, 1300))
    ((served,),) = [list(found._programs.values()) for found in variants._known.values() if found._programs]
    served._cost_of_compiling = 1.0  # a tighter program always pays
    rng = np.random.default_rng(0)
    for n in rng.integers(2, 1500, 3000).tolist():
        assert served._chosen({"s0": n}).covers({"s0": n})
    assert 5 <= len(served._classes) <= 12


def test_number_of_skeletons_is_bounded(monkeypatch):
    monkeypatch.setattr(variants, "_MOST_VARIANTS", 3)
    x = tf.ones([5, 53])
    for function in (tf.sin, tf.cos, tf.tan, tf.sinh, tf.cosh):
        function(x).numpy()
    assert len(variants._known) == 3


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_signals_at_random_moments_of_padded_runs_lose_nothing():
    v, w = tf.Variable(tf.zeros([10_009])), tf.Variable(tf.zeros([10_009]))

    def step(size):
        added = tf.reduce_mean(tf.ones([size, 3]))
        v.assign_add(tf.ones([10_009]) * added)
        w.assign_add(tf.ones([10_009]) * added)
        tf.sync()

    for size in range(2, 17):  # the class of each size, and its recording, are there
        step(size)
    rng = random.Random(0)
    raised = []

    def interrupt(*_):
        raised.append(True)
        raise KeyboardInterrupt

    def interrupted(trial):
        """A function of its own, since Python 3.13 does not guard the end of a loop's turn by a `try` around it."""
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 2e-2))
        # Python loses an exception that is raised in the callback of a weak reference.
        while len(raised) == trial:
            step(rng.randrange(2, 17))

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with tf.counted() as counts:
            for trial in range(40):
                with contextlib.suppress(KeyboardInterrupt):
                    interrupted(trial)
                tf.sync()
                first, second = v.numpy(), w.numpy()
                assert (first == first[0]).all()
                assert (second == second[0]).all()
                assert 0.0 <= first[0] - second[0] <= 1.0  # between the two assignments, while recording
                w.assign(v)
                step(rng.randrange(2, 17))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(raised) == 40
    assert counts.padded >= 40


def test_size_beyond_32_bits_is_no_size_of_a_padded_program():
    @tf.function
    def total(count):
        return tf.reduce_sum((tf.zeros([count]) + 1.0)[:2] * 2.0)

    for count in (3, 4, 5, 6, 1 << 52, 7):
        with contextlib.suppress(tf.errors.ResourceExhaustedError):  # unless the program makes no such array
            assert total(count).numpy() == 4.0
