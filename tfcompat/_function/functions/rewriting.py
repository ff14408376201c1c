"""Functions that users pass to library functions, rewritten by AutoGraph where the function around the call is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfcompat._core.tracing.trace import here
from tfcompat._function.functions.function import Function
from tfcompat._function.functions.late_autograph import autograph


def rewritten_within(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` for a library function to call, rewritten by AutoGraph if the function that is being traced is."""
    if here.graph is None or isinstance(function, Function):
        return function
    return autograph().converted_within(function)
