"""Resident memory stays bounded over thousands of sizes and functions."""

from __future__ import annotations

import gc
import pathlib
import resource

import numpy as np
import pytest
from jax.extend.backend import get_backend

import tfcompat as tf
from tests.repetition import count
from tfcompat._core.operation.op import Op
from tfcompat._core.programs.compiled_alone import compiled_alone
from tfcompat._core.programs.family import variants
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.structure.node import tree

# After a tenth of the turns, memory may grow by this many MB.
GROWTH = 160.0


def megabytes():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def attended():
    kernel, output = tf.Variable(tf.ones([4, 6]) * 0.1), tf.Variable(tf.ones([6, 2]) * 0.1)

    def step(x):
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(x @ kernel)
            weights = tf.nn.softmax(tf.matmul(hidden, hidden, transpose_b=True))
            loss = tf.reduce_mean(tf.square(weights @ hidden @ output))
        for variable, gradient in zip((kernel, output), tape.gradient(loss, (kernel, output)), strict=True):
            variable.assign_sub(0.01 * gradient)
        return loss

    return step


def sizes(number):
    return [(2 + k % 60, 2 + k // 60) for k in range(number)]


def undecorated():
    step = attended()
    for rows, length in sizes(count(3000)):
        yield step(tf.ones([rows, length, 4]))


def with_open_signature():
    step = tf.function(attended(), input_signature=[tf.TensorSpec([None, None, 4])])
    for rows, length in sizes(count(3000)):
        yield step(tf.ones([rows, length, 4]))


UNARY = tf.tanh, tf.sin, tf.nn.relu, tf.nn.softmax, tf.nn.softplus


def decorated(number, digits=5):
    """A function of its own for each number, of `digits` ops."""

    @tf.function
    def function(x):
        for k in range(digits):
            x = UNARY[number // len(UNARY) ** k % len(UNARY)](x)
        return tf.reduce_sum(x)

    return function


def many_functions():
    kept = [decorated(number) for number in range(count(1000))]
    for function in kept:
        yield [function(tf.ones([6, 5])) for _ in range(3)]


@pytest.mark.soak
@pytest.mark.skipif(not pathlib.Path("/proc/self/statm").exists(), reason="reads the size from Linux's /proc")
@pytest.mark.parametrize(
    ("scene", "bound"),
    [
        (undecorated, GROWTH),
        pytest.param(with_open_signature, GROWTH, marks=pytest.mark.thorough),
        pytest.param(many_functions, 4 * GROWTH, marks=pytest.mark.thorough),
    ],
)
def test_resident_memory_is_bounded(scene, bound):
    tree.clear()
    turns = list(range(count(3000 if scene is not many_functions else 1000)))
    runs, before = scene(), 0.0
    for turn in turns:
        np.asarray(next(runs))
        if turn == len(turns) // 10:
            gc.collect()
            before = megabytes()
    gc.collect()
    assert megabytes() - before < bound


@pytest.fixture
def small_bounds(monkeypatch):
    """Sets bounds that a test can reach, and clears the caches."""
    tree.clear()
    cache.clear()
    gc.collect()
    monkeypatch.setattr(tf.config.settings, "max_programs", 4)
    monkeypatch.setattr(tf.config.settings, "max_steps", 100)


def executables():
    """The number of compiled programs that are in use."""
    gc.collect()
    return len(get_backend().live_executables())


@pytest.mark.usefixtures("small_bounds", "without_host")
def test_dropped_programs_free_what_was_compiled():
    kept = [decorated(number, 2) for number in range(12)]
    before = executables()
    expected = [[function(tf.ones([2, 3])).numpy() for _ in range(3)][-1] for function in kept]
    assert 1 <= executables() - before <= 6
    assert [function(tf.ones([2, 3])).numpy() for function in kept] == expected


@pytest.mark.usefixtures("small_bounds", "without_host")
def test_ops_compiled_alone_are_bounded():
    compiled_alone.clear()
    before = executables()
    with tf.config.immediate(), tf.counted() as counts:
        for rows in (*range(2, 14), *range(2, 14)):
            assert tf.reduce_sum(tf.tanh(tf.ones([rows, 3])) * 0.0 + 1.0).numpy() == 3.0 * rows
    assert counts.op_compiles >= 48
    assert 1 <= executables() - before <= 10


@pytest.mark.usefixtures("small_bounds")
def test_copies_for_sizes_are_dropped_and_made_again():
    traced = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def function(x):
        traced.append(x)
        return tf.reduce_sum(x) + tf.cast(tf.shape(x)[0], tf.float32)

    for _ in range(2):
        for rows in range(2, 30):
            assert function(tf.ones([rows, 3])).numpy() == 4.0 * rows
    assert len(traced) == 1
    assert 1 <= len(function._traces.known) <= 16


@pytest.mark.thorough
@pytest.mark.usefixtures("small_bounds")
def test_derivatives_for_sizes_go_with_the_steps_that_use_them():
    step = attended()

    def pullbacks():
        gc.collect()
        return {id(x) for x in gc.get_objects() if type(x) is Op and x.name.startswith("gradient[")}

    before = known = pullbacks()
    made = 0
    for rows in range(4, 30):
        step(tf.ones([rows, 2, 4])).numpy()
        made += len(pullbacks() - known)
        known = pullbacks()
    assert made > 150
    variants.clear()
    cache.clear()
    tree.clear()
    # The host keeps those of the first three sizes as examples of their kinds.
    assert len(pullbacks()) <= len(before) + 40
