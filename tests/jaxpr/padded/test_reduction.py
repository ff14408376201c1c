"""Reductions, running reductions and windows on padded arrays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.daily import one_in
from tests.jaxpr.padded.trial import MANY_SIZES, Input, assert_as_exact, trial

INT = Input("n, 3, m", np.int32)
BYTE = Input("n, m", np.uint8, 0, 255)
FLAG = Input("n, m", np.bool_)


def pooled(combine, initial, padding, size=(3, 2), stride=(2, 1)):
    return lambda x: lax.reduce_window(x, np.array(initial, x.dtype), combine, size, stride, padding)


def batched_search(x):
    """A while loop whose condition has a value for each row."""
    return jax.vmap(lambda row: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1 + c[1] ** 2, c[1]), (row, row)))(
        x
    )


TRIALS = [
    trial("sum", lambda x: x.sum(0), "n, 3"),
    trial("sum of all", lambda x: x.sum(), "n, m"),
    trial("sum of integers", lambda x: x.sum((0, 2)), INT),
    trial("mean", lambda x: x.mean((0, 1)), "n, m, 2"),
    trial("variance", lambda x: x.var(-1), "n, m"),
    trial("product", lambda x: x.prod(0), "n, m", is_differentiated=False),
    trial("product of integers", lambda x: x.prod(0), INT),
    trial("max", lambda x: x.max(0), "n, m"),
    trial("max of integers", lambda x: x.max(2), INT),
    trial("min of bytes", lambda x: (x.min(0), x.max(1)), BYTE),
    trial("max of bools", lambda x: (x.max(0), x.min(0)), FLAG),
    trial("any and all", lambda x: (x.any(0), x.all(1)), FLAG),
    trial("bits", lambda x: (lax.reduce_and(x, (0,)), lax.reduce_or(x, (0,)), lax.reduce_xor(x, (1,))), BYTE),
    trial("argmax", lambda x: (x.argmax(0), x.argmin(1)), "n, m"),
    trial("argmax of integers", lambda x: (x.argmax(0), x.argmin(2)), INT),
    trial("argmax of infinities", lambda x: jnp.full_like(x, -jnp.inf).argmax(0), "n, m"),
    trial("logsumexp", lambda x: jax.nn.logsumexp(x, 1), "n, m"),
    trial("softmax", lambda x: jax.nn.softmax(x, 1), "n, m"),
    trial("norm", lambda x: jnp.linalg.norm(x, axis=0), "n, m"),
    trial(
        "reduction with a computation",
        lambda x: lax.reduce(x, np.float32(-np.inf), jnp.logaddexp, (0,)),
        "n, m",
        is_differentiated=False,
    ),
    trial("complex sum", lambda x: x.sum(0), Input("n, m", np.complex64)),
    trial("size as a value", lambda x: x * x.shape[0] + x.shape[0] // 3, "n"),
    trial("cumsum", lambda x: jnp.cumsum(x, 0), "n, m"),
    trial("cumsum in reverse", lambda x: lax.cumsum(x, 1, reverse=True), "n, m"),
    trial("cumprod in reverse", lambda x: lax.cumprod(x, 0, reverse=True), "n, m", is_differentiated=False),
    trial("cummax in reverse", lambda x: lax.cummax(x, 0, reverse=True), "n, m", is_differentiated=False),
    trial("cummin in reverse", lambda x: lax.cummin(x, 0, reverse=True), "n, m", is_differentiated=False),
    trial(
        "cumlogsumexp",
        lambda x: (lax.cumlogsumexp(x, 0), lax.cumlogsumexp(x, 1, reverse=True)),
        "n, m",
        is_differentiated=False,
    ),
    trial("cumsum of integers", lambda x: lax.cumsum(x, 0, reverse=True), INT),
    trial("max pool, valid", pooled(lax.max, -np.inf, "VALID", (2, 2)), "n, m"),
    trial("max pool, same", pooled(lax.max, -np.inf, "SAME"), "n, m"),
    trial("min pool", pooled(lax.min, np.inf, ((1, 1), (0, 1))), "n, m"),
    trial("sum pool, valid", pooled(lax.add, 0, "VALID", (2, 2)), "n, m"),
    trial("sum pool, same", pooled(lax.add, 0, "SAME"), "n, m"),
    trial("max pool of integers", pooled(lax.max, -(2**31), "SAME", (3, 1, 2), (2, 1, 1)), INT),
    trial("pool with a computation", pooled(lambda a, b: a * b, 1, "SAME"), "n, m", is_differentiated=False),
    trial(
        "pool of the whole axis",
        lambda x: lax.reduce_window(x, np.float32(0), lax.add, (x.shape[0], 1), (1, 1), "VALID"),
        "n, m",
        is_differentiated=False,
    ),
    trial(
        "dilated sum pool",
        lambda x: lax.reduce_window(
            x, np.float32(0), lax.add, (2,), (1,), ((1, 1),), base_dilation=(2,), window_dilation=(2,)
        ),
        "n",
    ),
    trial("tangent of max pool", lambda x, t: jax.jvp(pooled(lax.max, -np.inf, "SAME"), (x,), (t,))[1], "n, m", "n, m"),
    trial("loop by rows", batched_search, "n", is_differentiated=False),
]


@pytest.mark.parametrize("each", one_in(2, TRIALS), ids=lambda each: each.name)
def test_reduction_sees_only_the_logical_part(each):
    assert_as_exact(each)


@pytest.mark.thorough
@pytest.mark.parametrize("each", TRIALS, ids=lambda each: each.name)
def test_reduction_is_exact_at_many_sizes(each):
    assert_as_exact(each, MANY_SIZES)
