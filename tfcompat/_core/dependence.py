"""Which inputs of a pure function its outputs depend on, read off its jaxpr."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

Inputs = frozenset[int]
_NONE: Inputs = frozenset()


def dependence(
    fn: Callable[..., Any], structs: Sequence[Any], *, through_comparisons: bool
) -> tuple[Inputs, list[Inputs]]:
    """The inputs that `fn` reads at all, and for each output those that it depends on by way of floating values only.

    A path through a comparison or an integer carries no derivative; with `through_comparisons` it counts all the same.
    """
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(fn)(*structs)
    seeds = [frozenset((i,)) for i in range(len(structs))]
    anyhow = _outputs(closed.jaxpr, seeds, True)
    used = frozenset().union(*anyhow)
    return used, anyhow if through_comparisons else _outputs(closed.jaxpr, seeds, False)


def _outputs(jaxpr: Any, inputs: Sequence[Inputs], anyhow: bool) -> list[Inputs]:
    reached: dict[Any, Inputs] = dict(zip(jaxpr.invars, inputs, strict=True))

    def of(atom: Any) -> Inputs:
        if hasattr(atom, "val") or not (anyhow or jnp.issubdtype(atom.aval.dtype, jnp.inexact)):
            return _NONE
        return reached.get(atom, _NONE)

    for equation in jaxpr.eqns:
        arguments = [of(atom) for atom in equation.invars]
        inner = equation.params.get("jaxpr")
        inner = getattr(inner, "jaxpr", inner)
        if equation.primitive.name in ("pjit", "jit", "closed_call") and len(inner.invars) == len(arguments):
            outputs = _outputs(inner, arguments, anyhow)
        else:
            outputs = [frozenset().union(*arguments)] * len(equation.outvars)
        reached.update(zip(equation.outvars, outputs, strict=True))
    return [of(atom) for atom in jaxpr.outvars]
