"""Recordings of a family whose sizes occur once leave nothing behind; those whose sizes return are kept."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._core.operation.op import Op
from tfcompat._core.programs.family import variants
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.structure.node import Node, tree
from tfcompat._core.tracing.trace import here

WIDTH = 6


@pytest.fixture
def model():
    """The loss of a training step for a size, after the family is known."""
    tree.clear()
    cache.clear()
    variants.clear()
    kernel = tf.Variable(np.linspace(-0.5, 0.5, WIDTH * WIDTH, dtype=np.float32).reshape(WIDTH, WIDTH))

    def step(size, *, reads=False):
        x = tf.constant(np.cos(np.arange(size * WIDTH, dtype=np.float32)).reshape(size, WIDTH))
        with tf.GradientTape(persistent=reads) as tape:
            hidden = tf.nn.softmax(tf.tanh(x @ kernel) @ tf.transpose(x))
            loss = tf.reduce_mean(tf.square(hidden))
            if reads:
                loss = loss * 2.0 if loss > 0.0 else loss
        gradient = tape.gradient(loss, kernel)
        kernel.assign_sub(0.1 * gradient)
        return loss.numpy()

    for size in range(3, 9):
        step(size)
    return step


def nodes():
    return sum(type(each) is Node for each in gc.get_objects())


def inferred():
    """The number of signatures whose results elementwise ops keep."""
    return sum(len(each.inferred) for each in gc.get_objects() if type(each) is Op and each.is_elementwise)


def test_shapes_that_are_inferred_without_jax_are_not_kept(model):
    model(9)
    before = inferred()
    for size in range(10, 14):
        model(size)
    assert inferred() == before


def test_new_sizes_leave_no_steps_and_no_circles(model):
    model(9)
    steps, programs = tree.size, len(cache)
    gc.collect()
    before = nodes()
    gc.disable()
    try:
        for size in range(10, 40):
            model(size)
        assert nodes() <= before + 80  # the latest recording is kept
    finally:
        gc.enable()
    assert (tree.size, len(cache)) == (steps, programs)


def test_size_that_returns_is_kept(model):
    before = tree.size
    first = model(20)
    assert tree.size == before
    model(20)
    kept = tree.size
    assert kept > before
    with tf.counted() as counts:
        model(20)
    assert tree.size == kept
    assert counts.cache_hits == 1
    assert first > 0.0


def test_step_that_reads_in_the_middle_goes_on(model):
    losses = [model(size, reads=True) for size in (*range(3, 12), *range(3, 12))]
    assert all(np.isfinite(losses))
    assert losses[-1] < losses[8]


def test_recording_that_a_handler_continues_is_kept():
    first = node = tree.root.extended("a forgotten step", None, (), (), (), "")
    node = node.extended("another", None, (), (), (), "")
    last = node.extended("the last", None, (), (), (), "")
    beside = node.extended("beside it", None, (), (), (), "")
    tree.forget(last)
    assert first.next["another"].next == {"beside it": beside}
    tree.forget(beside)
    assert "a forgotten step" not in tree.root.next


def test_trace_whose_structure_was_forgotten_goes_on():
    x = tf.ones([3]) * 2.0
    tree.forget(here.trace.node)
    y = x + 1.0
    assert y.numpy().tolist() == [3.0, 3.0, 3.0]
    assert (x - 1.0).numpy().tolist() == [1.0, 1.0, 1.0]
