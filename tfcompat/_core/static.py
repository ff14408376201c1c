"""Static attributes: what a Python value means as structure, in a form that is hashable and typed."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tfcompat._core.dtype import as_dtype
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor


def freeze(op: str, parameter: str, frozen: Callable[[Any], Any], value: Any) -> Any:
    """`value` as structure; an error names the op and its parameter."""
    try:
        return frozen(value)
    except (TypeError, ValueError) as refused:
        raise type(refused)(f"tf.{op}: {parameter} can't be {value!r}: {refused}") from refused


def integer(value: Any) -> int | None:
    """A static integer, or None."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, (bool, float)) or (hasattr(value, "dtype") and not as_dtype(value.dtype).is_integer):
        raise TypeError("an integer is expected")
    return operator.index(value._value() if type(value) is Tensor else value)


def integers(value: Any) -> Any:
    """Nested static integers as tuples; tensors and arrays are read."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, TensorShape):
        return tuple(value.as_list())
    if isinstance(value, (list, tuple)):
        return tuple(map(integers, value))
    if isinstance(value, range):
        return tuple(value)
    array = np.asarray(value._value() if type(value) is Tensor else value)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError("integers are expected")
    return int(array) if array.ndim == 0 else integers(array.tolist())


def shape(value: Any) -> tuple[Any, ...] | None:
    """A static shape as a tuple of integers; None stands for an unknown size, or for no shape at all."""
    found = integers(value)
    return (found,) if isinstance(found, int) else found


def _string(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError("a string is expected")
    return value


STATIC: dict[str, Callable[[Any], Any]] = {
    "int": integer,
    "bool": lambda value: None if value is None else bool(value),
    "str": _string,
    "Axes": integers,
    "Ints": integers,
    "Shape": shape,
    "Dtype": lambda value: None if value is None else as_dtype(value),
}
