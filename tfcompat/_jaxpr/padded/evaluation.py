"""A jaxpr with symbolic sizes as a function on padded arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._jaxpr.padded import (
    contraction,
    control,
    convolution,
    elementwise,
    indexing,
    layout,
    matrix,
    order,
    reduction,
    reshaping,
    scattering,
    window,
)
from tfcompat._jaxpr.padded.equation import Rule, has_open_size, unchanged
from tfcompat._jaxpr.padded.padding import Padding
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.primitive import constants, literal, name_of

SUBJECTS = (
    *(contraction, control, convolution, elementwise, indexing, layout, matrix),
    *(order, reduction, reshaping, scattering, window),
)
RULES: dict[str, Rule] = {name: rule for subject in SUBJECTS for name, rule in subject.RULES.items()}

# Calls hold functions beside their jaxprs, so they are evaluated even if nothing in them is open.
CALLS = frozenset({"closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"})


def padded(jaxpr: Any, largest: Mapping[str, int]) -> Callable[..., list[Any]]:
    """`jaxpr`, closed, as a function of the true sizes of its symbols and of padded arrays; it returns padded arrays.

    `largest` says the size of each symbol that the arrays have room for: `physical_shape` of an input's symbolic shape
    is the shape of its array. The function takes a mapping of each symbol to its true size, an int32 scalar of at least
    2 and at most the largest, and then the arrays. It is traced by `jax.jit`, with 64 bits if the jaxpr was. The
    logical shape of an output is `value_of` of each size in `jaxpr.out_avals`; what lies behind it is arbitrary.

    Raises: NoRule, when it is traced, if a primitive has no rule for the sizes that are open, or a size cannot be held.
    """

    def program(true: Mapping[str, Any], *arrays: Any) -> list[Any]:
        sizes = {name: jnp.asarray(size, jnp.int32) for name, size in true.items()}
        return evaluate(Padding(largest, sizes, evaluate), jaxpr, arrays)

    return program


def self_sized(
    jaxpr: Any, largest: Mapping[str, int], places: Mapping[str, int], *, is_bounded: bool = True
) -> Callable[..., list[Any]]:
    """As `padded`, for a `jaxpr` that computes the true sizes: the output at the place of a symbol is its true size.

    The function takes arrays only. The equations that a true size depends on must precede those that have it. A size
    may be 0 or 1 if its name says so (see `bounds`), and if the equations are right for it. Unless it `is_bounded`, it
    may exceed the largest size: then the outputs are those of the first rows.
    """
    names: defaultdict[Any, list[str]] = defaultdict(list)
    known: dict[str, Any] = {}
    for name, place in places.items():
        atom = jaxpr.outvars[place]
        number = literal(atom)
        if number is None:
            names[atom].append(name)
        else:
            known[name] = number

    def true_size(name: str, value: Any) -> Any:
        size = jnp.asarray(value, jnp.int32)
        return size if is_bounded else jnp.minimum(size, largest[name])

    def program(*arrays: Any) -> list[Any]:
        true = {name: true_size(name, value) for name, value in known.items()}

        def note(atom: Any, value: Any) -> None:
            for name in names.get(atom, ()):
                true[name] = true_size(name, value)

        return evaluate(Padding(largest, true, evaluate), jaxpr, arrays, note)

    return program


def evaluate(
    padding: Padding, jaxpr: Any, arrays: Sequence[Any], note: Callable[[Any, Any], None] | None = None
) -> list[Any]:
    """The outputs of `jaxpr` for padded inputs. `note` is called with each variable and its value."""
    values: dict[Any, Any] = dict(zip(jaxpr.invars, arrays, strict=True))
    if jaxpr.constvars:
        values.update(constants(jaxpr))
    if note is not None:
        for atom, value in values.items():
            note(atom, value)

    def read(atom: Any) -> Any:
        number = literal(atom)
        return values[atom] if number is None else np.asarray(number, atom.aval.dtype)

    for equation in jaxpr.eqns:
        found = _outputs(padding, equation, [read(atom) for atom in equation.invars])
        values.update(zip(equation.outvars, found, strict=True))
        if note is not None:
            for atom, value in zip(equation.outvars, found, strict=True):
                note(atom, value)
    return [read(atom) for atom in jaxpr.outvars]


def _outputs(padding: Padding, equation: Any, arrays: Sequence[Any]) -> Sequence[Any]:
    """The outputs of one equation."""
    name = name_of(equation)
    if name in CALLS or has_open_size(equation):
        if name not in RULES:
            raise NoRule(name, "no rule")
        found = RULES[name](padding, equation, *arrays)
    else:
        found = unchanged(padding, equation, *arrays)
    outputs = found if equation.primitive.multiple_results else [found]
    for atom, output in zip(equation.outvars, outputs, strict=True):
        if np.shape(output) != padding.shape(atom.aval.shape):
            raise NoRule(name, f"an array of shape {np.shape(output)} for {atom.aval.shape}")
    return outputs


def padded_array(array: np.ndarray[Any, Any], shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """`array` at the beginning of one of `shape`, zeros behind it."""
    if array.shape == tuple(shape):
        return array
    found = np.zeros(shape, array.dtype)
    found[tuple(map(slice, array.shape))] = array
    return found
