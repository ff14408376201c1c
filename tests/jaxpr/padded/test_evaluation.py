"""The interface of padded programs: shapes, bounds, refusals."""

from __future__ import annotations

import jax
import jax.extend.core.primitives
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.jaxpr.padded.trial import structs_of, trial
from tfcompat._jaxpr.padded.bound import bounds
from tfcompat._jaxpr.padded.evaluation import RULES, padded, padded_array
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.padded.refusal import NoRule

LARGEST = {"n": 8, "m": 5}


def jaxpr_of(fn, *shapes):
    return jax.make_jaxpr(fn)(*structs_of(trial("", fn, *shapes)))


def run(fn, *shapes, largest=LARGEST):
    """Traces `fn` for symbolic `shapes` and runs it on zeros."""
    jaxpr = jaxpr_of(fn, *shapes)
    arrays = [np.zeros(physical_shape(aval.shape, largest), aval.dtype) for aval in jaxpr.in_avals]
    return jax.jit(padded(jaxpr, largest))(dict.fromkeys(largest, 2), *arrays)


def sizes(text):
    return jax.export.symbolic_shape(text, constraints=["n >= 2", "m >= 2"])


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("n", (2, 8)),
        ("2*n + 1", (5, 17)),
        ("n*m", (4, 40)),
        ("n - m", (-3, 6)),
        ("max(m - n, 0)", (0, 3)),
        ("min(m, n)", (2, 5)),
        ("mod(n, 3)", (0, 2)),
        ("mod(m*n, 3)", (0, 2)),
        ("floordiv(n, 3)", (0, 2)),
        ("n - floordiv(n, 2)", (1, 4)),
        ("floordiv(n + m, 2)", (2, 6)),
        ("n^2", (4, 64)),
    ],
)
def test_bounds_hold_all_values(text, want):
    (size,) = sizes(text)
    assert bounds(size, LARGEST) == want


def test_bounds_of_a_large_size_are_those_of_its_parts():
    (size,) = sizes("n - floordiv(n, 2)")
    assert bounds(size, {"n": 100_000}) == (2 - 50_000, 99_999)


def test_physical_shape_holds_no_less_than_nothing():
    assert physical_shape(sizes("n - m, 3"), {"n": 2, "m": 9}) == (0, 3)


def test_padded_array_begins_with_the_array():
    found = padded_array(np.ones((2, 3), np.int8), (3, 5))
    assert (found.dtype, found.shape, found.sum()) == (np.int8, (3, 5), 6)
    assert (found[:2, :3] == 1).all()
    assert padded_array(found, found.shape) is found


def test_sizes_at_run_time_need_no_new_program():
    jaxpr = jaxpr_of(lambda x: (x.sum(), x.shape[0]), "n")
    program = jax.jit(padded(jaxpr, {"n": 8}))
    x = np.arange(8, dtype=np.float32)
    for true in (2, 5, 8):
        total, size = program({"n": true}, x)
        assert (total, size) == (x[:true].sum(), true)
    assert program._cache_size() == 1


def test_primitive_without_rule_is_refused_by_name():
    with pytest.raises(NoRule, match="random_bits: no rule") as caught:
        run(lambda x: x + jax.random.uniform(jax.random.key(0), x.shape), "n")
    assert caught.value.primitive == "random_bits"


def test_primitive_without_rule_and_without_open_size_runs():
    (found,) = run(lambda x: x + jax.random.uniform(jax.random.key(0), (3,)).sum(), "n")
    assert found.shape == (8,)


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (lambda x: jnp.fft.fft(x[:4].T), "fft: transforms"),
        (lambda x: jnp.linalg.eigvalsh(x @ x.T), "eigh: matrices"),
        (lambda x: jnp.linalg.qr(x.T), "qr|geqrf|householder"),
    ],
)
def test_open_sizes_of_matrices_are_refused(fn, reason):
    with pytest.raises(NoRule, match=reason):
        run(fn, "n, 4")


def test_open_exponent_is_refused():
    with pytest.raises(NoRule, match="integer_pow: y is n"):
        run(lambda x: lax.integer_pow(x, x.shape[0]), "n")


def test_open_strides_are_refused():
    image = (1, 1, 8, 4)
    with pytest.raises(NoRule, match="conv_general_dilated: window_strides"):
        run(
            lambda x: lax.conv_general_dilated(jnp.ones(image), jnp.ones((1, 1, 2, 2)), (x.shape[0], 1), "VALID").sum(),
            "n",
        )


def test_arrays_beyond_32_bits_are_refused():
    with pytest.raises(NoRule, match="32 bits"):
        physical_shape(sizes("n, m"), {"n": 2**16, "m": 2**16})
    with pytest.raises(NoRule, match="32 bits"):
        bounds(sizes("n*m")[0], {"n": 2**16, "m": 2**16})


def test_size_that_may_divide_by_0_is_refused():
    with pytest.raises(NoRule, match="divide by 0"):
        bounds(sizes("floordiv(m, n - 2)")[0], LARGEST)


def test_scalars_and_constants_are_as_they_are():
    table = np.arange(6.0, dtype=np.float32)
    (found,) = run(lambda x: x.sum() + lax.reduce_sum(jnp.asarray(table), (0,)), "n")
    assert found == 15


# Primitives that only appear in code that maps devices, holds references or writes kernels, and those below.
NEVER = {
    *("after_all", "all_gather", "all_to_all", "axis_index", "call", "create_token", "custom_lin", "device_put"),
    *("empty2", "eval_jaxpr", "get", "pmax", "pmin", "ppermute", "psum", "ragged_all_to_all"),
    *("sharding_constraint", "swap"),
}
# Random numbers of JAX are indexed by physical shape; the others are not used.
REFUSED = {
    *("random_bits", "random_fold_in", "random_gamma", "random_seed", "random_split", "rng_bit_generator"),
    *("rng_uniform", "select_and_scatter"),
}


def test_every_primitive_has_a_rule_or_a_reason():
    listed = {
        value.name
        for name, value in vars(jax.extend.core.primitives).items()
        if name.endswith("_p") and hasattr(value, "bind")
    }
    assert listed - RULES.keys() - NEVER - REFUSED == set()
