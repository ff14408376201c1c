"""User-defined conversions of values to tensors: `tf.register_tensor_conversion_function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.structure.tensor import Tensor
from tfcompat._core.types.dtype import DType

# The classes for which no conversion can be registered.
_OWN = (int, float, complex, bool, str, bytes, np.generic, np.ndarray)

# (priority, classes, function), those with the lowest priority first.
_functions: list[tuple[int, tuple[type[Any], ...], Callable[..., Any]]] = []


def clear() -> None:
    """Removes all registered functions."""
    _functions.clear()


def register_tensor_conversion_function(base_type: Any, conversion_func: Any, priority: int = 100) -> None:
    """Registers `conversion_func(value, dtype=..., name=..., as_ref=False)` for converting values of `base_type`.

    If it returns NotImplemented, the next function is tried, in the order of `priority`, then of registration.

    Raises: TypeError if `base_type` is not a class or tuple of classes, or is a class of Python's or NumPy's numbers,
      or if `conversion_func` cannot be called.
    Source: TF 2.21 `tf.register_tensor_conversion_function`.
    """
    classes = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(each, type) for each in classes):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
    if any(issubclass(each, _OWN) for each in classes):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    _functions.append((priority, classes, conversion_func))
    _functions.sort(key=lambda entry: entry[0])


def converted(value: Any, dtype: DType | None) -> Tensor | None:
    """The tensor of `dtype` to which a registered function converts `value`; None if none of them does.

    Raises: RuntimeError if the function returns something else.
    """
    for _, classes, function in _functions:
        if not isinstance(value, classes):
            continue
        tensor = function(value, dtype=dtype, name=None, as_ref=False)
        if tensor is NotImplemented:
            continue
        subject = f"Conversion function {function!r} for type {classes}"
        if not isinstance(tensor, Tensor):
            raise RuntimeError(f"{subject} returned non-Tensor: {tensor}")
        if dtype is not None and tensor.dtype is not dtype:
            raise RuntimeError(
                f"{subject} returned incompatible dtype: requested = {dtype.name}, actual = {tensor.dtype.name}"
            )
        return tensor
    return None
