"""Reading and writing at computed places agrees with XLA, inside and outside of the array."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.daily import one_in
from tests.jaxpr.host.agreement import assert_agrees

MODES = ["clip", "fill", "promise_in_bounds"]
DTYPES = ["float32", "bfloat16", "int8", "uint8", "complex64", "bool", "float16"]
X = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
OUTSIDE = np.array([[0, -1], [2, 3], [-4, 7], [1, 9], [2, 3]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_windows_are_moved_inside(dtype):
    x = X.astype(dtype)
    for starts in ((0, 1, 2), (-5, 3, 9), (2, -1, 0)):
        assert_agrees(lambda x, *at: lax.dynamic_slice(x, at, (2, 2, 3)), x, *starts)
        assert_agrees(lambda x, u, *at: lax.dynamic_update_slice(x, u, at), x, x[:2, :2, :3], *starts)


def test_places_of_unsigned_type():
    assert_agrees(lambda x, i: lax.dynamic_slice(x, (i, i, i), (1, 1, 1)), X, np.uint8(255))
    assert_agrees(lambda x, i: x[i], X, np.array([0, 2], np.uint8))


GATHERS = {
    # offset_dims, collapsed_slice_dims, start_index_map, sizes of the window, shape of the indices
    "rows": ((1, 2), (0,), (0,), (1, 4, 5), (5, 1)),
    "elements": ((), (0, 1, 2), (0, 1, 2), (1, 1, 1), (5, 3)),
    "windows": ((1, 2, 3), (), (0, 2), (2, 4, 3), (5, 2)),
    "windows in front": ((0, 2), (1,), (2, 1), (2, 1, 2), (5, 2)),
    "parts of a row": ((1,), (0, 2), (0, 2), (1, 3, 1), (5, 2)),
    "one window": ((0, 1), (0,), (0, 1), (1, 2, 5), (2,)),
    "batch": ((2, 3), (0,), (0,), (1, 4, 2), (2, 3, 1)),
    "none": ((1, 2), (0,), (0,), (1, 4, 5), (0, 1)),
    "no index": ((1, 2), (0,), (), (1, 4, 5), (2, 0)),
}


def places(shape):
    return np.random.default_rng(0).integers(-2, 6, shape)


@pytest.mark.parametrize(("name", "mode"), one_in(2, itertools.product(GATHERS, MODES)))
def test_gather(name, mode):
    offsets, collapsed, named, sizes, shape = GATHERS[name]
    numbers = lax.GatherDimensionNumbers(offsets, collapsed, named)
    arrays = [X.astype(dtype) for dtype in DTYPES]
    indices = np.abs(places(shape)) % 3 if mode == "promise_in_bounds" else places(shape)
    assert_agrees(lambda xs, i: [lax.gather(x, i, numbers, sizes, mode=mode) for x in xs], arrays, indices)


def test_gather_with_a_filling():
    numbers = lax.GatherDimensionNumbers((1, 2), (0,), (0,))
    options = {"slice_sizes": (1, 4, 5), "mode": "fill", "fill_value": 7}
    assert_agrees(lambda x, i: lax.gather(x, i, numbers, **options), X, places((5, 1)))


def test_batches_of_gathers():
    i = np.array([[0, 3, 9], [1, -1, 2], [3, 3, 0]])
    assert_agrees(jax.vmap(lambda x, i: x.at[i].get(mode="fill")), X, i)
    assert_agrees(lambda x, i: jnp.take_along_axis(x, i[..., None], 1), X, i)


@pytest.mark.parametrize("method", ["set", "add", "max", "mul"])
def test_batches_of_scatters(method):
    update = np.arange(45, dtype=np.float32).reshape(3, 3, 5)
    indices = np.array([[0, 3, 9], [1, 7, 2], [3, 1, 0]])
    assert_agrees(jax.vmap(lambda x, i, u: getattr(x.at[i], method)(u, mode="drop")), X, indices, update)


SCATTERS = {
    # update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, shapes of the updates and the indices
    "rows": ((1, 2), (0,), (0,), (5, 4, 5), (5, 1)),
    "elements": ((), (0, 1, 2), (0, 1, 2), (5,), (5, 3)),
    "windows": ((1, 2, 3), (), (0, 2), (5, 2, 4, 3), (5, 2)),
    "windows in front": ((0, 2), (1,), (2, 1), (2, 5, 2), (5, 2)),
    "one window": ((0, 1), (0,), (0, 1), (2, 5), (2,)),
    "none": ((1, 2), (0,), (0,), (0, 4, 5), (0, 1)),
}
WRITERS = {
    "set": (lax.scatter, DTYPES),
    "add": (lax.scatter_add, DTYPES[:-2]),
    "sub": (lax.scatter_sub, DTYPES[:-2]),
    "mul": (lax.scatter_mul, DTYPES[:-2]),
    "max": (lax.scatter_max, DTYPES[:4]),
    "min": (lax.scatter_min, DTYPES[:4]),
}


@pytest.mark.parametrize(("name", "writer", "mode"), one_in(3, itertools.product(SCATTERS, WRITERS, ["clip", "drop"])))
def test_scatter(name, writer, mode):
    window, inserted, named, shape, at = SCATTERS[name]
    numbers = lax.ScatterDimensionNumbers(window, inserted, named)
    function, dtypes = WRITERS[writer]
    update = np.random.default_rng(1).integers(0, 4, shape)
    pairs = [(X.astype(dtype), update.astype(dtype)) for dtype in dtypes]
    indices = places(at)
    if writer == "set" and mode == "drop":  # the last of several updates wins only by accident
        indices = np.stack([np.arange(at[0])] * at[1], 1) if len(at) == 2 else np.array([1, 1])
        if name == "windows":
            indices = indices * 2
    if writer == "set" and mode == "clip":
        indices = np.zeros(at, int) + 9 if len(at) == 1 else np.zeros(at, int)
        pairs = [
            (x, np.broadcast_to(u[:1], u.shape) if u.size and len(at) == 2 and window[:1] != (0,) else u)
            for x, u in pairs
        ]
        if window[:1] == (0,) and len(at) == 2:
            pairs = [(x, np.ones_like(u)) for x, u in pairs]
    assert_agrees(lambda pairs, i: [function(x, i, u, numbers, mode=mode) for x, u in pairs], pairs, indices)


def test_scatter_of_any_function():
    def applied(x, i):
        return x.at[i].apply(jnp.sin)

    assert_agrees(applied, X, np.array([0, 2]))


def test_many_additions_to_one_place():
    indices = np.random.default_rng(0).integers(0, 3, 500)
    for dtype in ("float32", "int32", "bfloat16"):
        update = np.random.default_rng(1).integers(0, 2, (500, 4)).astype(dtype)
        assert_agrees(lambda i, u: jnp.zeros((3, 4), u.dtype).at[i].add(u), indices, update)


def test_large_windows():
    x = np.arange(4 * 12 * 11 * 2, dtype=np.int32).reshape(4, 12, 11, 2)
    starts = np.array([[0, 0], [3, 2], [-5, 9], [2, 1]], np.int32)

    def window(image, at):
        return lax.dynamic_slice(image, (at[0], at[1], np.int32(0)), (9, 8, 2))

    assert_agrees(jax.vmap(window), x, starts)
    assert_agrees(jax.vmap(window, in_axes=(None, 0)), x[0], starts)
