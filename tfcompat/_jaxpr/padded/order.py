"""Sorts and the largest elements: what sorts behind everything stands behind the logical part."""

from __future__ import annotations

from typing import Any

from tfcompat._jaxpr.padded.equation import Rule, applied, sizes_in
from tfcompat._jaxpr.padded.extreme import highest, last, lowest
from tfcompat._jaxpr.padded.padding import Padding


def _sort(padding: Padding, equation: Any, *arrays: Any) -> list[Any]:
    """A stable sort leaves elements that equal the filling, such as nan, before it."""
    axis, keys = equation.params["dimension"], equation.params["num_keys"]
    mask = padding.mask(sizes_in(equation), [axis])
    if mask is None:
        return applied(equation, *arrays)
    filled = [
        padding.filled(array, sizes_in(equation, k), [axis], last(array.dtype)) if k < keys else array
        for k, array in enumerate(arrays)
    ]
    return applied(equation, *filled, is_stable=True)


def _top_k(padding: Padding, equation: Any, array: Any) -> list[Any]:
    axis = equation.params["axis"]
    array = padding.filled(array, sizes_in(equation), [axis], lowest(array.dtype))
    return applied(equation, array, k=padding.physical(equation.params["k"]))


def _approximate_top_k(padding: Padding, equation: Any, array: Any) -> list[Any]:
    value = (lowest if equation.params["is_max_k"] else highest)(array.dtype)
    axis = equation.params["reduction_dimension"] % array.ndim
    array = padding.filled(array, sizes_in(equation), [axis], value)
    return applied(equation, array, k=padding.physical(equation.params["k"]))


RULES: dict[str, Rule] = {"approx_top_k": _approximate_top_k, "sort": _sort, "top_k": _top_k}
