"""The registry of gradients by op type. It is never used, since ops of new types cannot be created.

It lets libraries be imported that register gradients of their own kernels on import.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Op type -> location of the registration.
_registered: dict[str, str] = {}


def clear() -> None:
    """Removes all registrations."""
    _registered.clear()


class RegisterGradient:
    """A decorator that registers the gradient of ops of the type `op_type`.

    Programs cannot define op types, so the function is never called. Use `tf.custom_gradient` to define the gradient of
    a function.

    Raises: TypeError if `op_type` is not a string; KeyError, at decoration, if it is already registered.
    Source: TF 2.21 `tf.RegisterGradient`.
    """

    __slots__ = ("_op_type",)

    def __init__(self, op_type: str) -> None:
        self._op_type = _checked(op_type)

    def __call__(self, f: _Function) -> _Function:
        """Registers `f` and returns it."""
        _register(self._op_type or f.__name__)
        return f


def no_gradient(op_type: str) -> None:
    """Registers that ops of the type `op_type` have no gradient. Programs cannot define op types.

    Raises: TypeError if `op_type` is not a string; KeyError if it is already registered.
    Source: TF 2.21 `tf.no_gradient`.
    """
    _register(_checked(op_type))


def _checked(op_type: Any) -> str:
    if not isinstance(op_type, str):
        raise TypeError(f"tf.RegisterGradient: op_type must be a string, got {op_type!r}.")
    return op_type


def _register(op_type: str) -> None:
    if op_type in _registered:
        raise KeyError(
            f"Registering two gradient with name {op_type!r}! (Previous registration was in {_registered[op_type]})"
        )
    caller = sys._getframe(2)
    _registered[op_type] = f"{caller.f_code.co_name} {caller.f_code.co_filename}:{caller.f_lineno}"
