"""Sizes with symbols have the values that JAX gives them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from jax import export

from tfcompat._jaxpr.size import is_open, symbols_of, value_of

# Expression -> the same in Python.
EXPRESSIONS = {
    "n": lambda n, _: n,
    "2*n*m + 1": lambda n, m: 2 * n * m + 1,
    "n^2 - m": lambda n, m: n**2 - m,
    "floordiv(n + 1, 2)": lambda n, _: (n + 1) // 2,
    "mod(n, 3)": lambda n, _: n % 3,
    "max(n, m)": max,
    "min(n, m) - 5": lambda n, m: min(n, m) - 5,
}


@pytest.mark.parametrize("text", EXPRESSIONS)
@pytest.mark.parametrize(("n", "m"), [(7, 4), (1, 9)])
def test_value_is_that_of_the_expression(text, n, m):
    (size,) = export.symbolic_shape(text)
    assert is_open(size)
    assert symbols_of([size]) <= {"n", "m"}
    assert value_of(size, {"n": n, "m": m}) == EXPRESSIONS[text](n, m)
    traced = jax.jit(lambda n, m: value_of(size, {"n": n, "m": m}))
    assert traced(jnp.int32(n), jnp.int32(m)) == EXPRESSIONS[text](n, m)


def test_plain_sizes_are_themselves():
    assert not is_open(3)
    assert value_of(3, {}) == 3
    assert symbols_of([3, 4]) == frozenset()


def test_symbol_without_value_is_an_error():
    (size,) = export.symbolic_shape("n")
    with pytest.raises(KeyError):
        value_of(size, {})
