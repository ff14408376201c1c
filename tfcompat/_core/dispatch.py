"""Dispatch of functions of tensors for ragged and sparse arguments.

A function that converts its arguments refuses such a tensor. Only then is a handler looked up that
a layer above has registered, so that calls on dense tensors pay nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfcompat._core.nest import flatten

Function = Callable[..., Any]

_handlers: dict[Function, dict[type, Function]] = {}


def register(function: Function | None, kind: type, handler: Function) -> None:
    """Lets `handler` answer for `function`, with the same arguments, where one of them is of the class `kind`.

    A class that is derived from `kind` and has no handler of its own shares that.
    """
    while function is not None:
        _handlers.setdefault(function, {})[kind] = handler
        function = getattr(function, "__wrapped__", None)  # an op in a wrapper that takes the same arguments


def handler_of(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Function | None:
    """The handler of `function` for an argument, or an element of a list or dictionary, of another kind."""
    known = _handlers.get(function)
    if known is None:
        return None
    leaves = flatten((args, list(kwargs.values())))
    return next((known[kind] for leaf in leaves for kind in type(leaf).__mro__ if kind in known), None)


def clear() -> None:
    """Forgets all handlers."""
    _handlers.clear()


def dispatched(function: Function) -> Function:
    """`function`, or the handler registered for arguments that it refuses. Declared ops have dispatch built in."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception:
            handler = handler_of(call, args, kwargs)
            if handler is None:
                raise
        return handler(*args, **kwargs)

    return call
