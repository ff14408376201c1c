"""Estimates how long a jaxpr takes for given sizes, in nanoseconds: as a program of XLA, or on the host.

The constants are CPU time, of all threads, on two cores. They are fixed, so that a decision that depends on an estimate
is the same in each run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tfcompat._jaxpr.primitive import inner, name_of
from tfcompat._jaxpr.size import evaluator, is_open, symbols_of


class Rates(NamedTuple):
    """The nanoseconds for one equation, for an element that is written, and for one multiplication and addition."""

    step: float
    element: float
    product: float


# Milliseconds estimated and measured: attention of 445 equations, lengths of 36, 110 and 158: 2.4 and 2.0, 8.2 and 8.5,
# 13.5 and 16.5; convolutions in images of [15, 21, 44] and [15, 44, 43]: 4.3 and 4.3, 8.2 and 8.2; translation of
# [16, 28] and [16, 28]: 2.5 and 2.4.
PROGRAM = Rates(1_000.0, 0.2, 0.0145)
# On the host each equation reads and writes memory, and is prepared for new sizes. The same attention: 3.7 and 3.6, 11
# and 11, 17 and 17; convolutions: 5.4 and 4.3, 10.2 and 8.7; translation: 4.4 and 4.0. (NumPy 2.4, one thread.)
HOST = Rates(3_000.0, 0.3, 0.015)

# The sizes that are assumed for those that loops and branches find.
_FOUND = 16

# Whether it is a product or an element that is counted, and the sizes whose product says how often.
Term = tuple[bool, tuple[Any, ...]]


def cost_of(jaxpr: Any, symbols: tuple[str, ...], rates: Rates = PROGRAM) -> Callable[..., float]:
    """A function of the values of the `symbols` in `jaxpr` that estimates the nanoseconds.

    For others, sizes that loops and branches find, a number is assumed.
    """

    def assumed(size: Any) -> Any:
        return size if symbols_of([size]) <= names else _FOUND

    names = set(symbols)
    terms = [(is_product, tuple(map(assumed, sizes))) for is_product, sizes in _terms(jaxpr, ())]
    factors: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for is_product, sizes in terms:
        known = math.prod(size for size in sizes if not is_open(size))
        if sizes:
            key = tuple(sorted([str(size) for size in sizes if is_open(size)]))
            factors[key] += known * (rates.product if is_product else rates.element)
    fixed = len(terms) * rates.step + factors.pop((), 0.0)
    evaluate = evaluator([" * ".join(f"({size})" for size in key) for key in factors], symbols)
    weights = list(factors.values())

    def cost(*values: int) -> float:
        counts = evaluate(*values)
        return fixed + sum([factor * count for factor, count in zip(weights, counts, strict=True)])

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
            yield False, (*times, *output.aval.shape)
        if name in _SUMMED:
            yield True, (*times, *equation.outvars[0].aval.shape, *_SUMMED[name](equation))


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
