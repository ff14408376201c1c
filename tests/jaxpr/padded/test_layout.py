"""Reshapes, joins, slices, pads and reversals on padded arrays."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.daily import one_in
from tests.jaxpr.padded.trial import MANY_SIZES, Input, assert_as_exact, trial

INT = Input("n, m", np.int32)


def counted(x):
    """Numbers of elements, as random functions count them."""
    count = lax.iota(np.int32, x.size)
    return count.reshape(x.shape) + 0 * x.astype(np.int32)


TRIALS = [
    trial("merge, open inside", lambda x: x.reshape(-1, 3), "2, n, 3"),
    trial("merge, open twice", lambda x: x.reshape(x.shape[0] * x.shape[1], 3), "n, m, 3"),
    trial("merge all", lambda x: x.reshape(-1), "n, 2, m"),
    trial("merge, open leading", lambda x: x.reshape(-1, 2), "n, 3, 2"),
    trial("split, open leading", lambda x, y: (x[0] + y.reshape(-1)).reshape(x.shape[1] // 4, 4), "2, 4*n", "n, 2, 2"),
    trial("split, open inside", lambda x, y: x.reshape(2, y.shape[0], 3), "6*n", "n"),
    trial("split, open twice", lambda x, y, z: x.reshape(y.shape[0], z.shape[0]), "n*m", "n", "m"),
    trial("exchange of factors", lambda x, y: x.reshape(y.shape[1], y.shape[0], 2), "n, 2, m", "n, m"),
    trial("heads", lambda x: x.reshape(*x.shape[:2], 4, 2).transpose(0, 2, 1, 3), "n, m, 8"),
    trial("heads merged", lambda x: x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], 8), "n, 4, m, 2"),
    trial("axes of size 1", lambda x: x[:, None, :, None].reshape(1, *x.shape).squeeze(0), "n, m"),
    trial("one of two groups", lambda x: x.reshape(x.shape[0], -1, 5), "n, 2, m, 5"),
    trial("reshape of integers", lambda x: x.reshape(-1), INT),
    trial("reshape of nothing", lambda x: x[:0].reshape(0, x.shape[1] * 2), Input("4, n, 2")),
    trial("element numbers", counted, INT),
    trial("broadcast", lambda x: jnp.broadcast_to(x[:, None], (3, x.shape[0], 2)), "n"),
    trial("iota", lambda x: x + lax.broadcasted_iota(np.float32, x.shape, 1), "n, m"),
    trial("zeros", lambda x: jnp.zeros((x.shape[0], 2)) + x[:, None], "n"),
    trial("eye", lambda x: x * jnp.eye(x.shape[0], x.shape[1]), "n, m"),
    trial("triangle", lambda x: jnp.tril(x @ x.T), "n, 3"),
    trial("one hot", lambda x: (x[..., None] == jnp.arange(5)).astype(np.float32), INT),
    trial("transpose", lambda x: x.T, "n, m"),
    trial("concatenate", lambda x, y: jnp.concatenate([x, y, x], 0), "n, 2", "m, 2"),
    trial("concatenate, open last", lambda x, y: jnp.concatenate([y, x], 1), "2, n", "2, 3"),
    trial("concatenate beside open", lambda x, y: jnp.concatenate([x, y], 1), "n, 2", "n, 3"),
    trial("concatenate of integers", lambda x, y: jnp.concatenate([x, y], 1), INT, INT),
    trial("stack", lambda x: jnp.stack([x, 2 * x], 1), "n, m"),
    trial("unstack", lambda x: jnp.unstack(x, axis=1), "n, 3"),
    trial("pad", lambda x: jnp.pad(x, ((2, 1), (0, 3)), constant_values=7), "n, m"),
    trial("pad, negative", lambda x: lax.pad(x, np.float32(0.5), ((-1, 2, 0), (1, -1, 0))), "n, m"),
    trial("pad, between", lambda x: lax.pad(x, np.float32(0.5), ((1, -1, 2),)), "n"),
    trial("pad by a size", lambda x, y: lax.pad(x, np.float32(0.5), ((y.shape[0], 1, 0),)), "n", "m"),
    trial("cut by a size", lambda x, y: lax.pad(x, np.float32(0.5), ((1 - y.shape[0], 1, 1),)), "n + m", "m"),
    trial("pad to a multiple", lambda x: jnp.pad(x, ((0, -x.shape[0] % 4),)), "n", is_differentiated=False),
    trial("pad to a size", lambda x, y: jnp.pad(x, ((0, y.shape[0] - x.shape[0]),)), "m", "n + m"),
    trial("reverse", lambda x: x[::-1, ::-1], "n, m"),
    trial("slice of the end", lambda x: x[-1], "n, 2"),
    trial("slice to the end", lambda x: x[1:], "n, 2"),
    trial("slice from the end", lambda x: x[:, :-1], "2, n"),
    trial("slice that leaves nothing", lambda x: x[2:], "n, 2"),
    trial("shifted difference", lambda x: x[1:] - x[:-1], "n, m"),
    trial("slice with stride", lambda x: x[::2], "n, m"),
    trial("slice with stride from 1", lambda x: lax.slice(x, (1, 0), (x.shape[0], 2), (3, 1)), "n, 2"),
    trial("slice by a size", lambda x, y: lax.slice(x, (y.shape[0],), (y.shape[0] + 2,)), "n + m", "m"),
    trial("slice to a size", lambda x, y: x[: y.shape[0]] * 2, "n + m", "m"),
    trial("split", lambda x: jnp.split(x, [2], 0), "n, 2"),
    trial("split by a size", lambda x, y: lax.split(x, (y.shape[0], x.shape[0] - y.shape[0])), "n + m", "m"),
    trial("halves", lambda x: x[: x.shape[0] // 2], "n, 3"),
    trial("tile", lambda x: jnp.tile(x, (2, 1)), "n, m"),
    trial("tile of the last", lambda x: jnp.tile(x, 3), "n, m"),
    trial("tile by a size", lambda x, y: jnp.tile(x, (y.shape[0], 1)), "2, m", "n"),
    trial("roll", lambda x: jnp.roll(x, 1, 0), "n, m"),
    trial("expand and squeeze", lambda x: jnp.squeeze(x[None, :, None], (0, 2)), "n"),
    trial("where", lambda x: jnp.where(x > 0, x, 0), "n, m"),
    trial("bitcast", lambda x: lax.bitcast_convert_type(x, np.uint8), INT),
]


@pytest.mark.parametrize("each", one_in(2, TRIALS), ids=lambda each: each.name)
def test_layout_keeps_the_logical_part_in_place(each):
    assert_as_exact(each)


@pytest.mark.thorough
@pytest.mark.parametrize("each", TRIALS, ids=lambda each: each.name)
def test_layout_is_exact_at_many_sizes(each):
    assert_as_exact(each, MANY_SIZES)
