"""Runs a function on padded arrays with garbage behind their logical parts, and compares it with its exact program."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._jaxpr.padded.evaluation import padded
from tfcompat._jaxpr.padded.padding import physical_shape
from tfcompat._jaxpr.size import symbols_of, value_of

# True sizes of n and m, and the sizes that there is room for.
LARGEST = {"n": 13, "m": 9}
SIZES = ({"n": 7, "m": 4},)
MANY_SIZES = (
    {"n": 13, "m": 2},
    {"n": 2, "m": 9},
    {"n": 3, "m": 5},
    {"n": 8, "m": 3},
    {"n": 12, "m": 8},
    {"n": 13, "m": 9},
)

# Relative to the largest element; integers and bools are equal.
TOLERANCE = {
    "bfloat16": 2e-2,
    "float16": 4e-3,
    "float32": 1e-5,
    "float64": 1e-12,
    "complex64": 1e-5,
    "complex128": 1e-12,
}
GARBAGE = (np.nan, np.inf, -np.inf, 1e30, -1e30, 0.0)


@dataclasses.dataclass(frozen=True)
class Input:
    """An argument: its shape as JAX reads symbolic shapes, its dtype, and for integers the range of its values."""

    shape: str
    dtype: Any = np.float32
    least: int = -9
    most: int = 9


@dataclasses.dataclass(frozen=True)
class Trial:
    """A function and its arguments.

    Attributes:
      name: its subject.
      fn: takes arrays, returns one or several.
      inputs: the arguments; a text is the shape of a float32.
      is_differentiated: whether its vjp is run too.
      constraints: assumptions of JAX about the symbols, in addition to sizes of at least 2.
    """

    name: str
    fn: Callable[..., Any]
    inputs: tuple[Input | str, ...]
    is_differentiated: bool = True
    constraints: tuple[str, ...] = ()
    largest: Mapping[str, int] = dataclasses.field(default_factory=lambda: LARGEST)


def trial(name: str, fn: Callable[..., Any], *inputs: Input | str, **options: Any) -> Trial:
    """A Trial, with its inputs as arguments."""
    return Trial(name, fn, inputs, **options)


def structs_of(each: Trial) -> list[jax.ShapeDtypeStruct]:
    """The arguments, with symbolic shapes."""
    scope = jax.export.SymbolicScope([*(f"{name} >= 2" for name in each.largest), *each.constraints])
    found = []
    for given in each.inputs:
        given = Input(given) if isinstance(given, str) else given
        found.append(jax.ShapeDtypeStruct(jax.export.symbolic_shape(given.shape, scope=scope), given.dtype))
    return found


def program_of(each: Trial, structs: list[Any]) -> tuple[Callable[..., list[Any]], list[Any]]:
    """The function whose results are compared, and its arguments: those of `each`, then cotangents."""

    def flat(*args):
        return jax.tree.leaves(each.fn(*args))

    outputs = jax.eval_shape(flat, *structs)
    floating = [k for k, struct in enumerate(structs) if jnp.issubdtype(struct.dtype, jnp.inexact)]
    given = [k for k, struct in enumerate(outputs) if jnp.issubdtype(struct.dtype, jnp.inexact)]
    if not (each.is_differentiated and floating and given):
        return flat, structs

    def differentiated(*args):
        args, cotangents = list(args[: len(structs)]), args[len(structs) :]

        def of_floating(*values):
            full = list(args)
            for k, value in zip(floating, values):
                full[k] = value
            found = flat(*full)
            return [found[k] for k in given], found

        _, pull, found = jax.vjp(of_floating, *[args[k] for k in floating], has_aux=True)
        return [*found, *pull(list(cotangents))]

    return differentiated, [*structs, *(outputs[k] for k in given)]


def array_of(each: Trial, k: int, struct: Any, true: Mapping[str, int]) -> np.ndarray:
    """The seeded argument `k` at its true size."""
    shape = tuple(value_of(size, true) for size in struct.shape)
    seed = int.from_bytes(hashlib.sha256(f"{each.name} {k} {sorted(true.items())}".encode()).digest()[:8], "little")
    rng = np.random.default_rng(seed)
    if np.issubdtype(struct.dtype, np.integer):
        given = each.inputs[k]
        return rng.integers(given.least, given.most, shape).astype(struct.dtype)
    if struct.dtype == np.bool_:
        return rng.random(shape) < 0.5
    found = rng.normal(size=shape)
    if np.issubdtype(struct.dtype, np.complexfloating):
        found = found + 1j * rng.normal(size=shape)
    return found.astype(struct.dtype)


def with_garbage(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`array` at the beginning of one of `shape`, and behind it what may reach no result."""
    rng = np.random.default_rng(len(shape))
    if np.issubdtype(array.dtype, np.integer):
        limits = np.iinfo(array.dtype)
        values = np.array([limits.min, limits.max, limits.max // 2, limits.min // 2, 0, 5], array.dtype)
    elif array.dtype == np.bool_:
        values = np.array([False, True])
    else:
        values = np.array(GARBAGE).astype(array.dtype)
    found = rng.choice(values, shape)
    found[tuple(map(slice, array.shape))] = array
    return found


def difference(got: np.ndarray, want: np.ndarray) -> str | None:
    """How `got` differs from `want`, relative to its largest element, or None."""
    if (got.shape, got.dtype) != (want.shape, want.dtype):
        return f"{got.dtype}{got.shape} for {want.dtype}{want.shape}"
    tolerance = TOLERANCE.get(want.dtype.name)
    if tolerance is None:
        return None if np.array_equal(got, want) else f"{got!r} for {want!r}"
    exact = want.astype(np.complex128)
    scale = np.abs(exact[np.isfinite(exact)]).max(initial=1)
    if np.allclose(got.astype(np.complex128), exact, rtol=0, atol=tolerance * scale, equal_nan=True):
        return None
    return f"{got!r} for {want!r}"


def complaints(each: Trial, sizes: tuple[Mapping[str, int], ...] = SIZES) -> list[str]:
    """How the results on padded arrays differ from those of the exact programs, at each of `sizes`."""
    with jax.enable_x64(True):
        return _complaints(each, sizes)


def _complaints(each: Trial, sizes: tuple[Mapping[str, int], ...]) -> list[str]:
    structs = structs_of(each)
    program, arguments = program_of(each, structs)
    jaxpr = jax.make_jaxpr(program)(*arguments)
    symbols = symbols_of(size for struct in arguments for size in struct.shape)
    largest = {name: each.largest[name] for name in symbols}
    run = jax.jit(padded(jaxpr, largest))
    exact = jax.jit(program)
    found = []
    for true in sizes:
        true = {name: true[name] for name in symbols}
        arrays = [array_of(each, k, struct, true) for k, struct in enumerate(arguments)]
        room = [physical_shape(struct.shape, largest) for struct in arguments]
        got = run(true, *map(with_garbage, arrays, room))
        for k, (value, want, aval) in enumerate(zip(got, exact(*arrays), jaxpr.out_avals)):
            assert value.shape == physical_shape(aval.shape, largest)
            logical = tuple(slice(value_of(size, true)) for size in aval.shape)
            said = difference(np.asarray(value)[logical], np.asarray(want))
            found += [f"{true}: output {k}: {said}"] if said else []
    return found


def assert_as_exact(each: Trial, sizes: tuple[Mapping[str, int], ...] = SIZES) -> None:
    """Results on padded arrays are those of the exact programs, at each of `sizes`."""
    found = complaints(each, sizes)
    assert not found, "\n".join(found)
