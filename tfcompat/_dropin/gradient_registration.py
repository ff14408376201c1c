"""The registry of gradients by the type of an op, which nothing reads: ops of new types cannot be made.

A library registers the gradients of its own kernels where it is imported, perhaps long before it calls one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

# The type of an op -> where its gradient was registered.
_registered: dict[str, str] = {}


def clear() -> None:
    """Forgets what is registered."""
    _registered.clear()


class RegisterGradient:
    """A decorator that registers the gradient of ops of the type `op_type`.

    There are no such ops but TensorFlow's own, so nothing calls the function: `tf.custom_gradient` gives a function a
    gradient of its own.

    Raises: TypeError if `op_type` is no string; KeyError, at decoration, if it has been registered.
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
    """Registers that ops of the type `op_type` have no gradient. There are none but TensorFlow's own.

    Raises: TypeError if `op_type` is no string; KeyError if it has been registered.
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
