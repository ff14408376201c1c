"""Parts of an equation that rules read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from tfcompat._jaxpr.padded.padding import Padding
from tfcompat._jaxpr.primitive import inner
from tfcompat._jaxpr.size import is_open

# Takes the sizes, the equation and its padded inputs; returns its padded output, or a list if it has several.
Rule = Callable[..., Any]


def sizes_in(equation: Any, position: int = 0) -> tuple[Any, ...]:
    """The logical shape of an input."""
    return equation.invars[position].aval.shape


def sizes_out(equation: Any, position: int = 0) -> tuple[Any, ...]:
    """The logical shape of an output."""
    return equation.outvars[position].aval.shape


def applied(equation: Any, *arrays: Any, **changed: Any) -> Any:
    """The equation's primitive on `arrays`, some parameters changed."""
    return equation.primitive.bind(*arrays, **{**equation.params, **changed})


def unchanged(padding: Padding, equation: Any, *arrays: Any) -> Any:
    """The rule of primitives whose outputs' logical parts depend on those of the inputs alone."""
    del padding
    return applied(equation, *arrays)


def has_open_size(equation: Any) -> bool:
    """Whether a size with symbols is in the inputs, outputs or parameters of `equation`, or inside of it."""
    shapes = [atom.aval.shape for atom in (*equation.invars, *equation.outvars) if hasattr(atom.aval, "shape")]
    if any(is_open(size) for shape in shapes for size in shape):
        return True
    if any(map(is_open, jax.tree.leaves(list(equation.params.values())))):
        return True
    return any(has_open_size(each) for jaxpr in inner(equation) for each in jaxpr.eqns)
