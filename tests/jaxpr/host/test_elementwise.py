"""Elementwise kernels compute what XLA computes, for edge values of all dtypes."""

from __future__ import annotations

from functools import partial

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.jaxpr.host.agreement import assert_agrees, both

FLOATS = ["float32", "float64", "float16", "bfloat16"]
COMPLEX = ["complex64", "complex128"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + COMPLEX + INTEGERS
REAL = FLOATS + INTEGERS
BITS = [*INTEGERS, "bool"]


def edges(dtype):
    """The values at which rules change."""
    if dtype == "bool":
        return np.array([False, True])
    kind = np.dtype(dtype)
    if dtype in INTEGERS:
        bounds = np.iinfo(kind)
        small = [0, 1, 2, 3, 5, 7, 8, 31, 63, 64, 100, bounds.max - 1, bounds.max, bounds.min, bounds.min + 1]
        return np.array([*small, *([-1, -2, -3, -7, -64] if dtype in SIGNED else [])], object).astype(kind)
    found = np.array([0.0, -0.0, 0.3, -0.3, 0.5, -0.5, 1, -1, 1.5, 2.5, -2.5, 3, -7.25, 20, np.inf, -np.inf, np.nan])
    if dtype in COMPLEX:
        parts = found[np.isfinite(found)]
        return (parts[:, None] + 1j * parts).reshape(-1).astype(kind)
    return found.astype(kind)


def smooth(dtype):
    """Values far from singularities."""
    found = np.linspace(-0.9, 0.9, 10)
    return ((found[:, None] + 1j * found + 0.05j).reshape(-1) if dtype in COMPLEX else found).astype(dtype)


UNARY = {
    "abs": (lax.abs, FLOATS + COMPLEX + SIGNED),
    "ceil": (lax.ceil, FLOATS),
    "clz": (lax.clz, INTEGERS),
    "conj": (lax.conj, COMPLEX),
    "floor": (lax.floor, FLOATS),
    "imag": (lax.imag, COMPLEX),
    "is_finite": (lax.is_finite, FLOATS),
    "neg": (lax.neg, NUMBERS),
    "not": (lax.bitwise_not, BITS),
    "population_count": (lax.population_count, INTEGERS),
    "real": (lax.real, COMPLEX),
    "round": (lax.round, FLOATS),
    "round to even": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), FLOATS),
    "sign": (lax.sign, FLOATS + COMPLEX + INTEGERS),
    "square": (lax.square, FLOATS + COMPLEX + INTEGERS),
    "exp": (lax.exp, FLOATS),
    "exp2": (lax.exp2, ["float32", "float64", "float16"]),
    "expm1": (lax.expm1, FLOATS),
    "log": (lax.log, FLOATS),
    "log1p": (lax.log1p, FLOATS),
    "logistic": (lax.logistic, FLOATS),
    "sqrt": (lax.sqrt, FLOATS),
    "rsqrt": (lax.rsqrt, FLOATS),
    "cbrt": (lax.cbrt, FLOATS),
    "sin": (lax.sin, FLOATS),
    "cos": (lax.cos, FLOATS),
    "tan": (lax.tan, FLOATS),
    "asin": (lax.asin, FLOATS),
    "acos": (lax.acos, FLOATS),
    "atan": (lax.atan, FLOATS),
    "sinh": (lax.sinh, FLOATS),
    "cosh": (lax.cosh, FLOATS),
    "tanh": (lax.tanh, FLOATS),
    "asinh": (lax.asinh, FLOATS),
    "acosh": (lax.acosh, FLOATS),
    "atanh": (lax.atanh, FLOATS),
    **{f"power {y}": (partial(lax.integer_pow, y=y), FLOATS + SIGNED) for y in (0, 1, 2, 3, 7)},
    **{f"power {y}": (partial(lax.integer_pow, y=y), FLOATS) for y in (-1, -2, -3)},
    **{
        f"reduce_precision {bits}": (
            partial(lax.reduce_precision, exponent_bits=bits[0], mantissa_bits=bits[1]),
            FLOATS,
        )
        for bits in [(8, 7), (5, 10), (4, 3), (5, 2), (8, 23)]
    },
}
OF_COMPLEX = {
    name: getattr(lax, name)
    for name in (
        *("exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
        *("asin", "acos", "atan", "asinh", "acosh", "atanh", "logistic"),
    )
}
BINARY = {
    "add": (lax.add, NUMBERS),
    "sub": (lax.sub, NUMBERS),
    "mul": (lax.mul, NUMBERS),
    "div": (lax.div, REAL),
    "rem": (lax.rem, REAL),
    "max": (lax.max, [*REAL, "bool"]),
    "min": (lax.min, [*REAL, "bool"]),
    "and": (lax.bitwise_and, BITS),
    "or": (lax.bitwise_or, BITS),
    "xor": (lax.bitwise_xor, BITS),
    "eq": (lax.eq, [*NUMBERS, "bool"]),
    "ne": (lax.ne, [*NUMBERS, "bool"]),
    "lt": (lax.lt, [*REAL, "bool"]),
    "le": (lax.le, [*REAL, "bool"]),
    "gt": (lax.gt, [*REAL, "bool"]),
    "ge": (lax.ge, [*REAL, "bool"]),
    "shift_left": (lax.shift_left, INTEGERS),
    "shift_right_logical": (lax.shift_right_logical, INTEGERS),
    "shift_right_arithmetic": (lax.shift_right_arithmetic, INTEGERS),
    "atan2": (lax.atan2, FLOATS),
    "pow": (lax.pow, FLOATS),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    function, dtypes = UNARY[name]
    assert_agrees(lambda *xs: [function(x) for x in xs], *map(edges, dtypes))


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_unary_of_complex_numbers(name):
    assert_agrees(lambda *xs: [OF_COMPLEX[name](x) for x in xs], *map(smooth, COMPLEX))


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    function, dtypes = BINARY[name]
    pairs = [np.meshgrid(edges(dtype), edges(dtype)) for dtype in dtypes]
    assert_agrees(lambda *pairs: [function(left, right) for left, right in pairs], *map(tuple, pairs))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_next_number(dtype):
    left, right = np.meshgrid(edges(dtype), edges(dtype))
    kept = (left != 0) & (np.abs(left) < 100)  # XLA returns 0 for denormal numbers
    assert_agrees(lax.nextafter, left[kept], right[kept])


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("function", [lax.div, lax.pow], ids=["div", "pow"])
def test_binary_of_complex_numbers(function, dtype):
    left, right = np.meshgrid(smooth(dtype), smooth(dtype)[::7])
    assert_agrees(function, left, right)


def test_floats_to_the_power_of_integers():
    left, right = np.meshgrid(edges("float32"), np.arange(-3, 5))
    assert_agrees(lax.pow, left, right)


@pytest.mark.parametrize("source", [*NUMBERS, "bool"])
def test_conversion(source):
    values = edges(source)
    if source in FLOATS:
        more = np.array([127.5, 128, 255.9, 256, 32768, 65535, 2.0**31, 2.0**32, 2.0**63, 2.0**64, 1e30])
        with np.errstate(over="ignore"):
            values = np.concatenate([values, more.astype(source), -more.astype(source)])
    if source in COMPLEX:
        values = values[np.isfinite(values)]
    targets = [target for target in [*NUMBERS, "bool"] if source not in COMPLEX or target in [*COMPLEX, "bool"]]
    assert_agrees(lambda x: [x.astype(target) for target in targets], values)


@pytest.mark.parametrize("target", ["float8_e4m3fn", "float8_e5m2"])
def test_conversion_to_eight_bits(target):
    values = np.array([0, 0.1, -1.5, 3.3, 100], np.float32)
    assert_agrees(lambda x: x.astype(target).astype(np.float32) * 2, values)


@pytest.mark.parametrize(
    ("source", "target"),
    [("float32", "int32"), ("float32", "uint8"), ("float64", "uint32"), ("bfloat16", "int16"), ("int8", "uint8")],
)
def test_bits(source, target):
    assert_agrees(lambda x: lax.bitcast_convert_type(x, target), edges(source))


def test_bits_of_several():
    assert_agrees(lambda x: lax.bitcast_convert_type(x, np.float32), np.arange(24, dtype=np.uint8).reshape(2, 3, 4))


@pytest.mark.parametrize("dtype", ["float32", "int32", "bool"])
def test_selection(dtype):
    first, second, third = (np.resize(edges(dtype), 6)[k:] for k in (0, 0, 0))
    assert_agrees(lax.select_n, np.array([True, False] * 3), first, second)
    assert_agrees(lax.select_n, np.array([0, 1, 2, 2, 1, 0], np.int32), first, second, third)
    assert_agrees(lax.select_n, np.array(True), first, second)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32", "uint8"])
def test_clamp(dtype):
    assert_agrees(lambda x: lax.clamp(jnp.array(0, dtype), x, jnp.array(3, dtype)), edges(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_complex_of_parts(dtype):
    left, right = np.meshgrid(edges(dtype), edges(dtype))
    assert_agrees(lax.complex, left, right)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_upper_half_of_a_product(dtype):
    left, right = np.meshgrid(edges(dtype), edges(dtype))
    assert_agrees(lax.mulhi, left, right)


def test_a_number_that_is_literal_keeps_the_dtype():
    for dtype in FLOATS + INTEGERS:
        got, wanted = both(lambda x: x * 3 + 1, np.arange(3).astype(dtype))
        assert got[0].dtype == wanted[0].dtype == np.dtype(dtype)


@pytest.mark.parametrize("dtype", [*NUMBERS, "bool"])
@pytest.mark.parametrize("which", ["neither", "first", "second"])
def test_selection_of_many_elements(dtype, which):
    values = np.resize(edges(dtype), (6, 50))
    zeros = np.zeros((), values.dtype)
    cases = [zeros if which == "first" else values, zeros if which == "second" else values[::-1]]
    mask = np.random.default_rng(0).random((6, 50)) < 0.5

    def selected(mask, no, yes):
        return lax.select(mask, jnp.broadcast_to(yes, mask.shape), jnp.broadcast_to(no, mask.shape))

    assert_agrees(selected, mask, *cases)
    (host,), _ = both(selected, mask, *cases)
    assert host.tobytes() == np.where(mask, cases[1], cases[0]).astype(values.dtype).tobytes()


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(3, 20, 15), (3, 2), (0, 300), (3, 0)])
def test_one_choice_for_each_row(dtype, shape):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)

    def chosen(which, x):
        return jnp.where(which.reshape(-1, *[1] * (len(shape) - 1)), jnp.flip(x, 1), x)

    assert_agrees(chosen, np.array([True, False, True])[: shape[0]], x)
