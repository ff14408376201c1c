"""Functions that are diverted: calls of them go elsewhere, also those through names that were bound before.

A function's identity is what programs hold on to (`from tensorflow import add`), so it is the code in it that changes
places with a signpost, and back. A function that is not diverted is as it was written, and pays nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

Route = Callable[[tuple[Any, ...], dict[str, Any]], Any]

# Each diverted function, with a copy of the original.
_originals: dict[FunctionType, FunctionType] = {}


def divert(function: FunctionType, route: Route) -> FunctionType:
    """Lets `route(args, kwargs)` answer calls of `function`, and returns a copy of the original function."""
    original = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    original.__kwdefaults__ = function.__kwdefaults__
    vars(original).update(vars(function))
    function.__signature__ = inspect.signature(function)  # pyright: ignore[reportFunctionMemberAccess]
    function.__defaults__, function.__kwdefaults__ = None, {"_route": route}
    # The closure stays in the function, so the code must have as many free variables.
    function.__code__ = _signpost.__code__.replace(co_freevars=function.__code__.co_freevars)
    _originals[function] = original
    return original


def restore(function: FunctionType) -> None:
    """Restores a diverted `function`."""
    original = _originals.pop(function)
    function.__code__ = original.__code__
    function.__defaults__, function.__kwdefaults__ = original.__defaults__, original.__kwdefaults__
    vars(function).clear()
    vars(function).update(vars(original))


def _signpost(*args: Any, _route: Route, **kwargs: Any) -> Any:
    return _route(args, kwargs)
