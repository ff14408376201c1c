"""Programs on the host: control flow, memory, symbolic sizes, estimates and refusals."""

from __future__ import annotations

import math
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

from tests.jaxpr.host.agreement import assert_agrees, both
from tfcompat._jaxpr.host.evaluation import HostProgram, NoKernel
from tfcompat._jaxpr.swap import order_after_swaps
from tfcompat._jaxpr.tracing import traced

X = np.arange(12, dtype=np.float32).reshape(3, 4)


@jax.custom_vjp
def twice(x):
    return 2 * x


twice.defvjp(lambda x: (twice(x), None), lambda _, ct: (3 * ct,))

CALLS = {
    "jit": jax.jit(lambda x: (x + 1, x)),
    "within each other": jax.jit(lambda x: jax.jit(lambda x: jax.jit(jnp.sin)(x) * x)(x)),
    "custom_jvp": jax.nn.relu,
    "custom_vjp": twice,
    "gradient of custom_vjp": jax.grad(lambda x: twice(x).sum()),
    "checkpoint": jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)).sum())),
    "scan": lambda x: lax.scan(lambda h, row: (h + row, h * row), x[0], x),
    "scan backwards": lambda x: lax.scan(lambda h, row: (h + row, h * row), x[0], x, reverse=True),
    "scan of trees": lambda x: lax.scan(
        lambda h, _: ({"a": h["b"], "b": h["a"] * x}, h["b"]), {"a": x, "b": x + 1}, length=3
    ),
    "scan of nothing": lambda x: lax.scan(lambda h, row: (h + row, h), x[0], x[:0]),
    "gradient of scan": jax.grad(lambda x: lax.scan(lambda h, row: (jnp.sin(h * row / 99), h), x[0], x)[0].sum()),
    "while": lambda x: lax.while_loop(lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * s[0]), (0, x)),
    "batch of whiles": jax.vmap(lambda x: lax.while_loop(lambda h: h.sum() < 100, lambda h: h * 2 + 1, x)),
    "fori": lambda x: lax.fori_loop(0, 4, lambda k, h: h + k, x),
    "cond": lambda x: [lax.cond(x.sum() > n, lambda x: x + 1, lambda x: x * 2, x) for n in (0, 1000)],
    "switch": lambda x: [lax.switch(n, [jnp.sin, jnp.cos, jnp.tan], x) for n in (-1, 0, 1, 2, 9)],
    "platform": lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos),
    "search": lambda x: jnp.searchsorted(x[0], x[1] - 3, side="right"),
    "constants": lambda x: x + jnp.asarray(X),
}


def test_swaps_are_one_step_of_the_host():
    offsets = np.random.default_rng(0).integers(0, np.arange(40, 0, -1), (2, 40)).astype(np.uint32)
    assert_agrees(order_after_swaps, offsets[0])
    assert_agrees(jax.vmap(order_after_swaps), offsets)
    # A loop of JAX takes ten times the patience with a step.
    assert HostProgram(traced(order_after_swaps, [np.zeros(20_000, np.uint32)])).work < 1e5


@pytest.mark.parametrize("name", CALLS)
def test_calls_and_loops(name):
    assert_agrees(CALLS[name], X)


def test_sixty_four_bits_of_random_numbers():
    def mixed(x):
        high = (x.astype(np.uint64) * np.uint64(0xD2511F53)) >> np.uint64(32)
        return high.astype(np.uint32) ^ (x * np.uint32(0xCD9E8D57)), lax.shift_left(x, np.uint32(13))

    assert_agrees(mixed, np.arange(0, 2**32, 2**24 + 12345, dtype=np.uint32))


ALIASES = {
    "itself": lambda x: x,
    "twice": lambda x: (x, x),
    "view": lambda x: (x.reshape(-1), x.T, x[1:], x[::-1]),
    "broadcast": lambda x: jnp.broadcast_to(x, (2, 3, 4)),
    "no change": lambda x: (x.astype(np.float32), lax.reshape(x, (3, 4)), lax.stop_gradient(x), jnp.copy(x)),
    "constant": lambda _: jnp.asarray(X),
    "literal": lambda _: (jnp.float32(3), jnp.zeros((2, 2))),
    "through a scan": lambda x: lax.scan(lambda h, _: (h, None), x, length=2)[0],
    "nothing to write": lambda x: x.at[jnp.zeros((0,), int)].set(0.0),
    "same value": lambda x: (x + 1, (x + 1).reshape(4, 3)),
}


@pytest.mark.parametrize("name", ALIASES)
def test_results_share_no_memory(name):
    x = X.copy()
    closed = traced(ALIASES[name], [jax.ShapeDtypeStruct(x.shape, x.dtype)])
    program = HostProgram(closed)
    first = program(x)
    wanted = [each.copy() for each in first]
    for k, result in enumerate(first):
        assert result.flags.writeable
        assert not np.shares_memory(result, x)
        assert not any(np.shares_memory(result, other) for other in first[:k])
        result.fill(77)
    assert np.array_equal(x, X)
    for here, there in zip(program(x), wanted):
        np.testing.assert_array_equal(here, there)


def test_inputs_are_not_changed():
    x = X.copy()
    x.flags.writeable = False
    assert_agrees(lambda x: (x.at[0].add(1), lax.dynamic_update_slice(x, x[:1], (1, 0)), lax.sort(x)), x)


def test_no_warning_leaks():
    program = HostProgram(traced(lambda x, n: (jnp.log(x), 1 / x, n // 0, x.astype(np.int8)), [X, np.int32(3)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program(X - 4, np.int32(3))


@pytest.mark.parametrize("call", ["pure_callback", "io_callback", "inside a loop"])
def test_callbacks_are_refused(call):
    struct = jax.ShapeDtypeStruct((), np.float32)

    def function(x):
        if call == "pure_callback":
            return jax.pure_callback(np.sin, struct, x)
        if call == "io_callback":
            return jax.experimental.io_callback(np.sin, struct, x)
        return lax.fori_loop(0, 3, lambda _, x: jax.pure_callback(np.sin, struct, x), x)

    with pytest.raises(NoKernel, match="callback"):
        HostProgram(traced(function, [struct]))


def test_random_keys_are_refused():
    with pytest.raises(NoKernel):
        HostProgram(traced(lambda seed: jax.random.key(seed), [np.int32(0)]))


SYMBOLIC = {
    "slice": lambda x: x[1:-1],
    "stride": lambda x: (x[::2], x[::-1], x[:-2]),
    "reshape": lambda x: (x.reshape(x.shape[0], -1), x.reshape(-1), x.reshape(2, -1)),
    "mean": lambda x: (x.mean(0), x.sum(1) / x.shape[0]),
    "iota": lambda x: jnp.arange(x.shape[0]) * 2,
    "broadcast": lambda x: jnp.zeros((x.shape[0], 3)) + x[:, :1],
    "pad": lambda x: jnp.pad(x, ((1, 2), (0, 0))),
    "concatenate": lambda x: jnp.concatenate([x, x]),
    "product": lambda x: x @ x.T,
    "softmax": lambda x: jax.nn.softmax(x, 0),
    "gather": lambda x: x[jnp.array([0, 1, -1])],
    "scan": lambda x: lax.scan(lambda h, row: (h + row, h), jnp.zeros(4, np.float32), x),
    "gradient": jax.grad(lambda x: jnp.sum(jnp.sin(x) @ x.T)),
    "sort": lambda x: jnp.sort(x, 0),
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_sizes_with_symbols(name):
    function = SYMBOLIC[name]
    (n,) = export.symbolic_shape("n", constraints=["n >= 3"])
    program = HostProgram(traced(function, [jax.ShapeDtypeStruct((n, 4), np.float32)]))
    assert program.symbols == ("n",)
    for size in (3, 4, 9, 4, 30):
        x = np.random.default_rng(0).normal(size=(size, 4)).astype(np.float32)
        got = program(x, sizes={"n": size})
        _, wanted = both(function, x)
        for here, there in zip(got, wanted, strict=True):
            assert (here.shape, here.dtype) == (there.shape, there.dtype)
            np.testing.assert_allclose(here, there, 1e-5, 1e-6)
        assert 0 < program.work_for({"n": size}) < math.inf


def test_several_symbols():
    n, m = export.symbolic_shape("n, m")
    structs = [jax.ShapeDtypeStruct((n, m), np.float32), jax.ShapeDtypeStruct((m, 2 * n), np.float32)]
    program = HostProgram(traced(lambda x, y: (x @ y).reshape(-1, 2), structs))
    x, y = np.ones((3, 5), np.float32), np.ones((5, 6), np.float32)
    (got,) = program(x, y, sizes={"n": 3, "m": 5})
    np.testing.assert_array_equal(got, np.full((9, 2), 5, np.float32))


def test_a_symbol_without_value_is_an_error():
    (n,) = export.symbolic_shape("n")
    program = HostProgram(traced(jnp.sin, [jax.ShapeDtypeStruct((n,), np.float32)]))
    with pytest.raises(KeyError):
        program(np.ones(3, np.float32))


def work(function, *structs):
    return HostProgram(traced(function, structs)).work


def test_work_grows_with_what_is_computed():
    def array(*shape):
        return jax.ShapeDtypeStruct(shape, np.float32)

    assert work(jnp.sin, array(10)) < work(jnp.sin, array(10_000)) < work(jnp.sin, array(1_000_000))
    assert work(jnp.matmul, array(10, 10), array(10, 10)) < work(jnp.matmul, array(1000, 1000), array(1000, 1000))
    once = work(lambda x: lax.fori_loop(0, 10, lambda _, x: jnp.sin(x), x), array(1000))
    assert 50 < work(lambda x: lax.fori_loop(0, 1000, lambda _, x: jnp.sin(x), x), array(1000)) / once < 150
    assert work(lambda x: lax.while_loop(lambda x: x < 5, lambda x: x + 1, x), array()) < once


def test_what_no_output_needs_is_not_computed():
    assert work(lambda x: (jnp.linalg.svd(x), x + 1)[1], X) == work(lambda x: x + 1, X)


def test_steps_on_constants_alone_run_once():
    assert work(lambda x: x + jnp.arange(4, dtype=np.float32) * 2, X) == work(lambda x: x + 1, X)
