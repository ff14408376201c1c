"""Counts and parts of loops are those with which they were made, in each release of JAX."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tfcompat._jaxpr.parameter import LoopParts, ScanCounts, branch_platforms, loop_parts, scan_counts
from tfcompat._jaxpr.primitive import Name, equations, name_of
from tfcompat._jaxpr.tracing import traced

VECTOR = jax.ShapeDtypeStruct((4,), np.float32)
MATRIX = jax.ShapeDtypeStruct((3, 4), np.float32)


def found(name, fn, *structs):
    return next(each for each in equations(traced(fn, structs)) if name_of(each) == name)


@pytest.mark.parametrize(
    ("fn", "want"),
    [
        (lambda x, y: lax.scan(lambda c, row: (c + row * y.sum(), c), x, y), ScanCounts(1, 1, 1)),
        (
            lambda x, y: lax.scan(lambda c, row: ((c[0] + row[0], c[1] * row[1]), None), (x, x), (y, y)),
            ScanCounts(0, 2, 2),
        ),
        (lambda x, y: lax.scan(lambda c, _: (c * x, c + y[0]), x, length=3), ScanCounts(2, 1, 0)),
        (lambda x, y: lax.map(lambda row: row + x, y), ScanCounts(1, 0, 1)),
    ],
    ids=["one of each", "two of each", "no sequences", "nothing carried"],
)
def test_inputs_of_a_scan_are_counted(fn, want):
    assert scan_counts(found(Name.SCAN, fn, VECTOR, MATRIX)) == want


def test_parts_of_a_while_loop():
    def loop(x, y):
        return lax.while_loop(lambda c: c.sum() < y.sum(), lambda c: c + x * y[0], x)

    parts = loop_parts(found(Name.WHILE, loop, VECTOR, MATRIX))
    assert isinstance(parts, LoopParts)
    assert (parts.condition_constants, parts.body_constants) == (1, 2)
    assert len(parts.condition.outvars) == len(parts.body.outvars) == 1


def test_platforms_of_branches():
    def by_platform(x):
        return lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos)

    assert branch_platforms(found(Name.COND, by_platform, VECTOR)) == [["cpu"], []]
    by_value = found(Name.COND, lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), VECTOR)
    assert branch_platforms(by_value) is None
