"""The inputs that each output of a pure function depends on, found in its jaxpr."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp

from tfcompat._jaxpr.primitive import called, literal
from tfcompat._jaxpr.tracing import traced

Inputs = frozenset[int]
_NONE: Inputs = frozenset()


class Dependence(NamedTuple):
    """The inputs that a function depends on.

    Attributes:
      used: the inputs that it reads.
      linked: for each output, the inputs that it depends on through floating values only. A path through a comparison
        or an integer has no derivative.
      constant: the outputs that depend on no input.
      jaxpr: the trace of the function.
    """

    used: Inputs
    linked: list[Inputs]
    constant: frozenset[int]
    jaxpr: Any


def dependence(fn: Callable[..., Any], structs: Sequence[Any], *, through_comparisons: bool) -> Dependence:
    """The inputs that `fn` depends on; with `through_comparisons`, comparisons count as links too."""
    jaxpr = traced(fn, structs)
    seeds = [frozenset((i,)) for i in range(len(structs))]
    anyhow = _outputs(jaxpr, seeds, True)
    linked = anyhow if through_comparisons else _outputs(jaxpr, seeds, False)
    constant = frozenset(k for k, inputs in enumerate(anyhow) if not inputs)
    return Dependence(frozenset().union(*anyhow), linked, constant, jaxpr)


def _outputs(jaxpr: Any, inputs: Sequence[Inputs], anyhow: bool) -> list[Inputs]:
    reached: dict[Any, Inputs] = dict(zip(jaxpr.invars, inputs, strict=True))

    def of(atom: Any) -> Inputs:
        if literal(atom) is not None or not (anyhow or jnp.issubdtype(atom.aval.dtype, jnp.inexact)):
            return _NONE
        return reached.get(atom, _NONE)

    for equation in jaxpr.eqns:
        arguments = [of(atom) for atom in equation.invars]
        body = called(equation)
        if body is None:
            outputs = [frozenset().union(*arguments)] * len(equation.outvars)
        else:
            outputs = _outputs(body, arguments, anyhow)
        reached.update(zip(equation.outvars, outputs, strict=True))
    return [of(atom) for atom in jaxpr.outvars]
