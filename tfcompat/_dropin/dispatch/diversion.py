"""Redirected functions: calls of them call another function, even through names that were bound before.

Programs hold on to a function's identity (`from tensorflow import add`), so the code inside the function object is
replaced, and later restored. A function that is not redirected is unchanged and has no extra cost.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

Route = Callable[[tuple[Any, ...], dict[str, Any]], Any]

# Each redirected function, with a copy of the original.
_originals: dict[FunctionType, FunctionType] = {}


def divert(function: FunctionType, route: Route) -> FunctionType:
    """Redirects calls of `function` to `route(args, kwargs)`, and returns a copy of the original function."""
    original = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    original.__kwdefaults__ = function.__kwdefaults__
    vars(original).update(vars(function))
    function.__signature__ = inspect.signature(function)  # pyright: ignore[reportFunctionMemberAccess]
    function.__defaults__, function.__kwdefaults__ = None, {"_route": route}
    # The closure stays in the function, so the code must have as many free variables.
    function.__code__ = _call_route.__code__.replace(co_freevars=function.__code__.co_freevars)
    _originals[function] = original
    return original


def restore(function: FunctionType) -> None:
    """Ends the redirection of `function`."""
    original = _originals.pop(function)
    function.__code__ = original.__code__
    function.__defaults__, function.__kwdefaults__ = original.__defaults__, original.__kwdefaults__
    vars(function).clear()
    vars(function).update(vars(original))


def _call_route(*args: Any, _route: Route, **kwargs: Any) -> Any:
    return _route(args, kwargs)
