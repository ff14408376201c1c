"""Calls, loops and branches: their jaxprs are evaluated on padded arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._jaxpr.found_size import found_by
from tfcompat._jaxpr.padded.equation import Rule, sizes_out
from tfcompat._jaxpr.padded.padding import Padding
from tfcompat._jaxpr.padded.refusal import NoRule
from tfcompat._jaxpr.parameter import branch_platforms, linear_solver, loop_parts, scan_counts
from tfcompat._jaxpr.primitive import inner
from tfcompat._jaxpr.size import is_open

Body = Callable[..., tuple[Any, ...]]


def _body(padding: Padding, jaxpr: Any) -> Body:
    """`jaxpr` as a function that JAX traces on its own."""
    return lambda *arrays: tuple(padding.run(padding.inside(), jaxpr, arrays))


def _call(padding: Padding, equation: Any, *arrays: Any) -> list[Any]:
    (jaxpr,) = inner(equation)
    if (name := found_by(equation)) is not None:
        padding.find(name, equation.invars[0].aval.shape[0], arrays[1])
    if equation.params.get("differentiated") and equation.params.get("prevent_cse"):
        # XLA would merge the recomputation for a derivative with the first computation.
        arrays = tuple(lax.optimization_barrier(arrays))
    return padding.run(padding, jaxpr, arrays)


def _scan(padding: Padding, equation: Any, *arrays: Any) -> list[Any]:
    (jaxpr,) = inner(equation)
    counts = scan_counts(equation)
    constants = arrays[: counts.constants]
    first = tuple(map(jnp.asarray, arrays[counts.constants : counts.constants + counts.carried]))
    sequences = arrays[counts.constants + counts.carried :]
    body = _body(padding, jaxpr)

    def step(carried: Any, taken: Any) -> tuple[Any, Any]:
        found = body(*constants, *carried, *taken)
        return found[: counts.carried], found[counts.carried :]

    length, is_reversed = equation.params["length"], equation.params["reverse"]
    if is_open(length):
        shapes = [padding.shape(sizes_out(equation, k)) for k in range(counts.carried, len(equation.outvars))]
        dtypes = [atom.aval.dtype for atom in equation.outvars[counts.carried :]]
        results = tuple(jnp.zeros(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True))
        last, results = _looped(step, padding.value(length), is_reversed, first, sequences, results)
    else:
        unroll = equation.params["unroll"]
        last, results = lax.scan(step, first, tuple(sequences), int(length), is_reversed, unroll)
    return [*last, *results]


def _looped(
    step: Callable[..., Any], length: Any, is_reversed: bool, first: Any, sequences: Any, results: Any
) -> tuple[Any, Any]:
    """The last carried value of a scan of `length` steps, and `results` with those of each step in place."""

    def advance(k: Any, state: Any) -> Any:
        carried, results = state
        place = length - 1 - k if is_reversed else k
        carried, found = step(carried, [lax.dynamic_index_in_dim(each, place, 0, False) for each in sequences])
        placed = [lax.dynamic_update_index_in_dim(old, new, place, 0) for old, new in zip(results, found, strict=True)]
        return carried, tuple(placed)

    return lax.fori_loop(0, length, advance, (first, results))


def _while(padding: Padding, equation: Any, *arrays: Any) -> list[Any]:
    parts = loop_parts(equation)
    of_condition = arrays[: parts.condition_constants]
    of_body = arrays[parts.condition_constants : parts.condition_constants + parts.body_constants]
    first = tuple(map(jnp.asarray, arrays[parts.condition_constants + parts.body_constants :]))
    condition, body = _body(padding, parts.condition), _body(padding, parts.body)
    sizes = parts.condition.outvars[0].aval.shape

    def goes_on(carried: Any) -> Any:
        """The rows that continue: those after the logical part never do."""
        (flags,) = condition(*of_condition, *carried)
        return padding.inside().filled(flags, sizes, range(len(sizes)), False)

    def advance(carried: Any) -> Any:
        found = body(*of_body, *carried)
        if not sizes:
            return found
        flags = goes_on(carried)
        return tuple(lax.select(_spread(flags, new.shape), new, old) for new, old in zip(found, carried, strict=True))

    return list(lax.while_loop(lambda carried: goes_on(carried).any(), advance, first))


def _spread(flags: Any, shape: tuple[int, ...]) -> Any:
    return lax.broadcast_in_dim(flags, shape, tuple(range(flags.ndim)))


def _cond(padding: Padding, equation: Any, choice: Any, *arrays: Any) -> list[Any]:
    branches = [_body(padding, jaxpr) for jaxpr in inner(equation)]
    platforms = branch_platforms(equation)
    if platforms is None:
        return list(lax.switch(choice, branches, *arrays))
    named = {name: branch for names, branch in zip(platforms, branches, strict=True) for name in names}
    default = [branch for names, branch in zip(platforms, branches, strict=True) if not names]
    return list(lax.platform_dependent(*arrays, default=default[0] if default else None, **named))


def _linear_solve(padding: Padding, equation: Any, *arrays: Any) -> list[Any]:
    jaxpr, constants, start = linear_solver(equation)
    if jaxpr is None:
        raise NoRule("custom_linear_solve", "no solver is given")
    return padding.run(padding, jaxpr, (*arrays[constants], *arrays[start:]))


# JAX 0.12 names a closed call `eval_jaxpr`.
CALLS = (
    *("jit", "closed_call", "core_call", "eval_jaxpr"),
    *("remat2", "checkpoint", "custom_jvp_call", "custom_vjp_call"),
)

RULES: dict[str, Rule] = {
    **dict.fromkeys(CALLS, _call),
    "cond": _cond,
    "custom_linear_solve": _linear_solve,
    "scan": _scan,
    "while": _while,
}
