"""Dispatch of functions of tensors for ragged and sparse arguments.

A function that converts its arguments refuses such a tensor. Only then is a handler looked up, which a higher layer has
registered, so calls on dense tensors have no extra cost.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.by_trial import by_host
from tfcompat._core.system.location import is_raised_by_handler
from tfcompat._core.types.nest import flatten

Function = Callable[..., Any]

_handlers: dict[Function, dict[type, Function]] = {}
# Handlers of libraries, of one function and of all; they return NotImplemented for arguments that they don't serve.
_fallbacks: dict[Function, list[Function]] = {}
_for_all: list[Function] = []


class _Shown(threading.local):
    """The function that the handlers of all functions see, if it is not the function that refuses."""

    function: Function | None = None


_shown = _Shown()


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
    if known is not None:
        leaves = flatten((args, list(kwargs.values())))
        found = next((known[kind] for leaf in leaves for kind in type(leaf).__mro__ if kind in known), None)
        if found is not None:
            return found
    return _fallback_of(function, args, kwargs) if _for_all or _fallbacks else None


def shown_as(public: Function, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`function(*args, **kwargs)`. Handlers of all functions see `public` in its place."""
    if not _for_all:
        return function(*args, **kwargs)
    outer, _shown.function = _shown.function, public
    try:
        return function(*args, **kwargs)
    finally:
        _shown.function = outer


def _fallback_of(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Function | None:
    """A function that returns the answer of the first library whose handler serves the call; None without one."""
    served = (handler(args, kwargs) for handler in _fallbacks.get(function, ()))
    # A part of a public function leaves the call to that function.
    of_all = () if function.__name__.startswith("_") else _for_all
    shown, _shown.function = _shown.function or function, None
    answers = itertools.chain(served, (handler(shown, args, kwargs) for handler in of_all))
    answer = next((each for each in answers if each is not NotImplemented), NotImplemented)
    return None if answer is NotImplemented else lambda *_args, **_kwargs: answer


def register_fallback(function: Function, handler: Function) -> None:
    """Makes a call of `function` that the function refuses return `handler(args, kwargs)`, if not NotImplemented."""
    _fallbacks.setdefault(function, []).append(handler)


def register_for_all(handler: Function) -> None:
    """Makes any call that a function refuses return `handler(function, args, kwargs)`, if not NotImplemented."""
    _for_all.append(handler)


def clear() -> None:
    """Forgets all handlers."""
    _handlers.clear()
    _fallbacks.clear()
    _for_all.clear()


def dispatched(function: Function) -> Function:
    """`function`, or the handler registered for arguments that it refuses. Declared ops have dispatch built in.

    In functions of elements, the host computes what no trace can hold, also where the handler does not.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as refusal:
            if is_raised_by_handler(refusal):
                raise
            handler = handler_of(call, args, kwargs)
            if handler is None:
                found = by_host(refusal, call, args, kwargs)
                if found is None:
                    raise
                return found
        try:
            return handler(*args, **kwargs)
        except Exception as refusal:
            found = by_host(refusal, call, args, kwargs)
            if found is None:
                raise
            return found

    return call
