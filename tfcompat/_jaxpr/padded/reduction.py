"""Reductions and running reductions: the identity stands behind the logical part along their axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._jaxpr.padded.equation import Rule, applied, sizes_in
from tfcompat._jaxpr.padded.extreme import highest, lowest, ones
from tfcompat._jaxpr.padded.padding import Padding

Identity = Callable[[Any], Any]


def zero(dtype: Any) -> int:
    """The identity of sums."""
    del dtype
    return 0


def one(dtype: Any) -> int:
    """The identity of products."""
    del dtype
    return 1


def _reduction(identity: Identity) -> Rule:
    def reduce(padding: Padding, equation: Any, array: Any) -> Any:
        filled = padding.filled(array, sizes_in(equation), equation.params["axes"], identity(array.dtype))
        return applied(equation, filled)

    return reduce


def _running(identity: Identity) -> Rule:
    def accumulate(padding: Padding, equation: Any, array: Any) -> Any:
        if equation.params["reverse"]:
            array = padding.filled(array, sizes_in(equation), [equation.params["axis"]], identity(array.dtype))
        return applied(equation, array)

    return accumulate


def _general(padding: Padding, equation: Any, *operands: Any) -> list[Any]:
    """`lax.reduce`, for which the initial values are identities of the computation."""
    count = len(operands) // 2
    axes = equation.params["dimensions"]
    filled = [
        padding.filled(array, sizes_in(equation, k), axes, initial)
        for k, (array, initial) in enumerate(zip(operands[:count], operands[count:], strict=True))
    ]
    return applied(equation, *filled, *operands[count:])


RULES: dict[str, Rule] = {
    "argmax": _reduction(lowest),
    "argmin": _reduction(highest),
    "cumlogsumexp": _running(lowest),
    "cummax": _running(lowest),
    "cummin": _running(highest),
    "cumprod": _running(one),
    "cumsum": _running(zero),
    "reduce": _general,
    "reduce_and": _reduction(ones),
    "reduce_max": _reduction(lowest),
    "reduce_min": _reduction(highest),
    "reduce_or": _reduction(zero),
    "reduce_prod": _reduction(one),
    "reduce_sum": _reduction(zero),
    "reduce_xor": _reduction(zero),
}
