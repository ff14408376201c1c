"""Functions that count the operations of a node, which libraries register for the profiler of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

_registered: set[tuple[str, str]] = set()


class RegisterStatistics:
    """A decorator that registers a function that counts `statistic_type` of nodes of the type `op_type`.

    The profiler of TensorFlow 1, which calls such functions, raises NotImplementedError.

    Raises: TypeError if an argument is not a string or has a comma; KeyError, at decoration, if both are registered.
    Source: TF 2.21 `tensorflow.python.framework.ops.RegisterStatistics`.
    """

    __slots__ = ("_key",)

    def __init__(self, op_type: str, statistic_type: str) -> None:
        for name, value in (("op_type", op_type), ("statistic_type", statistic_type)):
            if not isinstance(value, str) or "," in value:
                raise TypeError(f"RegisterStatistics: {name} must be a string without a comma, got {value!r}.")
        self._key = (op_type, statistic_type)

    def __call__(self, f: _Function) -> _Function:
        """Registers `f` and returns it."""
        if self._key in _registered:
            raise KeyError(f"RegisterStatistics: {self._key} is registered already.")
        _registered.add(self._key)
        return f
