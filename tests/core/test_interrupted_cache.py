"""A signal while a program is put into the cache, or taken out of it: the next steps find the cache in order."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import tfcompat as tf
from tests.core.stopped_line import Stop, stopped_at
from tfcompat._core.programs.equal_number import equal_numbers
from tfcompat._core.programs.program_cache import ProgramCache, cache


def square_and_root(x):
    root = tf.sqrt(x + 2.0)
    return tf.square(root) - 1.0, root


@pytest.mark.parametrize("method", [ProgramCache.add, ProgramCache.drop])
@pytest.mark.parametrize("place", range(1, 6))
def test_interrupted_cache_serves_the_next_steps(method, place):
    x = tf.constant(np.linspace(0.0, 3.0, 6000, dtype=np.float32))
    cache.clear()
    for _ in range(4):
        square_and_root(x)[0].numpy()
    assert len(cache)
    with stopped_at(method.__code__, place):
        square, root = square_and_root(x)  # a program for another value as well replaces the one that is known
        try:
            square.numpy()
        except Stop:
            square, root = square_and_root(x)
    np.testing.assert_allclose(square, x.numpy() + 1.0, rtol=1e-6)
    np.testing.assert_allclose(root, np.sqrt(x.numpy() + 2.0), rtol=1e-6)


def test_signals_while_equal_numbers_are_sought_are_raised():
    numbers = np.arange(200.0) % 3
    known = equal_numbers([numbers], None)

    def interrupted(place):
        """Whether `equal_numbers` calls `place` functions of Python: it is interrupted at the call of the last."""
        calls = 0

        def stop(*_):
            nonlocal calls
            calls += 1
            if calls == place:
                raise Stop

        before = sys.gettrace()
        sys.settrace(stop)
        try:
            equal_numbers([numbers], known)
        except Stop:
            return True
        finally:
            sys.settrace(before)
        return False

    places = 1
    while interrupted(places):
        places += 1
    assert places > 3
