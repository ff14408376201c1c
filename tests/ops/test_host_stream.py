"""Draws that run once are NumPy's, and have the numbers of a program."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tfcompat as tf
from tests.daily import thorough
from tests.tolerance import GRADIENT, is_close
from tfcompat._core.system.config import settings
from tfcompat._ops.random import host_stream, philox, walk

STREAMS = {
    "stateless": ([-7, 2**40],),
    "stateful": (5, 3, 2**62 + 12345),
    "generator": ([5, 3, -9],),
    "low half overflows": (-3, 5, 7),
}
REALS = ("float16", "bfloat16", "float32", "float64")


def parts(name):
    return [np.asarray(part, np.int64) for part in STREAMS[name]]


def compiled(draw, name):
    with jax.enable_x64(True):
        return np.asarray(jax.jit(lambda *stream: draw(philox.opened(stream)))(*parts(name)))


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("count", [0, 1, 7, 5003])
def test_words_are_those_of_a_program(name, count):
    wanted = compiled(lambda stream: stream.word(philox.indices(count)), name)
    np.testing.assert_array_equal(host_stream.opened(parts(name)).words(count), wanted)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("name", STREAMS)
def test_uniform_numbers_are_those_of_a_program(name, dtype):
    kind = np.dtype(tf.as_dtype(dtype).as_numpy_dtype)
    wanted = compiled(lambda stream: philox.uniform(stream, philox.indices(1001), kind), name)
    found = host_stream.uniform(host_stream.opened(parts(name)), 1001, kind)
    assert found.dtype == kind
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_integers_are_those_of_a_program(dtype):
    kind = np.dtype(dtype)
    wanted = compiled(lambda stream: philox.integers(stream, philox.indices(1001), kind), "stateful")
    found = host_stream.integers(host_stream.opened(parts("stateful")), 1001, kind)
    assert found.dtype == kind
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("count", [thorough(1), 10_001])
def test_normal_numbers_are_those_of_a_program(dtype, count):
    kind = np.dtype(tf.as_dtype(dtype).as_numpy_dtype)
    stream = host_stream.opened(parts("stateless"))
    for here, there in (
        (host_stream.normal, lambda stream: philox.normal(stream, philox.indices(count), kind)),
        (host_stream.truncated_normal, lambda stream: walk.truncated_normal(stream, count, kind)),
    ):
        found, wanted = here(stream, count, kind), compiled(there, "stateless")
        assert (found.dtype, found.shape) == (kind, (count,))
        assert is_close(found, wanted, GRADIENT).all()


DRAWS = {
    "uniform": lambda: tf.random.stateless_uniform([7, 9], (3, 4), -2.0, [1.0] * 9),
    "uniform of float16": lambda: tf.random.stateless_uniform([65], (3, 4), 1, 3, tf.float16),
    "normal": lambda: tf.random.stateless_normal([7, 10], (3, 4), [[1.0]] * 7, 3.0),
    "truncated normal": lambda: tf.random.stateless_truncated_normal([7, 11], (3, 4), 1.0, 2.0),
    "scalar": lambda: tf.random.stateless_normal([], (3, 4)),
    "empty": lambda: tf.random.stateless_truncated_normal([0, 3], (3, 4)),
    "int32": lambda: tf.random.stateless_uniform([71], (3, 4), -7, 9, tf.int32),
    "int64": lambda: tf.random.stateless_uniform([72], (3, 4), -(2**40), 2**41, tf.int64),
    "all of int64": lambda: tf.random.stateless_uniform([73], (3, 4), None, None, tf.int64),
    "all of uint32": lambda: tf.random.stateless_uniform([74], (3, 4), None, None, tf.uint32),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draw_on_the_host_is_that_of_a_program(name, monkeypatch):
    with tf.counted() as counts:
        found = DRAWS[name]().numpy()
    assert (counts.compiles, counts.op_compiles) == (0, 0)
    monkeypatch.setattr(settings, "is_hosting", False)
    with tf.counted() as counts:
        wanted = DRAWS[name]().numpy()
    assert counts.host_ops == 0
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert is_close(found, wanted, GRADIENT).all()


def test_draw_on_the_host_is_not_traced(monkeypatch):
    def refuse(*_):
        raise AssertionError("traced")

    monkeypatch.setattr(philox, "opened", refuse)
    assert tf.random.stateless_normal([3, 19], (1, 2)).numpy().shape == (3, 19)
