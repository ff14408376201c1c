"""The number of iterations of a loop and its counters, computed by NumPy before it runs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat._function.control.arithmetic import by_numpy

SCALARS = [-7, -1, 0, 3, 8]
PAIRS = [(a, b) for a in SCALARS for b in SCALARS]


def _loop(cond: Any, body: Any, *state: Any) -> Any:
    """The final state of the loop, known while the function is traced; None if it isn't."""
    found: list[Any] = []

    def f() -> Any:
        after = tf.while_loop(cond, body, [tf.constant(part) for part in state])
        found.extend(x.numpy().tolist() if x._array is not None else None for x in after)
        return after

    answers = tf.function(f, autograph=False)()
    assert all(known in (None, answer.numpy()) for known, answer in zip(found, answers, strict=True))
    return found


@pytest.mark.parametrize(
    ("cond", "body", "state", "after"),
    [
        (lambda i: i < 10, lambda i: [i + 3], [0], [12]),
        (lambda i: i > -5, lambda i: [i - 2], [8], [-6]),
        (lambda i: i < 60000, lambda i: [i + 1], [0], [60000]),
        (lambda i: i < 1000, lambda i: [i * 2], [1], [1024]),
        (lambda _, n: n != 1, lambda i, n: [i + 1, tf.where(n % 2 == 0, n // 2, 3 * n + 1)], [0, 27], [111, 1]),
        (lambda i, *_: i < 7, lambda i, j, b: [i + 1, tf.where(b, j + i, j), ~b], [0, 0, True], [7, 12, False]),
        (lambda i: i < 10, lambda i: [i + 3], [12], [12]),
    ],
    ids=["up", "down", "long", "doubling", "collatz", "toggle", "never"],
)
def test_counters_are_known_after_a_loop(cond: Any, body: Any, state: list[Any], after: list[Any]) -> None:
    assert _loop(cond, body, *state) == after


def test_a_counter_that_wraps_around_is_known() -> None:
    # 0, 100, 200, 44, 144, 244, 88, 188, 32
    after = _loop(lambda i, _: i < 8, lambda i, n: [i + 1, n + 100], 0, np.uint8(0))
    assert after == [8, 32]


def test_what_depends_on_floats_decides_how_often_but_is_not_known() -> None:
    assert _loop(lambda _, x: x < 100.0, lambda i, x: [i + 1, x * 1.5], 0, 1.0) == [12, None]


def test_a_loop_that_is_too_long_to_be_counted_runs_all_the_same() -> None:
    assert _loop(lambda i: i < 70000, lambda i: [i + 1], 0) == [None]


def _arithmetic(x: Any, y: Any) -> Any:
    return (
        *(x + y, x - y, x * y, -x, abs(x), jnp.sign(x)),
        *(jax.lax.div(x, y), jax.lax.rem(x, y), jnp.maximum(x, y), jnp.minimum(x, y), jnp.clip(x, -2, y)),
        *(x == y, x != y, x < y, x <= y, x > y, x >= y, (x < y) & (y < 5), (x < y) | ~(y < 5), (x < y) ^ (y < 5)),
        *(x & y, x | y, x ^ y, jnp.where(x < y, x, y), x.astype(jnp.int8), jnp.any(x < y), jnp.all(x < y)),
    )


def test_arithmetic_by_numpy_is_that_of_programs() -> None:
    struct = jax.ShapeDtypeStruct((), np.dtype(np.int32))
    function = by_numpy(_arithmetic, [struct, struct])
    assert function is not None
    with np.errstate(all="ignore"):
        for pair in PAIRS:
            x, y = np.array(pair, np.int32)
            for found, wanted in zip(function(x, y), _arithmetic(jnp.asarray(x), jnp.asarray(y)), strict=True):
                assert found == wanted
                assert found.dtype == wanted.dtype


def test_arithmetic_by_numpy_takes_turns_at_once() -> None:
    struct = jax.ShapeDtypeStruct((), np.dtype(np.int32))
    function = by_numpy(_arithmetic, [struct, struct])
    assert function is not None
    with np.errstate(all="ignore"):
        columns = function(*np.array(PAIRS, np.int32).T)
        for k, pair in enumerate(PAIRS):
            singles = function(*np.array(pair, np.int32))
            assert [column[k] for column in columns] == list(singles)


@pytest.mark.parametrize(
    "function",
    [lambda x: (jnp.sin(x),), lambda x: (jnp.stack([x, x]),), lambda x: (jnp.sort(x[None])[0],)],
    ids=["float", "vector", "sort"],
)
def test_what_is_no_arithmetic_is_left_to_programs(function: Any) -> None:
    assert by_numpy(function, [jax.ShapeDtypeStruct((), np.dtype(np.int32))]) is None
