"""Families that the host serves: nothing is compiled for sizes that vary, and results are those of programs."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import tfcompat as tf
from tests.core.family.test_variants import SIZES, Attention, Dense, normal, trained
from tests.daily import thorough
from tfcompat._core.programs import program
from tfcompat._core.programs.family import programs, variants
from tfcompat._core.system.config import settings
from tfcompat._jaxpr.host import control
from tfcompat._jaxpr.host.evaluation import HostProgram


@pytest.fixture(autouse=True)
def made_at_the_second_shape(monkeypatch):
    """Families are made at the second shape."""
    monkeypatch.setattr(variants, "_FAMILY", 0.0)


@pytest.mark.parametrize(("model", "width"), [thorough((Dense, 58)), (Attention, 10)], ids=["batch", "length"])
def test_host_serves_a_family(monkeypatch, model, width):
    losses, values, counts = trained(model(width))
    assert (counts.op_by_op, counts.padded, counts.compiles, counts.op_compiles) == (len(SIZES), 0, 0, 0)
    monkeypatch.setattr(settings, "is_hosting", False)
    monkeypatch.setattr(settings, "is_padding", False)
    expected, exact, _ = trained(model(width))
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for value, wanted in zip(values, exact, strict=True):
        np.testing.assert_allclose(value, wanted, atol=1e-5)


def test_collections_do_not_visit_the_kernels_for_a_size(monkeypatch):
    kernels, collects = [], []

    class Watched(HostProgram):
        def _for(self, values):
            found = super()._for(values)
            kernels.append(weakref.ref(found))
            collects.append(gc.isenabled())
            return found

    monkeypatch.setattr(programs, "HostProgram", Watched)
    trained(Dense(57))
    assert kernels
    assert not any(collects)
    assert gc.isenabled()
    assert not any(kernel() for kernel in kernels)


def test_new_sizes_of_a_family_are_not_planned(monkeypatch):
    model, plans = Dense(56), []
    trained(model, (5, 6, 7))

    class Counted(program.Plan):
        def __init__(self, *given):
            plans.append(given)
            super().__init__(*given)

    monkeypatch.setattr(program, "Plan", Counted)
    losses = [model.step(size) for size in (8, 9, 10)]
    assert not plans
    # The program for a size that returns in a row is that of its own sizes.
    with tf.counted() as counts:
        repeated = [model.step(11) for _ in range(6)]
    assert (counts.compiles, len(plans)) == (1, 1)
    monkeypatch.setattr(settings, "is_padding", False)
    expected = Dense(56)
    trained(expected, (5, 6, 7))
    np.testing.assert_allclose([expected.step(size) for size in (8, 9, 10, *[11] * 6)], [*losses, *repeated], rtol=1e-5)


def test_a_failed_check_names_the_line_of_its_recording():
    table = tf.Variable(normal(5, 55))

    def known(size, row):
        rows = tf.cast(tf.ones([size]) * row, tf.int32)
        return tf.reduce_sum(tf.gather(table, rows))

    def other(size, row):
        rows = tf.cast(tf.ones([size]) * row, tf.int32)
        return tf.reduce_sum(tf.gather(table, rows))

    for size in (5, 6, 7):
        known(size, 2.0).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"test_programs.py:{other.__code__.co_firstlineno + 2}"):
        other(8, 7.0).numpy()


def test_variables_keep_their_values_if_a_check_fails_on_the_host():
    table = tf.Variable(normal(5, 59))

    def step(size, row):
        rows = tf.cast(tf.ones([size]) * row, tf.int32)
        table.assign_add(tf.ones([5, 59]) * tf.reduce_mean(tf.gather(table, rows)))
        tf.sync()

    for size in (5, 6, 7):
        step(size, 2.0)
    before = table.numpy()
    with tf.counted() as counts:
        step(8, 7.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.gather"):
            table.numpy()
    assert (counts.op_by_op, counts.compiles) == (1, 0)
    np.testing.assert_array_equal(table.numpy(), before)


@pytest.mark.parametrize(
    ("width", "others", "on_host"), [(60, (5,), 2), (59, (5, 7, 8, 9), 7)], ids=["a few sizes", "many sizes"]
)
def test_steady_loop_after_other_sizes_gets_its_program(width, others, on_host):
    kernel = tf.Variable(normal(width, width))
    with tf.counted() as counts:
        for n in (*others, *[6] * 10):
            found = tf.reduce_sum(tf.constant(normal(n, width)) @ kernel).numpy()
            np.testing.assert_allclose(found, (normal(n, width) @ normal(width, width)).sum(), rtol=1e-3)
    assert (counts.op_by_op, counts.padded, counts.compiles) == (on_host, 0, 1)


def test_loop_without_an_end_on_the_host_is_padded(monkeypatch):
    monkeypatch.setattr(control, "_PATIENCE", 1e5)

    @tf.function(input_signature=[tf.TensorSpec([None, 62])])
    def settled(x):
        return tf.while_loop(lambda y: tf.reduce_max(y) > 1e-3, lambda y: (y * 0.99,), (x,))[0]

    for n in (5, 6, 7, 8):
        found = settled(tf.ones([n, 62])).numpy()
        assert found.shape == (n, 62)
        assert 0.9e-3 < found.max() <= 1e-3


def runs(width, sizes):
    """The counts (op by op, padded, compiled) of one computation for each of `sizes`."""
    kernel = tf.Variable(normal(width, width))
    ran = []
    for n in sizes:
        with tf.counted() as counts:
            found = tf.reduce_sum(tf.tanh(tf.constant(normal(n, width)) @ kernel)).numpy()
        np.testing.assert_allclose(found, np.tanh(normal(n, width) @ normal(width, width)).sum(), rtol=1e-3)
        ran.append((counts.op_by_op, counts.padded, counts.compiles))
    return ran


HOST, PADDED, COMPILED = (1, 0, 0), (0, 1, 0), (0, 1, 1)


def test_program_is_compiled_once_it_would_have_paid(monkeypatch):
    monkeypatch.setattr(programs, "_MASKED", 0.001)
    ran = runs(66, (*range(40, 60), 10, 90))
    first = ran.index(COMPILED)
    assert first >= 2
    assert set(ran[:first]) == {HOST}
    assert PADDED in ran[first:]
    # A size beyond all programs runs on the host.
    assert ran[-1] == HOST


def test_with_determinism_each_size_has_a_program(monkeypatch):
    monkeypatch.setattr(settings, "is_deterministic", True)
    first, *others = runs(67, (*range(40, 60), 10, 90, 41, 10))
    # The first recording is not known to vary.
    assert first == (0, 0, 1)
    assert set(others) == {PADDED, COMPILED}
    assert others[19:21] == [COMPILED, COMPILED]
    assert others[-2:] == [PADDED, PADDED]


# Prints losses of runs on the host, and by exact and padded programs.
CHOICES = """
import tfcompat as tf
from tests.core.family.test_variants import Attention, Dense
from tfcompat._core.programs.family import programs

programs._MASKED = 0.01
for model in (Dense(65), Attention(8)):
    print(*[model.step(size) for size in (30, 31, 40, 22, 35, 31, 31, 31, 31, 50, 33, 9, 60, 61, 62, 30, 40, 22)])
counts = tf.counters()
print(counts.op_by_op, counts.padded, counts.compiles)
"""


@pytest.mark.thorough
def test_two_runs_of_a_script_make_the_same_choices():
    outputs = {subprocess.check_output([sys.executable, "-c", CHOICES], text=True) for _ in range(2)}
    assert len(outputs) == 1
    assert min(map(int, outputs.pop().split()[-3:])) >= 2


def test_host_serves_powers_of_open_exponents():
    x = tf.constant([1.0, 2.0, 3.0])
    for exponent in (2.0, 3.0, 4.0, 5.0, 2.0, 7.0, 1.0, 0.0):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**exponent
        np.testing.assert_allclose(y, x.numpy() ** exponent, 1e-6)
        np.testing.assert_allclose(tape.gradient(y, x), exponent * x.numpy() ** (exponent - 1), 1e-6)
