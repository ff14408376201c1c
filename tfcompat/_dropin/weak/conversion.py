"""Functions that convert their operands, and return weak tensors for weak operands."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

from tfcompat._core.calls.convert import convert_to_tensor
from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.container import is_composite
from tfcompat._core.types.dtype import DType
from tfcompat._dropin.weak.tensor import WeakTensor
from tfcompat._ops.elementwise.rounding import cast
from tfcompat._ops.numpy_like.promotion import common_kind, preference
from tfcompat._state.cell import Cell

_logger = logging.getLogger("tensorflow")

Function = Callable[..., Any]


def unary(function: Function, operand: str | None = None) -> Function:
    """`function`, which returns a weak tensor if its `operand`, by default the first, is a weak tensor or a number.

    With an explicit dtype it returns a tensor.
    """
    signature = inspect.signature(function)
    key = operand or next(iter(signature.parameters))

    @functools.wraps(function)
    def convert(*args: Any, **kwargs: Any) -> Any:
        if not preference.is_automatic or (args and type(args[0]) is Tensor and operand is None):
            return function(*args, **kwargs)
        given = signature.bind(*args, **kwargs)
        arguments = given.arguments
        if isinstance(arguments[key], Tensor) or arguments.get("dtype") is not None:
            return function(*args, **kwargs)
        kind = common_kind(arguments[key])
        if kind is None:
            return _unconverted(function, args, kwargs)
        arguments[key] = as_dtype_of(arguments[key], kind.dtype)
        return _marked(function(*given.args, **given.kwargs), kind.is_weak)

    return convert


def binary(function: Function, *, keeps_weak: bool = True) -> Function:
    """`function`, with its first two operands converted to their common dtype; if that is weak, so is the result.

    Without `keeps_weak`, the result is always a tensor.
    """
    signature = inspect.signature(function)
    first, second, *_ = signature.parameters

    @functools.wraps(function)
    def convert(*args: Any, **kwargs: Any) -> Any:
        if not preference.is_automatic:
            return function(*args, **kwargs)
        given = signature.bind(*args, **kwargs)
        arguments = given.arguments
        kind = common_kind(arguments[first], arguments[second])
        if kind is None:
            return _unconverted(function, args, kwargs)
        for key in (first, second):
            arguments[key] = as_dtype_of(arguments[key], kind.dtype)
        return _marked(function(*given.args, **given.kwargs), kind.is_weak and keeps_weak)

    return convert


def constant(function: Function) -> Function:
    """`tf.constant`, which converts Python numbers to weak tensors, and a tensor to the `dtype`."""

    @functools.wraps(function)
    def convert(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Any:
        if not preference.is_automatic:
            return function(value, dtype, shape, name)
        kind = common_kind(value, dtype)
        plain = held(value)
        if kind is None:
            return function(plain, dtype, shape, name)
        if dtype is None:
            return _marked(function(plain, kind.dtype, shape, name), kind.is_weak)
        if kind.dtype == dtype and isinstance(plain, (Tensor, Cell)):
            plain = as_dtype_of(plain, kind.dtype)
        return function(plain, dtype, shape, name)

    return convert


def assignment(function: Function) -> Function:
    """A method that assigns to a variable, with its operand converted to the dtype of the variable."""

    @functools.wraps(function)
    def convert(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        if preference.is_automatic and not (type(value) is Tensor and value.dtype is self.dtype):
            kind = common_kind(self, value)
            if kind is not None and kind.dtype is not self.dtype:
                raise TypeError(
                    f"Variable dtype is immutable. Calling {function.__name__} of Variable (with dtype {self.dtype}) "
                    f"on {value} requires converting it to {self.dtype}, which this mode does not do; cast it."
                )
            value = value if kind is None else as_dtype_of(value, kind.dtype)
        return function(self, value, *args, **kwargs)

    return convert


def as_dtype_of(value: Any, dtype: DType) -> Any:
    """`value` with elements of `dtype`."""
    plain = held(value)
    if isinstance(plain, (Tensor, Cell)) or is_composite(type(plain)):
        return cast(plain, dtype)
    return convert_to_tensor(plain, dtype)


def held(value: Any) -> Any:
    """The tensor in a weak tensor; any other value unchanged."""
    return value.tensor if type(value) is WeakTensor else value


def _marked(answer: Any, is_weak: bool) -> Any:
    return WeakTensor(answer) if is_weak and isinstance(answer, Tensor) else answer


def _unconverted(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    kinds = ", ".join(type(value).__name__ for value in (*args, *kwargs.values()))
    _logger.warning(f"No dtype is common to the arguments of {function.__name__}({kinds}); it takes them as they are.")
    return function(*map(held, args), **{key: held(value) for key, value in kwargs.items()})
