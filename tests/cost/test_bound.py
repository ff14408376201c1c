"""Caches of programs and structures are bounded, and the state of the process is preserved."""

from __future__ import annotations

import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest

import tfcompat as tf
from tfcompat._core.programs.program_cache import cache
from tfcompat._core.structure.node import Tree, tree


@pytest.fixture
def small_bounds(monkeypatch):
    """Sets bounds that a test can reach, and clears the caches."""
    tree.prune()
    monkeypatch.setattr(tf.config.settings, "max_programs", 8)
    monkeypatch.setattr(tf.config.settings, "max_steps", 100)


@pytest.mark.usefixtures("small_bounds")
def test_programs_are_bounded():
    for size in range(1, 16):
        for _ in range(2):
            v = tf.Variable(tf.ones([size]))
            v.assign(tf.exp(v) * 2.0)
            v.numpy()
    assert 0 < len(cache) <= 8


@pytest.mark.usefixtures("small_bounds")
def test_structures_are_bounded():
    for size in range(1, 60):
        x = tf.ones([size]) * 2.0
        for _ in range(size % 7):
            x = x + 1.0
        x.numpy()
    assert tree.size <= 120


@pytest.mark.usefixtures("small_bounds")
def test_forgotten_program_is_compiled_again(monkeypatch):
    monkeypatch.setattr(tf.config.settings, "is_padding", False)

    def run(size):
        v = tf.Variable(tf.ones([size]))
        v.assign(v * 2.0 + 1.0)
        return v.numpy().tolist()

    for _ in range(3):
        for size in range(1, 12):
            assert run(size) == [3.0] * size
    with tf.counted() as counts:
        assert [run(2) for _ in range(4)] == [[3.0, 3.0]] * 4
    assert 1 <= counts.compiles <= 2


@pytest.mark.usefixtures("small_bounds")
def test_recent_program_survives_others():
    def run(size):
        (tf.ones([size]) * 2.0 + 1.0).numpy()

    for _ in range(3):
        run(1)
    for size in range(2, 16):
        run(size)
        run(size)
        run(1)
    with tf.counted() as counts:
        run(1)
    assert counts.compiles == 0


def test_growing_sequence_does_not_compile_each_length():
    x = tf.constant([1.0, 2.0])

    def run(lengths):
        for length in lengths:
            total = tf.zeros([2])
            for _ in range(length):
                total = tf.tanh(total + x)
            total.numpy()

    # The number of programs that are not run again before structures are recognized as varying.
    with tf.counted() as first:
        run(range(1, 5))
    assert first.compiles <= 4
    with tf.counted() as rest:
        run(range(5, 30))
    assert (rest.compiles, rest.op_by_op) == (0, 25)


@pytest.mark.thorough
def test_long_programs_make_room_for_a_new_loop(monkeypatch):
    # A twentieth of the bounds of `settings`: about a hundred programs of thirty steps fill the caches.
    tree.clear()
    cache.clear()
    monkeypatch.setattr(tf.config.settings, "max_steps", 2_500)
    prunes = []
    monkeypatch.setattr(Tree, "prune", lambda tree, prune=Tree.prune: prunes.append(prune(tree)))

    def loop(seed, turns):
        v = tf.Variable(float(seed))
        for _ in range(turns):
            x = v * 1.0
            for k in range(28):
                x = tf.sin(x) if (seed >> k % 8) & 1 else tf.cos(x)
            v.assign(x)
            v.numpy()

    for seed in range(170):
        loop(seed, 2)
    prunes.clear()
    with tf.counted() as first:
        loop(200, 3)
    with tf.counted() as rest:
        loop(200, 20)
    assert 1 <= first.compiles <= 2
    assert (rest.compiles, rest.op_by_op, rest.cache_hits) == (0, 0, 20)
    assert len(prunes) <= 1
    assert cache.steps <= 1_250


def test_import_leaves_jax_as_it_was():
    assert not jax.config.jax_enable_x64
    assert jnp.asarray(1.5).dtype == jnp.float32
    assert (tf.constant(1.5, tf.float64) * 2.0).numpy().dtype == "float64"
    assert jnp.arange(3).dtype == jnp.int32


def test_import_compiles_and_allocates_nothing():
    code = (
        "import jax, tfcompat as tf; count = tf.counters(); "
        "print(jax.config.jax_enable_x64, count.compiles, count.op_compiles, len(jax.live_arrays()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["False", "0", "0", "0"]
