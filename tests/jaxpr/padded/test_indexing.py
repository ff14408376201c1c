"""Gathers, scatters, slices at values, sorts and searches on padded arrays."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.daily import one_in
from tests.jaxpr.padded.trial import MANY_SIZES, Input, assert_as_exact, trial

INT = Input("n, m", np.int32)
PLACES = Input("m", np.int32, -20, 20)
SMALL = Input("m", np.int8, -20, 20)
UNSIGNED = Input("m", np.uint32, 0, 20)
INSIDE = Input("m", np.int32, 0, 5)
PLACE = Input("", np.int32, -5, 20)
PAIRS = Input("m, 2", np.int32, -3, 15)


def taken(mode):
    return lambda x, at: x.at[at].get(mode=mode)


def added(mode):
    return lambda x, at, y: x.at[at].add(y, mode=mode)


def windows(x, at):
    """Three rows from each place."""
    numbers = lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(), start_index_map=(0,))
    return [lax.gather(x, at[:, None], numbers, (3,), mode=mode) for mode in ("clip", "fill")]


def written(x, at, y):
    """Windows of two, at places that may not fit."""
    numbers = lax.ScatterDimensionNumbers((1,), (), (0,))
    return [lax.scatter_add(x, at[:, None], y, numbers, mode=mode) for mode in ("clip", "drop")]


TRIALS = [
    trial("gather, clip", taken("clip"), "n, 2", PLACES),
    trial("gather, fill", taken("fill"), "n, 2", PLACES),
    trial("gather, small indices", taken("fill"), "n, 2", SMALL),
    trial("gather, unsigned indices", taken("clip"), "n, 2", UNSIGNED),
    trial("gather, promised", lambda x, at: x.at[at % 2].get(mode="promise_in_bounds"), "n, 2", INSIDE),
    trial("gather of windows", windows, "n + 3", PLACES),
    trial("gather of pairs", lambda x, at: x.at[at[:, 0], at[:, 1]].get(mode="fill", fill_value=5), "n, m", PAIRS),
    trial("take", lambda x, at: jnp.take(x, at, axis=1, mode="clip"), "3, n", PLACES),
    trial("take along", lambda x, at: jnp.take_along_axis(x, at, 1, mode="clip"), "n, m", INT),
    trial("embedding", lambda x, at: x[at], "5, 3", Input("n, m", np.int32, 0, 5)),
    trial("batched gather", jax.vmap(lambda x, at: x.at[at].get(mode="fill")), "n, m", Input("n, 3", np.int32, -4, 12)),
    trial("scatter add, drop", added("drop"), "n, 2", PLACES, "m, 2"),
    trial("scatter add, clip", added("clip"), "n, 2", PLACES, "m, 2"),
    trial("scatter add, small indices", added("drop"), "n, 2", SMALL, "m, 2"),
    trial("scatter add, closed operand", added("drop"), "5, 2", PLACES, "m, 2"),
    trial("scatter add, open window", added("drop"), "5, n", INSIDE, "m, n"),
    trial("scatter of windows", written, "n + 2", PLACES, "m, 2"),
    trial("scatter max", lambda x, at, y: x.at[at].max(y), "n, 2", PLACES, "m, 2", is_differentiated=False),
    trial("scatter min", lambda x, at, y: x.at[at].min(y), "n, 2", PLACES, "m, 2", is_differentiated=False),
    trial("scatter multiply", lambda x, at, y: x.at[at].multiply(y), "n", PLACES, "m", is_differentiated=False),
    trial("scatter, overwrite", lambda x, at: x.at[at].set(3.0), "n, 2", PLACES),
    trial("scatter of integers", lambda x, at: x.at[at].add(1), Input("n", np.int32), PLACES),
    trial("first rows overwritten", lambda x: x.at[:2].set(0.5), "n, m"),
    trial("all but the first overwritten", lambda x, y: x.at[1:].set(y), "n + 1", "n"),
    trial("all but the last overwritten", lambda x, y: x.at[:-1, 1:].set(y), "n + 1, m + 1", "n, m"),
    trial("all but the last added to", lambda x, y: x.at[:-1].add(y), "n + 1", "n"),
    trial("bincount", lambda at: jnp.zeros(5, np.int32).at[at].add(1), PLACES),
    trial("dynamic slice", lambda x, at: lax.dynamic_slice(x, (at, at - at), (2, 2)), "n, m", PLACE),
    trial("dynamic slice of open size", lambda x, y, at: lax.dynamic_slice(x, (at,), y.shape), "n + m", "m", PLACE),
    trial("dynamic index", lambda x, at: lax.dynamic_index_in_dim(x, at, 1), "n, m", PLACE),
    trial("dynamic update", lambda x, y, at: lax.dynamic_update_slice(x, y, (at, at - at)), "n, m", "2, m", PLACE),
    trial("dynamic update of open size", lambda x, y, at: lax.dynamic_update_slice(x, y, (at,)), "n + m", "m", PLACE),
    trial("sort", lambda x: jnp.sort(x, 0), "n, m"),
    trial("sort of integers", lambda x: (jnp.sort(x, 0), jnp.sort(x, 1, descending=True)), INT),
    trial("sort of bytes", lambda x: jnp.sort(x, 0), Input("n", np.uint8, 0, 255)),
    trial("sort of nan", lambda x: jnp.argsort(jnp.where(x > 0, jnp.nan, x), 0), "n, m"),
    trial("argsort", lambda x: (jnp.argsort(x, 0), jnp.argsort(x // 3, 1)), INT),
    trial("sort by two keys", lambda x, y: lax.sort((x // 3, y, x), num_keys=2), INT, Input("n, m")),
    trial("top k", lambda x: lax.top_k(x, 2), "n, m"),
    trial("top k of integers", lambda x: lax.top_k(x, 2), INT),
    trial("top k of infinities", lambda x: lax.top_k(jnp.full_like(x, -jnp.inf), 2), "n, m"),
    trial("approximate top k", lambda x: lax.approx_max_k(x, 2, reduction_dimension=0), "n, m"),
    trial("median", lambda x: lax.dynamic_index_in_dim(jnp.sort(x, 0), x.shape[0] // 2), "n, m"),
    trial("ranks", lambda x: (x[:, None] > x[None]).sum(1), "n"),
    trial("diagonal", lambda x: jnp.diagonal(x @ x.T), "n, 3"),
]
# Top-k asks for sizes of at least k.
TRIALS = [
    trial(each.name, each.fn, *each.inputs, is_differentiated=each.is_differentiated, constraints=("n >= 3", "m >= 2"))
    for each in TRIALS
]
AT_LEAST_3 = tuple(sizes for sizes in MANY_SIZES if sizes["n"] >= 3)


@pytest.mark.parametrize("each", one_in(2, TRIALS), ids=lambda each: each.name)
def test_indices_are_held_against_logical_sizes(each):
    assert_as_exact(each)


@pytest.mark.thorough
@pytest.mark.parametrize("each", TRIALS, ids=lambda each: each.name)
def test_indexing_is_exact_at_many_sizes(each):
    assert_as_exact(each, AT_LEAST_3)
