"""The equation of a jaxpr in which a size that its program finds gets its value.

It is a call whose name says the symbol. Its inputs are the array of which it takes the first rows, and their number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from tfcompat._jaxpr.parameter import name_of_call

_PREFIX = "find_size_"


def finding(size: Any, taken: Callable[..., Any]) -> Callable[..., Any]:
    """`taken`, a function of an array and the value of `size`, a symbol, that takes as many rows of the array."""

    def called(rows: Any, value: Any) -> Any:
        return taken(rows, value)

    called.__name__ = f"{_PREFIX}{size}"
    return jax.jit(called)


def found_by(equation: Any) -> str | None:
    """The symbol that gets its value in `equation`, or None."""
    name = name_of_call(equation)
    return name.removeprefix(_PREFIX) if name is not None and name.startswith(_PREFIX) else None
