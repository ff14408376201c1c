"""Parameters of primitives whose names differ between releases of JAX, and those that hold other jaxprs.

JAX 0.11 replaced `num_consts` and `num_carry` of a scan. What such parameters say is found in the shapes of an
equation's inputs and outputs where it can be.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax

from tfcompat._jaxpr.primitive import inner
from tfcompat._jaxpr.tracing import traced

# A primitive that is made of others, such as JAX 0.12's searchsorted.
_HIGH = "call_hi_primitive"
# The parameter that holds the jaxpr of a call that runs it once on its inputs.
_BODIES = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_JITS = frozenset({"jit", "pjit"})
CALLS = frozenset(
    {
        *("jit", "pjit", "closed_call", "core_call", "core_closed_call", "checkpoint", "remat", "remat2"),
        *("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_lin", "eval_jaxpr"),
    }
)


def called(equation: Any) -> Any | None:
    """The jaxpr that `equation` runs once on its inputs, or None if it is not such a call."""
    name, params = equation.primitive.name, equation.params
    if name == _HIGH:
        return _expanded(params["_prim"], tuple(atom.aval for atom in equation.invars))
    if name not in CALLS:
        return None
    return next((params[key] for key in _BODIES if key in params), None)


def name_of_call(equation: Any) -> str | None:
    """The name of the function of `jax.jit` that `equation` calls, or None of another equation."""
    return equation.params["name"] if equation.primitive.name in _JITS else None


@functools.lru_cache(maxsize=256)
def _expanded(primitive: Any, avals: tuple[Any, ...]) -> Any:
    """The jaxpr of a high-level primitive."""
    structs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]
    return traced(primitive.expand, jax.tree.unflatten(primitive.in_tree, structs))


def without_consts(jaxpr: Any) -> tuple[Any, tuple[Any, ...]]:
    """The equations of a jaxpr with or without constants, and those constants."""
    return getattr(jaxpr, "jaxpr", jaxpr), tuple(getattr(jaxpr, "consts", ()))


class ScanCounts(NamedTuple):
    """How many of a scan's inputs are constants of its body, carried values and sequences."""

    constants: int
    carried: int
    sequences: int


def scan_counts(equation: Any) -> ScanCounts:
    """The inputs of a scan by kind.

    A sequence has one axis more than the body's input for it, and a stacked output one more than the body's output.
    """
    (body,) = inner(equation)
    carried = sum(map(_has_same_rank, equation.outvars, body.outvars))
    sequences = len(equation.invars) - sum(map(_has_same_rank, equation.invars, body.invars))
    return ScanCounts(len(equation.invars) - carried - sequences, carried, sequences)


def _has_same_rank(outside: Any, inside: Any) -> bool:
    return outside.aval.ndim == inside.aval.ndim


class LoopParts(NamedTuple):
    """The jaxprs of a while loop, and how many of its first inputs are constants of each."""

    condition: Any
    body: Any
    condition_constants: int
    body_constants: int


def loop_parts(equation: Any) -> LoopParts:
    """The parts of a while loop."""
    given = equation.params
    return LoopParts(given["cond_jaxpr"], given["body_jaxpr"], given["cond_nconsts"], given["body_nconsts"])


def branch_platforms(equation: Any) -> list[list[str]] | None:
    """The platforms for which each branch of a cond is meant, none for all others; None if a value decides."""
    found = equation.params.get("branches_platforms")
    return None if found is None else [list(platforms or ()) for platforms in found]


def linear_solver(equation: Any) -> tuple[Any, slice, int]:
    """The jaxpr that solves in a custom_linear_solve, which inputs are its constants, and where its others begin."""
    counts = equation.params["const_lengths"]
    start = counts.matvec + counts.vecmat
    return equation.params["jaxprs"].solve, slice(start, start + counts.solve), sum(counts)
