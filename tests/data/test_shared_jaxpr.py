"""Functions of elements that are made again are not traced by JAX again."""

from __future__ import annotations

import tfcompat as tf
from tests.data.reading import listed
from tfcompat._data.function import block_program

D = tf.data.Dataset


def scaled(number):
    return D.range(4).map(lambda x: x * number + 1).batch(2)


def traced_while(call, monkeypatch):
    """The results of `call`, and the number of times that JAX has traced a program for blocks."""
    calls, traced = [], block_program.traced

    def counted(*args):
        calls.append(args)
        return traced(*args)

    with monkeypatch.context() as patch:
        patch.setattr(block_program, "traced", counted)
        return call(), len(calls)


def test_other_numbers_tensors_and_variables_share_a_jaxpr(monkeypatch):
    listed(scaled(2))
    assert traced_while(lambda: listed(scaled(7)), monkeypatch) == ([[1, 8], [15, 22]], 0)
    listed(scaled(tf.constant(2, tf.int64)))
    found = traced_while(lambda: listed(scaled(tf.constant(3, tf.int64))), monkeypatch)
    assert found == ([[1, 4], [7, 10]], 0)
    listed(scaled(tf.Variable(2, dtype=tf.int64)))
    found = traced_while(lambda: listed(scaled(tf.Variable(5, dtype=tf.int64))), monkeypatch)
    assert found == ([[1, 6], [11, 16]], 0)


def test_other_shapes_and_results_have_jaxprs_of_their_own(monkeypatch):
    rows = D.from_tensor_slices([[1, 2], [3, 4]])
    listed(rows.map(lambda x: x * 2))
    wide = D.from_tensor_slices([[1, 2, 3]])
    found, count = traced_while(lambda: listed(wide.map(lambda x: x * 2)), monkeypatch)
    assert (found, count) == ([[2, 4, 6]], 1)

    def both(order):
        def pair(x):
            a, b = x * 3, x * 5
            return (a, b) if order else (b, a)

        return listed(D.range(2).map(pair))

    assert both(True) == [(0, 0), (3, 5)]
    assert both(False) == [(0, 0), (5, 3)]


def test_the_latest_used_jaxprs_are_kept(monkeypatch):
    def used():
        return listed(D.from_tensors(tf.zeros([1])).map(lambda x: x - 1.0))

    used()
    for size in range(1, block_program._MOST_JAXPRS + 20):
        listed(D.from_tensors(tf.zeros([size])).map(lambda x: x + 1.0))
        if size % 50 == 0:
            used()
    assert len(block_program._jaxprs) <= block_program._MOST_JAXPRS
    assert traced_while(used, monkeypatch) == ([[-1.0]], 0)
