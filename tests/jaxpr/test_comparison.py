"""Equalities of symbolic sizes that code asks for and JAX denies are learned."""

from __future__ import annotations

import functools
import gc
import operator
import sys

import jax
import pytest

from tfcompat._jaxpr.comparison import Unwatched, among, can_watch, denied


def sizes():
    return jax.export.symbolic_shape("n, m", constraints=["n >= 2", "m >= 2"])


def texts(pairs):
    return [(str(pair.left), str(pair.right)) for pair in pairs]


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        (lambda n, _: n == 3, [("n", "3")]),
        (lambda n, _: n != 3, [("n", "3")]),
        (lambda n, _: n % 2 == 0, [("mod(n, 2)", "0")]),
        (lambda n, m: n == m, [("n", "m")]),
        (lambda n, m: (n, 4) == (5, m), [("n", "5")]),
        (lambda n, _: n in (3, 4), [("n", "3"), ("n", "4")]),
        (lambda n, _: (3, n).index(n), [("n", "3")]),
        (lambda n, _: (n, 7).count(7), [("n", "7")]),
        (lambda n, _: operator.eq(n, 6), [("n", "6")]),
    ],
)
def test_a_denied_equality_is_learned(ask, wanted):
    n, m = sizes()
    with denied() as found:
        ask(n, m)
    assert texts(found) == wanted


def test_what_holds_for_no_size_or_for_all_is_not_learned():
    n, m = sizes()
    with denied() as found:
        assert not any((n == 1, n == n + 1, n + m == 3))
        assert n == n * 1
        assert n >= 2
    assert not found


def test_pairs_about_other_symbols_are_left_out():
    n, m = sizes()
    with denied() as found:
        assert not any((n == 4, n == m))
    assert texts(among(found, ["n"])) == [("n", "4")]


def test_sizes_in_code_that_jax_traces_are_learned():
    n, _ = sizes()
    with denied() as found:
        jax.eval_shape(jax.numpy.linalg.det, jax.ShapeDtypeStruct((n, n), "float32"))
    assert texts(found) == [("n", "2"), ("n", "3")]


def test_a_running_profiler_keeps_its_place():
    assert can_watch()
    sys.setprofile(lambda *_: None)
    try:
        assert not can_watch()
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("is_enabled", [True, False])
def test_garbage_collection_is_left_as_it_was(is_enabled):
    before = gc.isenabled()
    (gc.enable if is_enabled else gc.disable)()
    try:
        older = gc.get_count()[2]
        for _ in range(3):
            with denied():
                assert not gc.isenabled()
        assert gc.isenabled() == is_enabled
        assert gc.get_count()[2] <= older  # a full collection has not come nearer
    finally:
        (gc.enable if before else gc.disable)()


class _Shaped:
    """Compares as JAX's abstract values do, which tables look up beside others whose hashes begin alike."""

    def __init__(self, shape):
        self.shape = shape

    def __eq__(self, other):
        return self.shape == other.shape

    __hash__ = None


def test_a_comparison_of_shapes_decides_if_its_caller_compares():
    n, _ = sizes()
    one, other = _Shaped((n, 3)), _Shaped((11, 3))
    with denied() as pairs:
        assert one != other
    assert texts(pairs) == [("n", "11")]
    # As a table of JAX calls it: from C, by an object other than a built-in function.
    look_up = functools.partial(_Shaped.__eq__)
    with denied() as pairs:
        assert not look_up(one, other)
    assert texts(pairs) == []


def test_parts_of_a_context_can_be_left_out():
    n, m = sizes()
    look_up = functools.partial(_Shaped.__eq__)
    with denied() as pairs:
        with Unwatched():
            assert n != 3
        with Unwatched(is_op=True):
            assert n != 4
        assert m != 5
        assert not look_up(_Shaped((n, 3)), _Shaped((11, 3)))
    assert texts(pairs) == [("n", "4"), ("m", "5")]
    with denied(within_ops=False) as pairs:
        with Unwatched(is_op=True):
            assert n != 4
        assert m != 5
    assert texts(pairs) == [("m", "5")]
    assert can_watch()
    with Unwatched():
        assert can_watch()
