"""Estimates how long XLA's program of a jaxpr takes for given sizes, in nanoseconds.

The constants were measured on two CPU cores: convolutional nets and attention take 10 to 100 milliseconds a step. They
are fixed, so that a decision that depends on an estimate is the same in each run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from tfcompat._jaxpr.primitive import inner, name_of
from tfcompat._jaxpr.size import evaluator

# An element that is written, and one multiplication and addition.
_ELEMENT, _PRODUCT = 0.5, 0.06
_STEP = 1_000.0

# A number of times, and sizes whose product is taken as often.
Term = tuple[float, tuple[Any, ...]]


def cost_of(jaxpr: Any, symbols: tuple[str, ...]) -> Callable[..., float]:
    """A function of the values of the `symbols` in `jaxpr` that estimates the nanoseconds."""
    terms = [(factor, sizes) for factor, sizes in _terms(jaxpr, ()) if sizes]
    steps = sum(1 for _ in _terms(jaxpr, ()))
    evaluate = evaluator([size for _, sizes in terms for size in sizes], symbols)
    counts = [(factor, len(sizes)) for factor, sizes in terms]

    def cost(*values: int) -> float:
        sizes = iter(evaluate(*values))
        return steps * _STEP + sum(factor * math.prod(next(sizes) for _ in range(n)) for factor, n in counts)

    return cost


def _terms(jaxpr: Any, times: tuple[Any, ...]) -> Iterator[Term]:
    """The terms of the equations of `jaxpr`, which runs as often as the product of `times` says."""
    for equation in jaxpr.eqns:
        name = name_of(equation)
        again = times
        if name == "scan":
            again = (*times, equation.params["length"])
        parts = inner(equation)
        for part in parts:
            yield from _terms(part, again)
        if parts:
            continue
        for output in equation.outvars:
            yield _ELEMENT, (*times, *output.aval.shape)
        if name in _SUMMED:
            yield _PRODUCT, (*times, *equation.outvars[0].aval.shape, *_SUMMED[name](equation))


def _of_product(equation: Any) -> tuple[Any, ...]:
    (axes, _), _ = equation.params["dimension_numbers"]
    return tuple(equation.invars[0].aval.shape[axis] for axis in axes)


def _of_convolution(equation: Any) -> tuple[Any, ...]:
    kernel = equation.params["dimension_numbers"].rhs_spec
    return tuple(equation.invars[1].aval.shape[axis] for axis in kernel[1:])


# The sizes over which a primitive sums products.
_SUMMED: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "conv_general_dilated": _of_convolution,
    "dot_general": _of_product,
}
