"""Products of arrays: zeros behind both operands along the contracted axes, as 0 times an infinity is nan."""

from __future__ import annotations

from typing import Any

from tfcompat._jaxpr.padded.equation import Rule, applied, sizes_in
from tfcompat._jaxpr.padded.padding import Padding


def _dot_general(padding: Padding, equation: Any, left: Any, right: Any) -> Any:
    (left_axes, right_axes), _ = equation.params["dimension_numbers"]
    left = padding.filled(left, sizes_in(equation, 0), left_axes, 0)
    right = padding.filled(right, sizes_in(equation, 1), right_axes, 0)
    return applied(equation, left, right)


RULES: dict[str, Rule] = {"dot_general": _dot_general}
