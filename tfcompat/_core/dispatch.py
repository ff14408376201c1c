"""Dispatch of functions of tensors for ragged and sparse arguments.

A function that converts its arguments refuses such a tensor. Only then is a handler looked up, which a higher layer has
registered, so calls on dense tensors have no extra cost.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tfcompat._core.by_trial import by_host
from tfcompat._core.nest import flatten

Function = Callable[..., Any]

_handlers: dict[Function, dict[type, Function]] = {}


def register(function: Function | None, kind: type, handler: Function) -> None:
    """Makes calls of `function` with an argument of the class `kind` call `handler` instead, with the same arguments.

    It also applies to subclasses of `kind` without a handler of their own.
    """
    while function is not None:
        _handlers.setdefault(function, {})[kind] = handler
        function = getattr(function, "__wrapped__", None)  # an op in a wrapper that takes the same arguments


def handler_of(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Function | None:
    """The handler of `function` for the first argument, or element of a list or dictionary, that has one; else None."""
    known = _handlers.get(function)
    if known is None:
        return None
    leaves = flatten((args, list(kwargs.values())))
    return next((known[kind] for leaf in leaves for kind in type(leaf).__mro__ if kind in known), None)


def clear() -> None:
    """Forgets all handlers."""
    _handlers.clear()


def dispatched(function: Function) -> Function:
    """`function`, or the handler registered for arguments that it refuses. Declared ops have dispatch built in.

    In functions of elements, the host computes what no trace can hold.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception:
            handler = handler_of(call, args, kwargs)
            if handler is None:
                found = by_host(call, args, kwargs)
                if found is None:
                    raise
                return found
        return handler(*args, **kwargs)

    return call
