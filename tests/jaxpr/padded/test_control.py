"""Calls, loops and branches on padded arrays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.daily import one_in
from tests.jaxpr.padded.trial import MANY_SIZES, Input, assert_as_exact, trial

FLAG = Input("", np.bool_)


def smoothed(x, w, reverse=False):
    """A scan of open length, with a constant, a carried value and outputs."""

    def step(carried, row):
        carried = jnp.tanh(carried @ w + row)
        return carried, carried.sum() * row

    return lax.scan(step, jnp.zeros(3, x.dtype), x, reverse=reverse)


def over_batch(x, w):
    """A scan of fixed length over values of open size."""

    def step(carried, row):
        carried = jnp.tanh(carried + row @ w)
        return carried, carried.mean(0)

    return lax.scan(step, jnp.zeros((x.shape[1], 3), x.dtype), x)


def counted_down(x):
    """A while loop that carries a padded array; its condition reads all of it."""
    return lax.while_loop(lambda c: c[0].sum() > 1, lambda c: (c[0] * 0.5, c[1] + 1), (jnp.abs(x), 0))


def halved(x):
    """A while loop with a condition for each row."""

    def of_row(row):
        return lax.while_loop(lambda c: c[0].sum() > 1, lambda c: (c[0] * 0.5, c[1] + 1), (jnp.abs(row), 0))

    return jax.vmap(of_row)(x)


@jax.custom_vjp
def clipped(x):
    return x.sum(0)


clipped.defvjp(lambda x: (x.sum(0), x), lambda x, g: (jnp.clip(x * g, -0.1, 0.1),))


TRIALS = [
    trial("call", jax.jit(lambda x: x.sum(0)), "n, m"),
    trial("call of a call", jax.jit(lambda x: jax.nn.relu(jax.nn.softmax(x, 0) - 0.1)), "n, m"),
    trial("own derivative", clipped, "n, m"),
    trial("checkpoint", jax.checkpoint(lambda x, y: jnp.sin(jnp.sin(x @ y).sum(0))), "n, m", "m, 2"),
    trial("scan of open length", smoothed, "n, 3", "3, 3"),
    trial("scan of open length, in reverse", lambda x, w: smoothed(x, w, True), "n, 3", "3, 3"),
    trial("scan of fixed length", over_batch, "4, n, 2", "2, 3"),
    trial("scan of open length over open batch", over_batch, "m, n, 2", "2, 3"),
    trial("scan without sequences", lambda x: lax.fori_loop(0, 3, lambda k, c: c * k + x.sum(0), x[0]), "n, m"),
    trial(
        "scan to a size",
        lambda x: lax.fori_loop(0, x.shape[0], lambda k, c: c + x[k], x[0]),
        "n, m",
        is_differentiated=False,
    ),
    trial("map", lambda x: lax.map(lambda row: jnp.cumsum(row)[::-1], x), "n, m"),
    trial("while", counted_down, "n, m", is_differentiated=False),
    trial("while by rows", halved, "n, m", is_differentiated=False),
    trial("branch", lambda x, f: lax.cond(f, lambda x: x[::-1].sum(0), lambda x: x.max(0), x), "n, m", FLAG),
    trial("branch by number", lambda x, k: lax.switch(k, [jnp.sin, jnp.cos, jnp.abs], x), "n", Input("", np.int32)),
    trial(
        "branch by platform",
        lambda x: lax.platform_dependent(x, cpu=lambda x: x.sum(0), default=lambda x: x.max(0)),
        "n, m",
    ),
    trial(
        "mask shared by branches",
        lambda x, f: x.sum(0) + lax.cond(f, lambda x: x.sum(0), lambda x: x.prod(0) * 0, x),
        "n, m",
        FLAG,
        is_differentiated=False,
    ),
]


@pytest.mark.parametrize("each", one_in(2, TRIALS), ids=lambda each: each.name)
def test_control_runs_to_the_true_size(each):
    assert_as_exact(each)


@pytest.mark.thorough
@pytest.mark.parametrize("each", TRIALS, ids=lambda each: each.name)
def test_control_is_exact_at_many_sizes(each):
    assert_as_exact(each, MANY_SIZES)
