"""Functions of NumPy that write over an input which is not used any more."""

from __future__ import annotations

import tracemalloc

import jax.numpy as jnp
import numpy as np
import pytest

from tests.jaxpr.host.agreement import assert_agrees
from tests.jaxpr.host.test_evaluation import CALLS, X
from tfcompat._jaxpr.host import flat
from tfcompat._jaxpr.host.evaluation import HostProgram
from tfcompat._jaxpr.tracing import traced

CHAINS = {
    "view after": lambda x: ((y := x * 2).T.reshape(-1), y + 1),
    "view before": lambda x: (lambda y: (y[0], y.T + 1, y * 3))(x + 1),
    "twice": lambda x: (lambda y: y * y)(x + 1),
    "either": lambda x: (lambda y, z: jnp.maximum(y, z) - z)(x + 1, x * 2),
    "input": lambda x: x + 1,
    "constant": lambda x: (jnp.asarray(X) * x) + jnp.asarray(X),
    "broadcast": lambda x: (lambda row: row * 2 + x)(jnp.broadcast_to(x[0] + 1, x.shape)),
    "comparison": lambda x: (lambda y: (y > 3) | (y < 2))(x * 2),
    "of another dtype": lambda x: (x * 2).astype(jnp.int32) + 1,
    "result as well": lambda x: (lambda y: (y, y + 1, jnp.exp(y)))(x * 2),
    "same value twice": lambda x: (lambda y: (y + 1, y + 1))(x * 2),
}


@pytest.mark.parametrize("name", [*CHAINS, *CALLS])
def test_results_stay_the_same(name, monkeypatch):
    monkeypatch.setattr(flat, "_LARGE", 1)
    before = X.copy()
    assert_agrees((CHAINS | CALLS)[name], X)
    np.testing.assert_array_equal(X, before)


def test_constants_and_arguments_keep_their_values(monkeypatch):
    monkeypatch.setattr(flat, "_LARGE", 1)
    constant, argument = np.ones((3, 4), np.float32), X.copy()
    program = HostProgram(traced(lambda x: jnp.negative(jnp.asarray(constant) + x) * x, [argument]))
    first, second = (program(argument)[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(argument, X)
    assert not np.shares_memory(first, second)


def test_long_chain_takes_the_memory_of_one_array():
    x = np.ones((512, 512), np.float32)

    def chain(x):
        for _ in range(4):
            x = jnp.tanh(jnp.exp(-(x * 2.0 - 1.0)))
        return x

    program = HostProgram(traced(chain, [x]))
    program(x)
    tracemalloc.start()
    program(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5 * x.nbytes
