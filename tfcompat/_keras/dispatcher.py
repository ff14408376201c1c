"""Dispatchers of libraries: handlers for calls of functions with arguments that the functions refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tfcompat._core.calls.dispatch import dispatched, register, register_fallback, register_for_all

Function = Callable[..., Any]


class OpDispatcher:
    """A handler for the calls of one function that the function itself refuses. Subclasses define `handle`.

    Source: TF 2.21 `tf.__internal__.dispatch.OpDispatcher`.
    """

    NOT_SUPPORTED: ClassVar[object] = object()

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call with these arguments; `NOT_SUPPORTED` to leave it to others."""
        del args, kwargs
        return self.NOT_SUPPORTED

    def register(self, op: Function) -> None:
        """Makes this the handler of `op`."""
        register_fallback(op, lambda args, kwargs: _answer(self.handle(args, kwargs)))


class GlobalOpDispatcher:
    """A handler for the calls of all functions that these refuse. Subclasses define `handle`.

    Source: TF 2.21 `tf.__internal__.dispatch.GlobalOpDispatcher`.
    """

    NOT_SUPPORTED: ClassVar[object] = OpDispatcher.NOT_SUPPORTED

    def handle(self, op: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call of `op` with these arguments; `NOT_SUPPORTED` to leave it to others."""
        del op, args, kwargs
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Makes this a handler of all functions."""
        register_for_all(lambda function, args, kwargs: _answer(self.handle(function, args, kwargs)))


def _answer(result: Any) -> Any:
    return NotImplemented if result is OpDispatcher.NOT_SUPPORTED else result


def add_dispatch_support(target: Function | None = None, iterable_parameters: Any = None) -> Any:
    """`target`, which dispatchers serve if it refuses its arguments.

    Source: TF 2.21 `tf.__internal__.dispatch.add_dispatch_support`.
    """
    del iterable_parameters
    return add_dispatch_support if target is None else dispatched(target)


def dispatch_for_types(op: Function, *types: type) -> Callable[[Function], Function]:
    """A decorator: calls of `op` with an argument of one of the classes `types`, which it refuses, call the function.

    Source: TF 2.21, `dispatch_for_types` of `tensorflow.python.util.dispatch`.
    """

    def decorated(function: Function) -> Function:
        for kind in types:
            register(op, kind, function)
        return function

    return decorated
